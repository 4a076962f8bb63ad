// What a few warps of a launch did, step by step: the last events of each, as plain data, with both ends of
// every access. Data flows one way: a Recorder (recorder.hpp) fills a Recording while the launch runs once
// more; run/ passes it on and checks it; explain/playback.hpp names its elements; report/ shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "counters/diagnostic.hpp"

namespace warpgrade::simt {

/// Bytes of global memory: the warp that writes them last is recorded.
struct RecordedWord {
  std::string buffer;
  std::uint64_t offset = 0, bytes = 4;
  bool operator==(const RecordedWord &) const = default;
};

/// A warp of a launch.
struct WarpPlace {
  std::uint64_t block = 0;  ///< its number in the grid, x counting fastest
  std::uint32_t warp = 0;   ///< in its block
  bool operator==(const WarpPlace &) const = default;
};

/// Which warps to record: these; or else those that the first finding names; or else the one that wrote a word
/// last, or came nearest to it.
struct RecordOptions {
  std::vector<WarpPlace> warps;
  bool findings = true;
  std::optional<RecordedWord> word;
  bool any = false;           ///< where these name none: the first warp
  std::uint32_t most = 1200;  ///< events of each warp: the last ones
  bool operator==(const RecordOptions &) const = default;
};

/// Memory that an access reached.
struct RecordedObject {
  ptx::Space space = ptx::Space::global;
  std::string name;  ///< of the allocation or variable; empty: outside all of them
  std::uint64_t bytes = 0;
  bool operator==(const RecordedObject &) const = default;
};

struct RecordedEvent {
  enum class Kind : std::uint8_t {
    compute,  ///< values that a line computed
    load,
    store,
    atomic,   ///< values: the words afterwards; before: what they were
    branch,   ///< taken: the lanes that jump
    arrive,   ///< at a barrier of the block
    release,  ///< from it
    sync,     ///< of the warp
    shuffle,  ///< from: by active lane, the lane whose value it gets
    leave,    ///< lanes end
    finding,  ///< text: the message
  };
  enum class Type : std::uint8_t {
    bits,
    whole,
    natural,
    real
  };  ///< of values: unknown, signed, unsigned, float
  Kind kind = Kind::compute;
  Type type = Type::bits;
  std::uint8_t bytes = 4;     ///< of one element
  std::uint8_t elements = 1;  ///< of each lane, one after the other
  std::uint32_t warp = 0;     ///< in Recording::warps
  std::uint32_t line = 0;     ///< in Recording::lines
  std::uint32_t mask = 0;     ///< active lanes
  std::uint32_t taken = 0;
  std::uint64_t when = 0;  ///< one time for all warps
  // by active lane
  std::vector<std::uint32_t> objects;  ///< in Recording::objects; one entry: of all lanes
  std::vector<std::int64_t> offsets;   ///< in bytes from the start of its object
  std::vector<std::uint64_t> values;   ///< bits, `elements` of each lane
  std::vector<std::uint64_t> before;
  std::vector<std::uint32_t> from;
  std::string text;
  bool operator==(const RecordedEvent &) const = default;
};
std::string_view name_of(RecordedEvent::Kind);  ///< "load"
std::string_view name_of(RecordedEvent::Type);

struct RecordedWarp {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;     ///< in its block
  std::uint32_t lanes = 0;    ///< that it has
  bool detailed = false;      ///< else only its barriers and its end are kept
  std::uint64_t dropped = 0;  ///< events before those that were kept
  bool operator==(const RecordedWarp &) const = default;
};

struct Recording {
  std::string kernel;  ///< demangled; empty: nothing was recorded
  Dim3 grid, block;
  std::vector<RecordedObject> objects;
  std::vector<SourceLine> lines;
  std::vector<std::string> paths;  ///< of the files of `lines`, as the compiler saw them; empty if unknown
  std::vector<RecordedWarp> warps;
  std::vector<RecordedEvent> events;  ///< `when` ascends
  std::uint32_t lane = 0;             ///< of the first warp: the one that matters
  std::string why_not;                ///< why there is none
  bool nearest = false;               ///< nobody wrote RecordOptions::word; this warp wrote next to it
  bool operator==(const Recording &) const = default;
};

/// Why a recording is none that a Recorder makes of RecordOptions::most; null if it may be one. Then every index
/// in it leads somewhere, and lists of lanes are as long as the lanes are many.
const char *flaw_of(const Recording &, std::uint32_t most);

WARPGRADE_FIELDS(RecordedWord, buffer, offset, bytes)
WARPGRADE_FIELDS(WarpPlace, block, warp)
WARPGRADE_FIELDS(RecordOptions, warps, findings, word, any, most)
WARPGRADE_FIELDS(RecordedObject, space, name, bytes)
WARPGRADE_FIELDS(RecordedEvent, kind, type, bytes, elements, warp, line, mask, taken, when, objects, offsets,
                 values, before, from, text)
WARPGRADE_FIELDS(RecordedWarp, block, warp, lanes, detailed, dropped)
WARPGRADE_FIELDS(Recording, kernel, grid, block, objects, lines, paths, warps, events, lane, why_not, nearest)

}  // namespace warpgrade::simt
