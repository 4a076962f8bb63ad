#include "program/call_lines.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "base/process.hpp"

namespace warpgrade::program {
namespace {

using links::CodePlace;

constexpr std::size_t most_places = 1000;  // one command line
constexpr double most_seconds = 20;

/// A header whose functions stand for calls of the runtime.
bool is_of_cuda(const ptx::SourceLine &at) {
  return at.file == "cuda_runtime.h" || at.file == "cuda_runtime_api.h";
}

/// "main.cu:12 (discriminator 3)"; line 0: "??:?"
ptx::SourceLine line_of(const std::string &text) {
  const std::size_t colon = text.rfind(':', text.find(" (discriminator"));
  if (colon == std::string::npos) return {};
  const std::string name = std::filesystem::path(text.substr(0, colon)).filename();
  const int line = std::atoi(text.c_str() + colon + 1);
  return line > 0 ? ptx::SourceLine{name, line} : ptx::SourceLine{};
}

std::map<CodePlace, ptx::SourceLine> look_up(const std::filesystem::path &file,
                                             const std::vector<CodePlace> &places) {
  std::vector<std::string> words = {"addr2line", "-a", "-i", "-e", file.string()};
  for (const CodePlace &one : places) words.push_back(fmt::format("{:#x}", one.at));
  std::map<CodePlace, ptx::SourceLine> found;
  try {
    const CommandOutcome outcome = run_command(words, most_seconds);
    if (!outcome.ok()) return found;
    const std::vector<ptx::SourceLine> lines = lines_in(outcome.out, places.size());
    for (std::size_t i = 0; i < places.size(); ++i) found[places[i]] = lines[i];
  } catch (const std::system_error &) {  // a report without lines is still a report
  }
  return found;
}

}  // namespace

std::vector<ptx::SourceLine> lines_in(const std::string &output, std::size_t count) {
  std::vector<ptx::SourceLine> all(count);
  std::size_t place = 0;
  std::istringstream in(output);
  for (std::string text; std::getline(in, text);)
    if (text.starts_with("0x"))
      ++place;
    else if (place > 0 && place <= count && (all[place - 1].line == 0 || is_of_cuda(all[place - 1])))
      all[place - 1] = line_of(text);
  return all;
}

void find_call_lines(std::vector<links::Operation> &operations, const std::filesystem::path &program) {
  std::map<std::string, std::set<CodePlace>> wanted;  // by file
  std::size_t count = 0;
  for (const links::Operation &one : operations)
    for (const CodePlace &caller : one.callers)
      if (count < most_places) count += wanted[caller.file].insert(caller).second ? 1 : 0;
  std::map<CodePlace, ptx::SourceLine> lines;
  for (const auto &[file, places] : wanted)
    lines.merge(
        look_up(file.empty() ? program : std::filesystem::path(file), {places.begin(), places.end()}));
  for (links::Operation &one : operations)
    for (const CodePlace &caller : one.callers) {
      const auto line = lines.find(caller);
      if (line == lines.end() || line->second.line == 0) break;  // what called that says too little
      if (is_of_cuda(line->second)) continue;
      for (links::Transfer &t : one.transfers) t.at = line->second;
      break;
    }
}

}  // namespace warpgrade::program
