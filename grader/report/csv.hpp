// Comma-separated values (RFC 4180) that a spreadsheet shows as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::report {

/// Text from outside: one that a spreadsheet would take for a formula gets an apostrophe in front; control
/// characters and bytes that are no text are written as escapes; quoted where a comma, a quote or a line's
/// end is in it.
std::string csv_text(std::string_view);
/// Points, without needless digits: "14", "13.5".
std::string csv_points(double);
/// Cells that are ready, and the line's end.
std::string csv_row(const std::vector<std::string> &cells);

}  // namespace warpgrade::report
