#include "ptx/line_table.hpp"

#include <cstring>

#include "ptx/fatbin.hpp"

namespace warpgrade::ptx {

namespace {

/// Reads numbers one after the other.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::uint64_t at, std::uint64_t end)
      : bytes_(bytes), at_(at), end_(end) {}

  std::uint64_t at() const { return at_; }
  bool ended() const { return at_ >= end_; }
  void skip(std::uint64_t n) {
    if (end_ - at_ < n) throw FormatError("ELF image: a truncated table of lines");
    at_ += n;
  }
  template <class T>
  T number() {
    const std::uint64_t from = at_;
    skip(sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + from, sizeof value);
    return value;
  }
  /// A number of any size, 7 bits in each byte (LEB128).
  std::uint64_t any_size(bool is_signed) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return value;
    }
    throw FormatError("ELF image: a damaged table of lines");
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t at_, end_;
};

struct Header {
  std::uint8_t least_instruction = 1, line_range = 1, first_special = 1;
  std::int8_t line_base = 0;
  std::vector<std::uint8_t> operands;  ///< of the standard opcodes, from 1 on
};

enum Standard : std::uint8_t {
  extended,
  copy,
  advance_address,
  advance_line,
  set_file,
  set_column,
  negate_statement,
  set_basic_block,
  add_constant_address,
  fixed_advance_address,
};
enum Extended : std::uint8_t { end_sequence = 1, set_address = 2 };

/// One compilation unit, after its header.
void run(Reader &r, const Header &h, std::map<std::uint64_t, std::vector<PtxLine>> &lines) {
  std::vector<PtxLine> *here = nullptr;
  std::uint64_t address = 0;
  std::int64_t line = 1;
  const auto append = [&] {
    if (here != nullptr) here->push_back({address, static_cast<std::int32_t>(line)});
  };
  while (!r.ended()) {
    const auto opcode = r.number<std::uint8_t>();
    if (opcode >= h.first_special) {
      const int special = opcode - h.first_special;
      address += static_cast<std::uint64_t>(special / h.line_range) * h.least_instruction;
      line += h.line_base + special % h.line_range;
      append();
      continue;
    }
    switch (opcode) {
      case extended: {
        const std::uint64_t size = r.any_size(false);
        if (size == 0) throw FormatError("ELF image: a damaged table of lines");
        const auto what = r.number<std::uint8_t>();
        if (what == set_address && size == 1 + sizeof address) {
          here = &lines[r.at()];
          address = r.number<std::uint64_t>();
        } else {
          r.skip(size - 1);
        }
        if (what == end_sequence) here = nullptr, address = 0, line = 1;
        break;
      }
      case copy:
        append();
        break;
      case advance_address:
        address += r.any_size(false) * h.least_instruction;
        break;
      case advance_line:
        line += static_cast<std::int64_t>(r.any_size(true));
        break;
      case add_constant_address:
        address += static_cast<std::uint64_t>((255 - h.first_special) / h.line_range) * h.least_instruction;
        break;
      case fixed_advance_address:
        address += r.number<std::uint16_t>();
        break;
      default:
        for (int i = 0; i < h.operands[opcode - 1U]; ++i) r.any_size(false);
    }
  }
}

}  // namespace

std::map<std::uint64_t, std::vector<PtxLine>> read_line_program(std::span<const std::byte> bytes) {
  std::map<std::uint64_t, std::vector<PtxLine>> lines;
  for (std::uint64_t at = 0; at < bytes.size();) {
    Reader whole(bytes, at, bytes.size());
    const auto length = whole.number<std::uint32_t>();
    const std::uint64_t end = whole.at() + length;
    whole.skip(length);
    Reader unit(bytes, at + sizeof length, end);
    unit.skip(sizeof(std::uint16_t));  // the version
    const auto header_length = unit.number<std::uint32_t>();
    const std::uint64_t code = unit.at() + header_length;
    if (code > end) throw FormatError("ELF image: a truncated table of lines");
    Header h;
    h.least_instruction = unit.number<std::uint8_t>();
    unit.skip(1);  // whether a line starts a statement
    h.line_base = unit.number<std::int8_t>();
    h.line_range = unit.number<std::uint8_t>();
    h.first_special = unit.number<std::uint8_t>();
    if (h.line_range == 0 || h.first_special == 0) throw FormatError("ELF image: a damaged table of lines");
    for (int i = 1; i < h.first_special; ++i) h.operands.push_back(unit.number<std::uint8_t>());
    Reader program(bytes, code, end);
    run(program, h, lines);
    at = end;
  }
  return lines;
}

}  // namespace warpgrade::ptx
