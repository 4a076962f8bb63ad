#include "batch/bundle.hpp"

#include <algorithm>

namespace warpgrade::batch {

namespace {

std::string first_line(const std::string &header) {
  return "\n// ==== " + header + " ====\n";
}

}  // namespace

std::string bundle(const course::Step &step, std::string file,
                   const std::map<std::string, std::string> &headers) {
  for (const std::string &name : step.headers)
    if (const auto header = headers.find(name); header != headers.end())
      file += first_line(name) + header->second;
  return file;
}

std::map<std::string, std::string> unbundle(const course::Step &step, std::string_view text) {
  // From the end: headers stand behind the file, in the order in which the step names them.
  std::map<std::string, std::string> files;
  for (auto name = step.headers.rbegin(); name != step.headers.rend(); ++name) {
    const std::string line = first_line(*name);
    const std::size_t at = text.rfind(line);
    if (at == std::string_view::npos) continue;
    files[*name] = text.substr(at + line.size());
    text = text.substr(0, at);
  }
  files[step.file] = text;
  return files;
}

}  // namespace warpgrade::batch
