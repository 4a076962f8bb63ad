// The drawings of an explanation, with their captions.
#include <fmt/format.h>

#include <algorithm>

#include "machine/instructions/fragments.hpp"
#include "report/drawings.hpp"
#include "report/explain.hpp"
#include "report/lanes.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr std::uint32_t painted_lane = 5;  // neither in the first row nor in the first column

std::string product_title(const explain::Product &p) {
  return fmt::format("line {}: {}", p.key.at.line, for_terminal(p.key.instruction));
}

}  // namespace

std::optional<Captioned> draw_product(const std::string &name, const explain::Product &p) {
  const auto fragments = simt::tensor::fragments_of(p.key.instruction, p.key.a_in_shared);
  if (!fragments) return std::nullopt;
  return Captioned{
      draw_fragments(name, p.key.instruction, *fragments, painted_lane),
      fmt::format("Which lane holds which element, {}. Each cell shows its lane; the elements of "
                  "lane {} are painted by register and numbered.{}",
                  product_title(p), painted_lane,
                  fragments->warps > 1 ? " This is the first of four warps." : "")};
}

Captioned draw_shared_access(const std::string &name, const explain::Access &access) {
  const simt::LaneSample &s = *access.sample;
  const std::string what = fmt::format("line {}: {}", access.key.at.line, access_title(access));
  return {draw_request_over_banks(name, what, s),
          fmt::format("Where a warp accesses shared memory, {}: {} wavefronts, {} would do.", what, s.cost,
                      s.ideal)};
}

Captioned draw_copied_tile(const std::string &name, const simt::LaneSample &s) {
  const std::string what =
      fmt::format("line {}: {}{}", s.at.line, s.across > 0 ? "bulk copy of a tile" : "cp.async of a warp",
                  s.across > 0 && !s.buffer.empty() ? " to " + for_terminal(s.buffer) : "");
  return {draw_tile_over_banks(name, what, s),
          fmt::format("Where an asynchronous copy stores its data in shared memory, {}.", what)};
}

std::string product_to_text(const explain::Product &p) {
  const auto fragments = simt::tensor::fragments_of(p.key.instruction, p.key.a_in_shared);
  if (!fragments) return {};
  constexpr std::uint32_t across = 16;
  std::string text = fmt::format("  {}: the lane that holds each element{}\n", product_title(p),
                                 fragments->warps > 1 ? ", in the first of four warps" : "");
  for (const auto &[name, f] :
       {std::pair{"A", &fragments->a}, {"B", &fragments->b}, {"C and D", &fragments->c}}) {
    text += fmt::format("    {} ({} x {}){}\n", name, f->rows, f->columns,
                        f->holders.empty() ? ", in shared memory" : "");
    for (std::uint32_t row = 0; row < f->rows && !f->holders.empty(); ++row) {
      text += fmt::format("      row {:>2} ", row);
      for (std::uint32_t column = 0; column < std::min(f->columns, across); ++column)
        text += fmt::format(" {:>2}", f->holders[std::size_t{row} * f->columns + column].lane);
      text += f->columns > across ? " ...\n" : "\n";
    }
  }
  return text;
}

std::string type_of_factors(std::string_view instruction) {
  using simt::tensor::Element;
  const auto fragments = simt::tensor::fragments_of(instruction);
  if (!fragments) return "";
  switch (fragments->a.element) {
    case Element::f16:
      return "f16";
    case Element::bf16:
      return "bf16";
    case Element::tf32:
      return "tf32";
    case Element::s8:
    case Element::u8:
      return "s8";
    case Element::e4m3:
    case Element::e5m2:
      return "fp8";
    case Element::f64:
      return "f64";
    default:
      return "";
  }
}

std::optional<double> fragments_per_product(const explain::Explanation &explained,
                                            const simt::Counters &counters) {
  const std::uint64_t loaded =
      counters.shared_load.bytes > 0 ? counters.shared_load.bytes : counters.global_load.bytes;
  double taken = 0;  // bytes of both factors of all products
  std::uint64_t products = 0;
  for (const explain::Product &p : explained.products) {
    const auto fragments = simt::tensor::fragments_of(p.key.instruction, p.key.a_in_shared);
    if (!fragments || fragments->a.holders.empty() || fragments->b.holders.empty()) continue;
    for (const simt::tensor::Fragment *factor : {&fragments->a, &fragments->b})
      taken += static_cast<double>(p.counts.executions) * factor->rows * factor->columns *
               simt::tensor::bits_of(factor->element) / 8;
    products += p.counts.executions;
  }
  if (products == 0 || loaded == 0) return std::nullopt;
  return 2 * static_cast<double>(loaded) / taken;
}

}  // namespace warpgrade::report
