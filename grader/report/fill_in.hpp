// A report in Markdown that a student writes around what is measured: between a mark
//
//     <!-- measured: curve step=matmul sizes=256:2048:64 -->
//     <!-- end -->
//
// stands what the program puts there, anew each time; everything else is the student's and stays as it is.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgrade::report {

/// A mark that cannot be read: "report.md:12: what is wrong".
class MarkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What one mark asks for.
struct Mark {
  std::string name;                           ///< "curve"
  std::map<std::string, std::string> wanted;  ///< "step": "matmul"; values may stand in quotes
  int line = 0;                               ///< where it stands, from 1
};

/// `text` with what `measured` gives for each mark between it and its end. Throws MarkError; nothing was
/// called then. What `measured` throws passes through.
std::string fill_in(const std::string &text, const std::string &file,
                    const std::function<std::string(const Mark &)> &measured);

/// A Markdown table; columns but the first stand on the right. `rows` have as many cells as `head`.
std::string markdown_table(const std::vector<std::string> &head,
                           const std::vector<std::vector<std::string>> &rows);

}  // namespace warpgrade::report
