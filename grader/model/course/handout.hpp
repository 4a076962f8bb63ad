// A handout as its author wrote it: handouts/<name>.md. Its head, YAML between two lines of dashes, defines
// the pictures and the mistakes to show; the rest is Markdown with placeholders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade::course {

/// A picture of what the solution of a step does, or of measurements.
struct Figure {
  enum class Kind : std::uint8_t {
    threads,   ///< what a few threads of a warp read and write in each matrix
    sectors,   ///< the lanes of one request over sectors of memory
    tiles,     ///< the tiles that a block reads, stride by stride
    results,   ///< the results that one thread stores
    banks,     ///< a request over the banks of shared memory
    fragment,  ///< which lane holds which element of a product on tensor cores
    devices,   ///< what each of several devices holds
    ring,      ///< an all-reduce around a ring of devices
    roofline,  ///< all steps under the roof of a GPU
  };
  std::string name;
  Kind kind = Kind::threads;
  std::string step;          ///< its solution is run; empty for a roofline, a fragment and a ring
  std::string fixture;       ///< run in its place: a folder of the tests' submissions; empty: the solution
  problem::Case at;          ///< the case that is simulated
  std::uint64_t block = 0;   ///< in the grid, x counting fastest
  std::uint32_t warp = 0;    ///< in its block
  std::vector<int> lanes;    ///< of that warp
  std::string buffer;        ///< sectors: which buffer's first load
  std::uint32_t bytes = 16;  ///< banks: the first access of this many bytes per lane
  bool store = false;        ///< banks: that access is a store
  std::size_t devices = 2;   ///< ring: how many
  std::string gpu;           ///< roofline: a thresholds file, such as nvidia-h200
  int line = 0;              ///< of the head, for messages
};

/// A submission from the tests whose verdict is shown as an example.
struct Mistake {
  std::string name, step;
  std::string fixture;              ///< "race/missing_first_barrier": its folder, after its verdict
  std::optional<problem::Case> on;  ///< graded at this case; none: its counters are explained
  int line = 0;
};

/// An example beside the handouts, recorded step by step. It is no answer to any step: students read all of it.
struct Tour {
  std::string name, step;  ///< whose launcher it defines
  std::string example;     ///< its file, from the folder of the handouts
  std::string without;     ///< a text that is there once and is taken out, so that there is something to find
  problem::Case at;
  int line = 0;
};

struct Handout {
  std::string file;  ///< for messages
  std::string body;
  int body_line = 1;     ///< the file's line at which it begins
  std::string compared;  ///< another such file, of another GPU or from a document; empty: none
  std::string measured;  ///< the file beside it written by `grade bench --json`; empty: none
  std::vector<Figure> figures;
  std::vector<Mistake> mistakes;
  std::vector<Tour> recordings;
  std::string language = "en";  ///< as HTML names it
  /// For a translation, the file beside it that provides its measurements, figures, mistakes and recordings; empty: none.
  std::string translates;
  std::map<std::string, std::string>
      words;  ///< of a translation: English phrases that placeholders stand for
};

/// The assignment of handouts/NAME.md, or of its translation handouts/NAME.LANGUAGE.md.
std::string assignment_of_handout(const std::string &stem);

/// The translations beside handouts/NAME.md: handouts/NAME.LANGUAGE.md. Sorted.
std::vector<std::filesystem::path> translations_of(const std::filesystem::path &handout);

/// Reads the file that it translates, too. Throws ConfigError.
Handout read_handout(const std::filesystem::path &file, const Assignment &);
Handout parse_handout(const std::string &text, const std::string &file, const Assignment &);

}  // namespace warpgrade::course
