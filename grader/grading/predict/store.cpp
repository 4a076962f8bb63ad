#include "predict/store.hpp"

#include "base/wire.hpp"

namespace warpgrade::predict {

namespace {

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

}  // namespace

std::optional<Kept> Store::find(std::span<const std::byte> asked) const try {
  const auto answer = answers_.find(asked);
  if (!answer) return std::nullopt;
  Reader from(*answer);
  Kept found;
  found.too_long = from.get<std::uint8_t>() != 0;
  found.prediction = get(from);
  return found;
} catch (const WireError &) {
  return std::nullopt;  // of another version
}

void Store::keep(std::span<const std::byte> asked, const Kept &made) const {
  Writer kept;
  kept.put<std::uint8_t>(made.too_long);
  put(kept, made.prediction);
  answers_.keep(asked, kept.bytes());
}

}  // namespace warpgrade::predict
