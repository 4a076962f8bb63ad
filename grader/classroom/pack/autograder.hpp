// A zip that Gradescope takes as the autograder of an assignment.
#pragma once

#include <string>

namespace warpgrade::pack {

/// ./gradebook autograder: writes the file `out`. It holds the hidden cases. Gives the exit status; throws
/// UsageError, also where the students of the assignment have variants, which an autograder does not know.
int pack_autograder(const std::string &assignment, const std::string &out);

}  // namespace warpgrade::pack
