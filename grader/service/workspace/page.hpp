// The page of the workspace as data, and the files that it loads: the style, the script, and the editor where the build had
// npm. Every text is escaped here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/service_page.hpp"
#include "service/workspace/facts.hpp"

namespace warpgrade::service {

struct Asset {
  std::string type, text;
};
/// "/workspace.js", "/style.css", "/editor.js"; nothing for other names, and for an editor that the build lacks.
std::optional<Asset> asset_named(const std::string &);

struct Tab {
  std::string text, link;
  bool here = false;
};

struct WorkspacePage {
  report::ServicePage frame;  ///< without sections
  std::string nonce;          ///< for the styles that the editor makes
  std::string address;        ///< of the step; forms are sent there
  std::string file, text, remark;
  std::int64_t based_on = 0;  ///< the version that the text is, or changes
  std::string closed;         ///< why nothing can be handed in; empty: it can
  std::vector<Tab> steps, files;
  std::vector<std::pair<std::string, std::string>> beside;  ///< files to read: name and text
  bool handout = false;
  bool can_lay_out = false;  ///< this machine has clang-format
  WorkspaceFacts facts;
};

std::string to_html(const WorkspacePage &);

}  // namespace warpgrade::service
