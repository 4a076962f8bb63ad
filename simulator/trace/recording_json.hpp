// Recordings of the simulator as JSON; included by code that writes or reads them. The lists of their fields
// are in trace/recording.hpp.
#pragma once

#include "counters/counters_json.hpp"
#include "trace/recording.hpp"

namespace warpgrade::json {

template <class Enum, Enum last>
std::optional<Enum> recorded_named(std::string_view wanted) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (simt::name_of(static_cast<Enum>(i)) == wanted) return static_cast<Enum>(i);
  return std::nullopt;
}
inline std::string_view name_of_kind(simt::RecordedEvent::Kind kind) {
  return simt::name_of(kind);
}
inline std::string_view name_of_type(simt::RecordedEvent::Type type) {
  return simt::name_of(type);
}
template <>
struct Codec<simt::RecordedEvent::Kind>
    : NamedEnum<simt::RecordedEvent::Kind, name_of_kind,
                recorded_named<simt::RecordedEvent::Kind, simt::RecordedEvent::Kind::finding>> {};
template <>
struct Codec<simt::RecordedEvent::Type>
    : NamedEnum<simt::RecordedEvent::Type, name_of_type,
                recorded_named<simt::RecordedEvent::Type, simt::RecordedEvent::Type::real>> {};

}  // namespace warpgrade::json
