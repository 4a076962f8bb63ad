// A Markdown report that a student writes around measurements: between a mark
//
//     <!-- measured: curve step=matmul sizes=256:2048:64 -->
//     <!-- end -->
//
// the program inserts its text, again each time; everything else is the student's and stays unchanged.
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

/// The request of one mark.
struct Mark {
  std::string name;                           ///< "curve"
  std::map<std::string, std::string> wanted;  ///< "step": "matmul"; values may be in quotes
  int line = 0;                               ///< its line, from 1
};

/// `text` with the result of `measured` for each mark between it and its end. Throws MarkError before
/// anything is called. Exceptions of `measured` pass through.
std::string fill_in(const std::string &text, const std::string &file,
                    const std::function<std::string(const Mark &)> &measured);

/// A Markdown table; all columns except the first are right-aligned. `rows` have as many cells as `head`.
std::string markdown_table(const std::vector<std::string> &head,
                           const std::vector<std::vector<std::string>> &rows);

}  // namespace warpgrade::report
