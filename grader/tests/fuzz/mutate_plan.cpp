// A mutator that knows the records of a worker's stream. Half of its steps are libFuzzer's own; the others
// repeat, drop and exchange whole records, and put numbers that matter into their fields, so that what comes
// out is read to its end more often than not.
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "exercise_plan.hpp"
#include "plan/addresses.hpp"
#include "plan/request.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t most);

namespace warpgrade::fuzz {
namespace {

using Record = std::vector<std::uint8_t>;
using plan::Tag;

/// The sizes of a record's fields; 0 is a length of 8 bytes and as many bytes as it says.
std::vector<std::size_t> fields_of(std::uint8_t tag) {
  switch (static_cast<Tag>(tag)) {
    case Tag::allocate:
      return {8, 8, 1};
    case Tag::variable:
      return {4, 8, 1};
    case Tag::stream:
      return {1, 1};
    case Tag::use_stream:
    case Tag::record_event:
    case Tag::wait_for_event:
      return {4};
    case Tag::host_waits:
      return {1, 4};
    case Tag::peer_access:
      return {1, 1, 1};
    case Tag::free:
    case Tag::device_access:
      return {8};
    case Tag::set_memory:
      return {8, 1, 8, 8, 8};
    case Tag::copy_in:
      return {8, 0};
    case Tag::copy_within:
      return {8, 8, 8, 8, 8, 8};
    case Tag::attribute:
      return {4, 1, 4};
    case Tag::cluster:
      return {4, 4, 4};
    case Tag::launch:
      return {4, 4, 4, 4, 4, 4, 4, 4, 0};
    case Tag::failed_launch:
    case Tag::refused:
    case Tag::thrown:
      return {0};
    default:
      return {};
  }
}

/// Cuts a stream into its records; the last one is whatever is left.
std::vector<Record> split(const std::uint8_t *data, std::size_t size) {
  std::vector<Record> records;
  for (std::size_t at = 0; at < size;) {
    std::size_t end = at + 1;
    for (const std::size_t field : fields_of(data[at])) {
      std::uint64_t length = field;
      if (field == 0 && end + 8 <= size) {
        std::memcpy(&length, data + end, 8);
        end += 8;
      }
      end = length > size - std::min(end, size) ? size : end + length;
    }
    end = std::min(end, size);
    records.emplace_back(data + at, data + end);
    at = end;
  }
  return records;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void step(std::vector<Record> &records) {
    const auto here = records.begin() + static_cast<std::ptrdiff_t>(below(records.size()));
    Record &there = records[below(records.size())];
    switch (below(10)) {
      case 0:
        records.erase(here);
        break;
      case 1:
        records.insert(here, Record(there));
        break;
      case 2:
        std::swap(*here, there);
        break;
      case 3:
        records.insert(here, fresh());
        break;
      default:
        change_field(*here);
    }
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

 private:
  std::uint64_t address() {
    const std::uint64_t offsets[] = {0, 0, 0, 4, 8, 16, 60, 64, ~std::uint64_t{3}, plan::slot_bytes / 2 - 1};
    return plan::address_of_slot(below(8)) + offsets[below(std::size(offsets))];
  }
  std::uint64_t number() {
    const std::uint64_t odd[] = {0,
                                 1,
                                 2,
                                 3,
                                 4,
                                 8,
                                 16,
                                 32,
                                 64,
                                 128,
                                 1024,
                                 1 << 20,
                                 (1 << 20) + 1,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 ~std::uint64_t{0},
                                 std::uint64_t{1} << 63,
                                 plan::first_slot,
                                 plan::first_slot - 1,
                                 65536};
    return below(3) == 0 ? address() : odd[below(std::size(odd))];
  }
  void put(Record &to, std::uint64_t value, std::size_t bytes) {
    const auto *from = reinterpret_cast<const std::uint8_t *>(&value);
    to.insert(to.end(), from, from + bytes);
  }

  /// A record such as an honest worker writes, or nearly.
  Record fresh() {
    static constexpr Tag tags[] = {Tag::allocate,   Tag::variable,     Tag::free,           Tag::set_memory,
                                   Tag::copy_in,    Tag::copy_within,  Tag::attribute,      Tag::launch,
                                   Tag::launch,     Tag::ended,        Tag::stream,         Tag::event,
                                   Tag::use_stream, Tag::record_event, Tag::wait_for_event, Tag::host_waits,
                                   Tag::peer_access};
    const Tag tag = tags[below(std::size(tags))];
    Record made = {static_cast<std::uint8_t>(tag)};
    if (tag == Tag::launch) {
      append_launch(made);
      return made;
    }
    if (tag == Tag::allocate || tag == Tag::variable) {
      if (tag == Tag::variable) put(made, below(3), 4);
      put(made, plan::address_of_slot(3 + below(4)), 8);
      if (tag == Tag::allocate) put(made, 16 << below(8), 8);
      put(made, below(2), 1);
      return made;
    }
    bool first = true;
    for (const std::size_t field : fields_of(made[0])) {
      if (field == 0) {
        const std::size_t bytes = below(3) * 8;
        put(made, bytes, 8);
        made.insert(made.end(), bytes, static_cast<std::uint8_t>(below(256)));
      } else {
        put(made, field == 8 && (first || below(4) == 0) ? address() : below(17), field);
      }
      first = false;
    }
    return made;
  }

  void append_launch(Record &made) {
    const auto &kernels = call_of_the_harness().kernels;
    const std::size_t kernel = below(kernels.size());
    put(made, kernel, 4);
    for (int side = 0; side < 6; ++side) put(made, 1 + (side % 3 == 0 ? below(40) : below(3)), 4);
    put(made, below(3) * 256, 4);
    Record arguments(kernels[kernel].argument_bytes);
    for (const plan::ParameterLayout &parameter : kernels[kernel].parameters)
      for (std::uint32_t at = 0; at + 4 <= parameter.size; at += 8) {
        const std::uint64_t value = parameter.size - at >= 8 ? address() : below(33);
        std::memcpy(&arguments[parameter.offset + at], &value, std::min<std::size_t>(8, parameter.size - at));
      }
    put(made, arguments.size(), 8);
    made.insert(made.end(), arguments.begin(), arguments.end());
  }

  void change_field(Record &record) {
    if (record.empty()) return;
    const std::vector<std::size_t> fields = fields_of(record[0]);
    if (fields.empty()) return;
    std::size_t at = 1, chosen = below(fields.size());
    for (std::size_t i = 0; i < chosen; ++i) at += fields[i] == 0 ? 8 : fields[i];
    std::size_t bytes = fields[chosen];
    if (bytes == 0) {  // into what the length is about: an argument, uploaded data
      if (record.size() < at + 8 + 4) return;
      bytes = below(2) == 0 ? 8 : 4;
      at += 8 + below((record.size() - at - 8) / 4) * 4;
    }
    if (at + bytes > record.size()) return;
    const std::uint64_t value = number();
    std::memcpy(&record[at], &value, bytes);
  }

  std::minstd_rand random_;
};

}  // namespace
}  // namespace warpgrade::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  warpgrade::fuzz::Mutator mutator(seed);
  if (size == 0 || data[0] == 'a' || mutator.below(3) == 0) return LLVMFuzzerMutate(data, size, most);
  auto records = warpgrade::fuzz::split(data + 1, size - 1);
  if (records.empty()) return LLVMFuzzerMutate(data, size, most);
  for (std::size_t steps = 1 + mutator.below(4); steps > 0 && !records.empty(); --steps)
    mutator.step(records);
  std::size_t at = 1;
  for (const auto &record : records) {
    if (record.size() > most - at) break;
    std::copy(record.begin(), record.end(), data + at);
    at += record.size();
  }
  return at;
}
