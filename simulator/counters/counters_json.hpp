// The simulator's counters and samples as JSON; included by code that writes or reads them. The lists of the
// counters' fields are in counters/counters.hpp.
#pragma once

#include "base/json_fields.hpp"
#include "counters/counters.hpp"
#include "counters/sample.hpp"

namespace warpgrade::json {

constexpr std::string_view name_of_space(ptx::Space space) {
  constexpr std::string_view names[] = {"generic", "global", "constant", "shared", "local", "param"};
  return names[static_cast<std::size_t>(space)];
}
constexpr std::optional<ptx::Space> space_of(std::string_view name) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(ptx::Space::param); ++i)
    if (name_of_space(static_cast<ptx::Space>(i)) == name) return static_cast<ptx::Space>(i);
  return std::nullopt;
}
template <>
struct Codec<ptx::Space> : NamedEnum<ptx::Space, name_of_space, space_of> {};

/// Warp instructions by class, each under its name.
template <>
struct Codec<std::array<std::uint64_t, simt::instruction_classes>> {
  using Counts = std::array<std::uint64_t, simt::instruction_classes>;
  static std::string name(std::size_t i) {
    return std::string(simt::name_of(static_cast<simt::InstructionClass>(i)));
  }
  /// Results that were stored under an older name are still read.
  static std::string older_name(std::size_t i) {
    switch (static_cast<simt::InstructionClass>(i)) {
      case simt::InstructionClass::single:
        return "single";
      case simt::InstructionClass::twice:
        return "twice";
      default:
        return name(i);
    }
  }
  static Json write(const Counts &counts) {
    Json to = Json::object();
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] != 0) to[name(i)] = counts[i];
    return to;
  }
  static void read(const Json &from, Counts &counts) {
    if (!from.is_object()) unexpected("an object was expected");
    for (std::size_t i = 0; i < counts.size(); ++i) {
      auto found = from.find(name(i));
      if (found == from.end()) found = from.find(older_name(i));
      counts[i] = found == from.end() ? 0 : json::read<std::uint64_t>(*found);
    }
  }
};

}  // namespace warpgrade::json

namespace warpgrade::ptx {
WARPGRADE_FIELDS(SourceLine, file, line)
}  // namespace warpgrade::ptx

namespace warpgrade::simt {
WARPGRADE_FIELDS(AccessKey, at, space, store, bytes, buffer)
WARPGRADE_FIELDS(ProductKey, at, instruction, a_in_shared)
WARPGRADE_FIELDS(Dim3, x, y, z)
WARPGRADE_FIELDS(LaneSample, at, space, store, block, warp, mask, bytes, buffer, offsets, cost, ideal,
                 written, across)
}  // namespace warpgrade::simt
