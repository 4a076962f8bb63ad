// Which result of a corpus kernel lies where in its output, and what it is called: read off the PTX.
#pragma once

#include <bit>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "corpus/bounds.hpp"
#include "corpus/inputs.hpp"
#include "decode/handlers.hpp"

namespace warpgrade::corpus {

/// One result of each thread.
struct Row {
  std::string name;            ///< the instruction that made it
  std::size_t offset = 0;      ///< of thread 0 in the output
  std::size_t width = 4;       ///< bytes of a thread
  std::uint64_t mask = ~0ull;  ///< one bit of a predicate
  int shift = 0;
  bool split = false;            ///< the upper word of a double is in the next row
  const Bound *bound = nullptr;  ///< of an approximation
};

inline const Bound *bound_of(const std::string &name) {
  for (const Bound &bound : bounds)
    if (bound.name[0] == ' ' ? name.ends_with(bound.name) : name.starts_with(bound.name)) return &bound;
  return nullptr;
}

inline bool near_value(const Bound &bound, double got, double want) {
  if (got != got || want != want) return got != got && want != want;
  return got == want || std::fabs(got - want) <= bound.relative * std::fabs(want) + bound.absolute;
}

inline bool near(const Bound &bound, std::uint64_t got, std::uint64_t want) {
  const auto low = static_cast<std::uint32_t>(got), other = static_cast<std::uint32_t>(want);
  const auto half = [&](int part) {
    const std::uint32_t a = low >> 16 * part & 0xFFFF, b = other >> 16 * part & 0xFFFF;
    if (bound.format == Format::f16 || bound.format == Format::f16x2)
      return near_value(bound, simt::half_to_float(a), simt::half_to_float(b));
    return near_value(bound, simt::bfloat_to_float(a), simt::bfloat_to_float(b));
  };
  switch (bound.format) {
    case Format::f32:
      return near_value(bound, std::bit_cast<float>(low), std::bit_cast<float>(other));
    case Format::f64:
      return near_value(bound, std::bit_cast<double>(got), std::bit_cast<double>(want));
    case Format::f16:
    case Format::bf16:
      return half(0);
    case Format::f16x2:
    case Format::bf16x2:
      return half(0) && half(1);
    case Format::none:
      break;
  }
  return false;
}

/// Reads the rows of a PTX kernel of the corpus: lines "st.global.b32 [%o4+512], %xr;" behind what made %xr,
/// and predicates that are gathered as bits of %m.
class RowFinder {
 public:
  explicit RowFinder(const std::string &text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      line(text.substr(at, end - at));
      at = end + 1;
    }
  }
  std::vector<Row> rows;

 private:
  void line(const std::string &text) {
    unsigned width = 0, offset = 0;
    char letters[8] = {}, reg[16] = {};
    if (std::sscanf(text.c_str(), "st.global.%7[a-z0-9] [%%o%u+%u], %15[^;]", letters, &width, &offset,
                    reg) == 4) {
      if (std::string(reg) == "%m") return flush(offset);
      Row row;
      row.name = made_by_;
      if (several_) row.name += std::string("  [") + reg + "]";
      row.offset = offset;
      row.width = width;
      row.bound = bound_of(made_by_);
      rows.push_back(row);
      several_ = true;
      return;
    }
    if (text.starts_with("@%") && text.find(" or.b32 %m, %m, ") != std::string::npos) {
      bits_.push_back(made_by_ + "  [" + text.substr(1, text.find(' ') - 1) + "]");
      return;
    }
    if (text == "mov.b32 %m, 0;") return;
    made_by_ = text;
    several_ = false;
  }
  void flush(std::size_t offset) {
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      Row row;
      row.name = bits_[i];
      row.offset = offset;
      row.mask = 1ull << i;
      row.shift = static_cast<int>(i);
      rows.push_back(row);
    }
    bits_.clear();
  }

  std::string made_by_;
  bool several_ = false;
  std::vector<std::string> bits_;
};

/// Kernels from CUDA C++ store one word of each thread after the other; the bounds know which are doubles.
inline std::vector<Row> find_rows(const std::string &kernel, const std::string &text, const Header &header) {
  std::vector<Row> rows = RowFinder(text).rows;
  if (!rows.empty()) return rows;
  constexpr std::size_t words = std::size_t{4} * all_threads;
  for (std::size_t at = 0; at + words <= header.output_bytes; at += words) {
    Row row;
    row.name = "rows.put(" + std::to_string(at / words) + ", ...) in " + kernel + ".cu";
    row.offset = at;
    row.bound = bound_of(row.name);
    row.split = row.bound && row.bound->format == Format::f64;
    if (row.split) at += words;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace warpgrade::corpus
