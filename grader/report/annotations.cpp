// The workflow commands by which GitHub Actions shows a message beside a line of a pull request.
#include <fmt/format.h>

#include "report/faults.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

/// The characters that would end a command, or a property of it, as %XX.
std::string escaped(const std::string &text, std::string_view special) {
  std::string all;
  for (const char c : for_json(text))
    all += special.find(c) == std::string_view::npos ? std::string(1, c)
                                                     : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return all;
}

constexpr std::string_view of_message = "%\r\n", of_property = "%\r\n:,";

}  // namespace

std::string to_annotations(const Report &whole, const std::string &folder) {
  const Discreet discreet(whole);
  std::string text;
  for (const Fault &fault : faults_of(discreet)) {
    const std::string_view command = fault.level == Fault::Level::note ? "notice" : name_of(fault.level);
    const std::string file = folder.empty() || folder == "." ? fault.file : folder + "/" + fault.file;
    text += fmt::format("::{} file={}", command, escaped(file, of_property));
    if (fault.line > 0) text += fmt::format(",line={}", fault.line);
    text += fmt::format(",title={}::{}\n", escaped(fault.rule, of_property), escaped(fault.text, of_message));
  }
  return text;
}

}  // namespace warpgrade::report
