#include "explain/playback.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "decode/handlers.hpp"

namespace warpgrade::explain {
namespace {

using Event = simt::RecordedEvent;
using Kind = Event::Kind;
using Type = Event::Type;

/// The place of a lane among the active ones.
std::size_t place_of_lane(std::uint32_t mask, std::uint32_t lane) {
  return static_cast<std::size_t>(std::popcount(mask & ((std::uint64_t{1} << lane) - 1)));
}

const simt::RecordedObject &object_of(const Playback &p, const Event &e, std::size_t place) {
  return p.recording.objects[e.objects[e.objects.size() == 1 ? 0 : place]];
}
const Shape &shape_of(const Playback &p, const Event &e, std::size_t place) {
  return p.shapes[e.objects[e.objects.size() == 1 ? 0 : place]];
}

std::string element_of(const Playback &p, const Event &e, std::size_t place, std::uint32_t element = 0) {
  const simt::RecordedObject &object = object_of(p, e, place);
  if (object.space == ptx::Space::local && object.name.empty()) return "a register's stack slot";
  return element_name(object.name.empty() ? "?" : object.name, shape_of(p, e, place),
                      e.offsets[place] + std::int64_t{element} * e.bytes);
}

std::string value_of(const Playback &p, const Event &e, const std::vector<std::uint64_t> &values,
                     std::size_t place) {
  std::string text;
  const bool real = !e.offsets.empty() && shape_of(p, e, place).real;
  for (std::uint32_t i = 0; i < e.elements; ++i)
    text += (i == 0 ? "" : ", ") + value_in_words(values[place * e.elements + i], e.type, e.bytes, real);
  return text;
}

/// A text for the first and the last lane, once where both are the same.
template <class Text>
std::string range(const Text &text, std::size_t lanes) {
  const std::string first = text(0), last = text(lanes - 1);
  bool same = first == last;
  for (std::size_t i = 1; same && i < lanes; ++i) same = text(i) == first;
  return same ? first : first + " to " + last;
}

/// An element of a global or shared array that has fewer of them.
bool is_outside(const Playback &p, const Event &e, std::size_t place) {
  const simt::RecordedObject &object = object_of(p, e, place);
  return !object.name.empty() && object.space != ptx::Space::local &&
         (e.offsets[place] < 0 || e.offsets[place] >= static_cast<std::int64_t>(object.bytes));
}

std::string access_in_words(const Playback &p, const Event &e, std::optional<std::size_t> place) {
  const auto lanes = static_cast<std::size_t>(std::popcount(e.mask));
  const auto all_or_one = [&](const auto &text) { return place ? text(*place) : range(text, lanes); };
  if (e.offsets.empty()) return e.kind == Kind::load ? "reads memory" : "writes memory";
  std::string text = e.kind == Kind::load ? "reads " : e.kind == Kind::store ? "writes " : "atomic on ";
  text += all_or_one([&](std::size_t i) {
    const std::string first = element_of(p, e, i) + (is_outside(p, e, i) ? " (outside)" : "");
    return e.elements == 1 ? first : fmt::format("{} and {} more", first, e.elements - 1);
  });
  if (!e.before.empty() && !e.values.empty())
    return text + ": " + all_or_one([&](std::size_t i) {
             return fmt::format("{} becomes {}", value_of(p, e, e.before, i), value_of(p, e, e.values, i));
           });
  if (e.values.empty()) return text;
  return text + ": " + all_or_one([&](std::size_t i) { return value_of(p, e, e.values, i); });
}

std::string branch_in_words(const Event &e, std::optional<std::uint32_t> lane) {
  if (lane) return e.taken >> *lane & 1 ? "jumps" : "does not jump";
  if (e.taken == 0) return "branch: no lane jumps";
  if (e.taken == e.mask) return "branch: all lanes jump";
  return fmt::format("branch: lanes {} jump, {} do not", lanes_in_words(e.taken),
                     lanes_in_words(e.mask & ~e.taken));
}

/// A negative integer of the size that people use; as a float it would be a rare NaN.
bool looks_negative(std::uint64_t bits) {
  return bits >= 0xFFF0'0000 && bits <= 0xFFFF'FFFF;
}

bool looks_real(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 23 & 255;
  return bits == 0x80000000 || (exponent > 127 - 40 && exponent < 127 + 40) ||
         (bits & 0x7FFF'FFFF) == 0x7F80'0000 || ((bits & 0x7FC00000) == 0x7FC00000 && !looks_negative(bits));
}

std::string real_in_words(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{:.{}g}", value, digits);
}

/// "C[0, 32]" as "C[0][32]", without spaces.
std::string plain_element(const std::string &text) {
  std::string plain;
  for (const char c : text)
    if (c == ',')
      plain += "][";
    else if (c != ' ')
      plain += c;
  return plain;
}

/// Instructions load an int as they load an unsigned: the values tell which it is, and floats show elsewhere.
void learn_types(Playback &p) {
  std::vector<bool> negative(p.shapes.size()), high(p.shapes.size());
  const auto each_natural = [&](const auto &visit) {
    for (Event &e : p.recording.events)
      if (e.type == Type::natural && e.bytes == 4 && e.objects.size() == 1) visit(e, e.objects.front());
  };
  for (const Event &e : p.recording.events)
    if (e.type == Type::real)
      for (const std::uint32_t object : e.objects)
        if (p.shapes[object].element_bytes == e.bytes) p.shapes[object].real = true;
  each_natural([&](const Event &e, std::uint32_t object) {
    for (const auto *list : {&e.values, &e.before})
      for (const std::uint64_t bits : *list)
        if (looks_negative(bits))
          negative[object] = true;
        else if (bits >> 31 != 0)
          high[object] = true;
  });
  each_natural([&](Event &e, std::uint32_t object) {
    if (negative[object] && !high[object]) e.type = Type::whole;
  });
}

Shape shape_for(const simt::RecordedObject &object, const KnownShapes &known, std::uint32_t smallest) {
  Shape shape;
  shape.element_bytes = smallest;
  if (object.space == ptx::Space::global) {
    const auto found = known.global.find(object.name);
    if (found != known.global.end()) return found->second;
  }
  if (object.space == ptx::Space::shared)
    for (const SharedArray &one : known.shared)
      if (one.name == object.name && one.bytes == object.bytes && one.row_bytes > 0 &&
          one.row_bytes % smallest == 0) {
        shape.cols = shape.pitch = one.row_bytes / smallest;
        shape.rows = static_cast<std::int64_t>(one.bytes / one.row_bytes);
        return shape;
      }
  shape.cols = shape.pitch = static_cast<std::int64_t>(object.bytes / smallest);
  return shape;
}

}  // namespace

Playback play(simt::Recording recording, const KnownShapes &known,
              const std::optional<simt::RecordedWord> &mark, std::string summary) {
  Playback p;
  p.recording = std::move(recording);
  p.summary = std::move(summary);
  std::vector<std::uint32_t> smallest(p.recording.objects.size(), 16);
  for (const Event &e : p.recording.events)
    for (const std::uint32_t object : e.objects)
      smallest[object] = std::min<std::uint32_t>(smallest[object], e.bytes);
  for (std::size_t i = 0; i < smallest.size(); ++i)
    p.shapes.push_back(shape_for(p.recording.objects[i], known, smallest[i]));
  learn_types(p);
  const std::vector<Event> &events = p.recording.events;
  const auto found =
      std::find_if(events.begin(), events.end(), [](const Event &e) { return e.kind == Kind::finding; });
  p.marked = static_cast<std::size_t>(found - events.begin());
  if (found != events.end() || !mark) return p;
  std::int64_t best = INT64_MAX;  // bytes between a word that is written and this one
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event &e = events[i];
    if (e.kind != Kind::store && e.kind != Kind::atomic) continue;
    for (std::size_t place = 0; place < e.offsets.size(); ++place) {
      if (object_of(p, e, place).name != mark->buffer) continue;
      const auto wanted = static_cast<std::int64_t>(mark->offset);
      const std::int64_t begin = e.offsets[place], end = begin + std::int64_t{e.bytes} * e.elements;
      const std::int64_t distance = wanted < begin ? begin - wanted : wanted < end ? 0 : wanted - end + 1;
      if (distance == 0 || (p.recording.nearest && distance <= best)) p.marked = i, best = distance;
    }
  }
  return p;
}

std::string element_name(const std::string &object, const Shape &shape, std::int64_t offset) {
  const std::int64_t bytes = shape.element_bytes;
  const std::int64_t index = offset >= 0 ? offset / bytes : -((-offset + bytes - 1) / bytes);
  if (shape.rows <= 1 || shape.pitch <= 0 || index < 0) return fmt::format("{}[{}]", object, index);
  const std::int64_t major = index / shape.pitch, minor = index % shape.pitch;
  return shape.by_columns ? fmt::format("{}[{}][{}]", object, minor, major)
                          : fmt::format("{}[{}][{}]", object, major, minor);
}

std::string value_in_words(std::uint64_t bits, Type type, std::uint32_t bytes, bool real) {
  const auto low = static_cast<std::uint32_t>(bits);
  const bool floats = type == Type::real || real || (type == Type::bits && bytes == 4 && looks_real(low));
  if (floats && bytes == 8) return real_in_words(std::bit_cast<double>(bits), 9);
  if (floats && bytes == 4) return real_in_words(std::bit_cast<float>(low), 7);
  if (floats && bytes == 2) return real_in_words(simt::half_to_float(low & 0xFFFF), 4);
  if (bytes > 8) return "?";
  if (type == Type::natural) return std::to_string(bits);
  if (bytes == 8) return std::to_string(static_cast<std::int64_t>(bits));
  if (bytes == 4) return std::to_string(static_cast<std::int32_t>(low));
  return std::to_string(low);
}

std::string lanes_in_words(std::uint32_t mask) {
  std::string text;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    std::uint32_t last = lane;
    while (last < 31 && (mask >> (last + 1) & 1) != 0) ++last;
    text +=
        (text.empty() ? "" : ",") + (last == lane ? std::to_string(lane) : fmt::format("{}-{}", lane, last));
    lane = last;
  }
  return text;
}

std::string in_words(const Playback &p, const Event &e, std::optional<std::uint32_t> lane) {
  std::optional<std::size_t> place;
  if (lane) {
    if ((e.mask >> *lane & 1) == 0) return "inactive";
    place = place_of_lane(e.mask, *lane);
  }
  const auto lanes = static_cast<std::size_t>(std::popcount(e.mask));
  switch (e.kind) {
    case Kind::load:
    case Kind::store:
    case Kind::atomic:
      return access_in_words(p, e, place);
    case Kind::compute:
      if (e.values.empty()) return "computes";
      return "computes " + (place ? value_of(p, e, e.values, *place)
                                  : range([&](std::size_t i) { return value_of(p, e, e.values, i); }, lanes));
    case Kind::branch:
      return branch_in_words(e, lane);
    case Kind::arrive:
      return "waits at the barrier";
    case Kind::release:
      return "passes the barrier";
    case Kind::sync:
      return "__syncwarp()";
    case Kind::shuffle: {
      if (e.from.empty() || e.values.empty()) return "shuffle";
      const auto one = [&](std::size_t i) {
        return fmt::format("{} from lane {}", value_of(p, e, e.values, i), e.from[i]);
      };
      return "shuffle: gets " + (place ? one(*place) : range(one, lanes));
    }
    case Kind::leave:
      return "ends";
    case Kind::finding:
      return e.text;
  }
  return "";
}

bool reaches(const Playback &p, const Event &e, const std::string &element) {
  const std::string wanted = plain_element(element);
  for (std::size_t place = 0; place < e.offsets.size(); ++place)
    for (std::uint32_t i = 0; i < e.elements; ++i)
      if (element_of(p, e, place, i) == wanted) return true;
  return false;
}

}  // namespace warpgrade::explain
