// The values of a handout's placeholders. Internal to report.
#pragma once

#include "report/handout.hpp"
#include "report/html_page.hpp"

namespace warpgrade::report {

/// docs/handouts.md lists them.
Fields handout_fields(const HandoutFacts &);

}  // namespace warpgrade::report
