#include "build/cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/files.hpp"
#include "base/wire.hpp"

namespace warpgrade::build {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;  // of any file in an entry
constexpr std::size_t most_entries = 512;                       // about 1 MB each

// FNV-1a over eight bytes at a time, turned so that the upper ones reach all of the sum.
std::uint64_t sum_of(std::span<const std::byte> bytes, std::uint64_t sum = 0xcbf29ce484222325) {
  const auto take = [&](std::uint64_t word) { sum = std::rotl(sum ^ word, 29) * 0x100000001b3; };
  take(bytes.size());
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), sizeof(std::uint64_t)))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
    take(word);
  }
  return sum;
}

// The sums at the end tell a disk's mistake, or a person's edit, from a student's.
std::vector<std::byte> encode(const Build &build, std::span<const std::byte> worker) {
  Writer to;
  to.put<std::uint8_t>(build.ok);
  to.put(build.reason);
  to.put_string(build.message);
  to.put_string(build.log);
  to.put<std::uint8_t>(build.registers.has_value());
  to.put<std::int32_t>(build.registers.value_or(0));
  to.put<std::uint8_t>(build.spill_bytes.has_value());
  to.put<std::uint64_t>(build.spill_bytes.value_or(0));
  to.put_bytes(build.fatbin);
  to.put(sum_of(worker));
  to.put(sum_of(to.bytes()));
  return to.bytes();
}

struct Stored {
  Build build;
  std::uint64_t worker_sum = 0;
};

Stored decode(std::span<const std::byte> bytes) {
  const std::size_t sums = std::min(bytes.size(), sizeof(std::uint64_t));
  if (Reader(bytes.last(sums)).get<std::uint64_t>() != sum_of(bytes.first(bytes.size() - sums)))
    throw WireError("damaged");
  Reader from(bytes);
  Build build;
  build.ok = from.get<std::uint8_t>() != 0;
  build.reason = static_cast<Reason>(from.get<std::uint8_t>());
  build.message = from.get_string();
  build.log = from.get_string();
  const bool has_registers = from.get<std::uint8_t>() != 0;
  const auto registers = from.get<std::int32_t>();
  if (has_registers) build.registers = registers;
  const bool has_spills = from.get<std::uint8_t>() != 0;
  const auto spills = from.get<std::uint64_t>();
  if (has_spills) build.spill_bytes = spills;
  const auto fatbin = from.get_bytes();
  build.fatbin.assign(fatbin.begin(), fatbin.end());
  return {std::move(build), from.get<std::uint64_t>()};
}

}  // namespace

void make_room(const fs::path &folder, std::size_t most) {
  const std::vector<fs::directory_entry> all(fs::directory_iterator(folder), {});
  if (all.size() <= most) return;
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  std::error_code gone;
  for (const fs::directory_entry &entry : all)
    entries.emplace_back(entry.last_write_time(gone), entry.path());
  std::sort(entries.begin(), entries.end());
  for (std::size_t i = 0; i < entries.size() - most * 7 / 8; ++i) fs::remove_all(entries[i].second, gone);
}

std::string name_of(std::span<const std::byte> inputs) {
  return fmt::format("{:016x}{:016x}", sum_of(inputs), sum_of(inputs, 0x84222325cbf29ce4));
}

std::optional<Build> Cache::find(std::span<const std::byte> inputs) const {
  const fs::path entry = directory_ / name_of(inputs);
  const auto stored = read_regular(entry / "inputs", most_bytes);
  if (!stored || !std::equal(stored->begin(), stored->end(), inputs.begin(), inputs.end()))
    return std::nullopt;
  const auto result = read_regular(entry / "result", most_bytes);
  if (!result) return std::nullopt;
  try {
    auto [build, worker_sum] = decode(*result);
    build.from_cache = true;
    build.worker = entry / "worker";
    std::error_code ignored;
    fs::last_write_time(entry, fs::file_time_type::clock::now(), ignored);
    if (!build.ok) return build;
    const auto worker = read_regular(build.worker, most_bytes);
    if (!worker || sum_of(*worker) != worker_sum || ::access(build.worker.c_str(), X_OK) != 0)
      return std::nullopt;
    return build;
  } catch (const WireError &) {
    return std::nullopt;  // of another version, or cut short by a full disk
  }
}

void Cache::keep(std::span<const std::byte> inputs, const Build &build) const {
  std::error_code ignored;
  try {
    fs::create_directories(directory_);
    std::string fresh = (directory_ / ".new-XXXXXX").string();
    if (::mkdtemp(fresh.data()) == nullptr) return;
    try {
      std::vector<std::byte> worker;
      if (build.ok) {
        auto bytes = read_regular(build.worker, most_bytes);
        if (!bytes) throw std::runtime_error("the worker is gone");
        worker = std::move(*bytes);
        write_scratch(fs::path(fresh) / "worker", worker);
        fs::permissions(fs::path(fresh) / "worker", fs::perms(0755));
      }
      write_scratch(fs::path(fresh) / "inputs", inputs);
      write_scratch(fs::path(fresh) / "result", encode(build, worker));
      fs::permissions(fresh, fs::perms(0755));
      const fs::path entry = directory_ / name_of(inputs);
      if (fs::exists(entry, ignored) && !find(inputs)) fs::remove_all(entry, ignored);  // damaged
      fs::rename(fresh, entry);  // fails when another process was first: its entry is as good
    } catch (const std::exception &) {
      fs::remove_all(fresh, ignored);
      return;
    }
    make_room(directory_, most_entries);
  } catch (const std::exception &) {
    // A cache that cannot be written is not a reason to fail.
  }
}

}  // namespace warpgrade::build
