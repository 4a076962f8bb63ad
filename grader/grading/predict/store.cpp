#include "predict/store.hpp"

#include <algorithm>
#include <system_error>

#include "base/files.hpp"
#include "base/wire.hpp"
#include "build/cache.hpp"

namespace warpgrade::predict {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;  // of one prediction
constexpr std::size_t most_kept = 512;                        // a few KB each

void put_lines(Writer &to, const std::vector<simt::SourceLine> &lines) {
  to.put<std::uint64_t>(lines.size());
  for (const simt::SourceLine &at : lines) to.put_string(at.file).put(at.line);
}

simt::SourceLine get_line(Reader &from) {
  simt::SourceLine at;
  at.file = from.get_string();
  at.line = from.get<int>();
  return at;
}

std::vector<simt::SourceLine> get_lines(Reader &from) {
  std::vector<simt::SourceLine> lines(from.get_count(sizeof(std::uint64_t)));
  for (simt::SourceLine &at : lines) at = get_line(from);
  return lines;
}

Resource get_resource(Reader &from) {
  const auto number = from.get<std::uint8_t>();
  if (number >= resources) throw WireError("no such resource");
  return static_cast<Resource>(number);
}

/// The numbers of a launch, in one order for both ways.
template <typename Launch, typename Each>
void each_number(Launch &l, const Each &each) {
  for (auto *number : {&l.issue, &l.arithmetic, &l.load_store, &l.l2_bytes, &l.dram_bytes, &l.latency,
                       &l.l1_hits, &l.local, &l.waves, &l.seconds})
    each(*number);
}

void put(Writer &to, const Prediction &p) {
  to.put(p.seconds).put(p.low).put(p.high).put(p.limit).put_string(p.why_not);
  to.put<std::uint64_t>(p.launches.size());
  for (const LaunchPrediction &l : p.launches) {
    to.put_string(l.kernel).put_string(l.resident_limit).put(l.resident).put(l.limit);
    each_number(l, [&](double number) { to.put(number); });
  }
  to.put<std::uint64_t>(p.lines.size());
  for (const LineShare &line : p.lines) to.put_string(line.at.file).put(line.at.line).put(line.share);
  to.put<std::uint64_t>(p.promises.size());
  for (const Promise &promise : p.promises) {
    put_lines(to, promise.lines);
    to.put_string(promise.cure).put(promise.seconds).put(promise.low).put(promise.high);
  }
  to.put<std::uint64_t>(p.caveats.size());
  for (const std::string &caveat : p.caveats) to.put_string(caveat);
}

Prediction get(Reader &from) {
  Prediction p;
  for (double *number : {&p.seconds, &p.low, &p.high}) *number = from.get<double>();
  p.limit = get_resource(from);
  p.why_not = from.get_string();
  p.launches.resize(from.get_count(sizeof(std::uint64_t)));
  for (LaunchPrediction &l : p.launches) {
    l.kernel = from.get_string();
    l.resident_limit = from.get_string();
    l.resident = from.get<int>();
    l.limit = get_resource(from);
    each_number(l, [&](double &number) { number = from.get<double>(); });
  }
  p.lines.resize(from.get_count(sizeof(std::uint64_t)));
  for (LineShare &line : p.lines) {
    line.at = get_line(from);
    line.share = from.get<double>();
  }
  p.promises.resize(from.get_count(sizeof(std::uint64_t)));
  for (Promise &promise : p.promises) {
    promise.lines = get_lines(from);
    promise.cure = from.get_string();
    for (double *number : {&promise.seconds, &promise.low, &promise.high}) *number = from.get<double>();
  }
  p.caveats.resize(from.get_count(sizeof(std::uint64_t)));
  for (std::string &caveat : p.caveats) caveat = from.get_string();
  return p;
}

void make_room(const fs::path &folder) {
  std::error_code gone;
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, gone))
    all.emplace_back(entry.last_write_time(gone), entry.path());
  if (all.size() <= most_kept) return;
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size() - most_kept * 7 / 8; ++i) fs::remove(all[i].second, gone);
}

}  // namespace

std::optional<Kept> Store::find(std::span<const std::byte> asked) const try {
  const fs::path file = folder_ / build::name_of(asked);
  const auto bytes = read_regular(file, most_bytes);
  if (!bytes) return std::nullopt;
  Reader from(*bytes);
  const std::string sum = from.get_string();
  const std::span<const std::byte> kept = from.get_bytes();
  if (sum != build::name_of(kept)) return std::nullopt;
  Reader inner(kept);
  const std::span<const std::byte> question = inner.get_bytes();
  if (!std::equal(question.begin(), question.end(), asked.begin(), asked.end())) return std::nullopt;
  Kept found;
  found.too_long = inner.get<std::uint8_t>() != 0;
  found.prediction = get(inner);
  std::error_code ignored;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  return found;
} catch (const WireError &) {
  return std::nullopt;  // of another version
}

void Store::keep(std::span<const std::byte> asked, const Kept &made) const try {
  Writer kept;
  kept.put_bytes(asked).put<std::uint8_t>(made.too_long);
  put(kept, made.prediction);
  Writer file;
  file.put_string(build::name_of(kept.bytes())).put_bytes(kept.bytes());
  if (file.bytes().size() > most_bytes) return;  // it would not be read again
  fs::create_directories(folder_);
  write_whole(folder_ / build::name_of(asked), file.text());
  make_room(folder_);
} catch (const std::exception &) {
  // A folder that cannot be written is no reason to fail.
}

}  // namespace warpgrade::predict
