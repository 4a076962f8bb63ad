// A recording with names: which element of which array each access reached, and each event as a sentence.
// Takes a recording of the simulator and what is known of shapes; knows nothing of courses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explain/explain.hpp"
#include "trace/recording.hpp"

namespace warpgrade::explain {

/// How the elements of an object lie. One dimension: rows is 1.
struct Shape {
  std::int64_t rows = 1, cols = 0, pitch = 0;  ///< in elements; pitch: from row to row, or column to column
  bool by_columns = false;
  std::uint32_t element_bytes = 4;
  bool real = false;  ///< its elements are floats, whatever the instructions say
};

/// What is known of arrays, by name.
struct KnownShapes {
  std::map<std::string, Shape> global;
  std::vector<SharedArray> shared;
};

struct Playback {
  simt::Recording recording;
  std::vector<Shape> shapes;  ///< of Recording::objects
  std::size_t marked = 0;     ///< the event that matters; recording.events.size() if there is none
  std::string summary;        ///< what is wrong, in a sentence
};

/// mark   bytes of a buffer whose last store matters where there is no finding
Playback play(simt::Recording, const KnownShapes &, const std::optional<simt::RecordedWord> &mark,
              std::string summary);

/// "A[5][17]", "counts[3]"
std::string element_name(const std::string &object, const Shape &, std::int64_t offset);
/// A value as an event shows it: "2.5", "-3"; "0x7fc00000" for a NaN.
std::string value_in_words(std::uint64_t bits, simt::RecordedEvent::Type, std::uint32_t bytes, bool real);

/// What one lane does in an event, or all of them in short: "reads As[0][0] to As[0][31]: 1.5 to 2".
std::string in_words(const Playback &, const simt::RecordedEvent &, std::optional<std::uint32_t> lane = {});
/// "0-31", "0-7,9"
std::string lanes_in_words(std::uint32_t mask);

/// Whether an event reaches an element, by its name as element_name() or "A[5, 17]" says it.
bool reaches(const Playback &, const simt::RecordedEvent &, const std::string &element);

}  // namespace warpgrade::explain
