#include "report/program_page.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "base/files.hpp"
#include "explain/playback.hpp"
#include "grading/shared_arrays.hpp"
#include "report/debug.hpp"

namespace warpgrade::report {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_source = 1 << 20;

/// The place of the source in Recording::lines: that of the event that matters, if its file can be read.
std::size_t line_of_source(const simt::Recording &r) {
  std::size_t best = r.lines.size();
  for (const simt::RecordedEvent &e : r.events) {
    std::error_code error;
    const fs::path path = r.paths[e.line];
    if (path.empty() || !fs::is_regular_file(path, error) || fs::file_size(path, error) > most_source)
      continue;
    if (best == r.lines.size() || e.kind == simt::RecordedEvent::Kind::finding) best = e.line;
  }
  return best;
}

}  // namespace

void write_program_page(std::optional<simt::Recording> made, const std::string &file,
                        const std::string &program) {
  if (!made || made->events.empty()) {
    fmt::print(stderr, "simt: nothing was recorded, so {} was not written\n", file);
    return;
  }
  std::string summary = "No mistake was found; this is the first warp of the first kernel.";
  for (const simt::RecordedEvent &e : made->events)
    if (e.kind == simt::RecordedEvent::Kind::finding) summary = e.text;
  const std::size_t line = line_of_source(*made);
  const bool known = line < made->lines.size();
  const std::string name = known ? made->lines[line].file : "",
                    source = known ? read_whole(made->paths[line]) : "";
  explain::KnownShapes shapes;
  for (const grading::SharedArray &one : grading::shared_arrays_in(source))
    shapes.shared.push_back({one.name, one.row_bytes, one.bytes});
  const explain::Playback playback = explain::play(std::move(*made), shapes, {}, summary);
  write_whole(file, debug_to_html({playback, program, name, source}));
}

}  // namespace warpgrade::report
