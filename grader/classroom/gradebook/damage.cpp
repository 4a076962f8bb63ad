#include "gradebook/damage.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "base/text.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::gradebook {

int conclude_with_damage(const batch::Store &store, const course::Assignment &a, int status) {
  const std::vector<batch::Damage> all = batch::damage_in(store, a);
  if (all.empty()) return status;
  std::set<std::string> again;
  bool files = false;
  for (const batch::Damage &d : all) {
    fmt::print(stderr, "damaged: {}, {}: the {} (in {}, {})\n", for_terminal(d.student), d.step,
               d.of_file ? "file that was handed in" : "stored result", store.folder().string(), d.place);
    files |= d.of_file;
    if (!d.of_file) again.insert(shell_word(d.student));
  }
  const std::string folder = shell_word(store.folder().string());
  fmt::print(stderr,
             "Everything else was done. The disk, or the copy that this store came from, may be faulty.\n");
  if (files)
    fmt::print(stderr, "To store damaged files again: gradebook run SUBMISSIONS --assignment {} --out {}\n",
               a.name, folder);
  if (!again.empty())
    fmt::print(stderr, "To grade damaged results again: gradebook regrade {} {}\n", folder,
               for_terminal(fmt::format("{}", fmt::join(again, " "))));
  return grader_failed;
}

}  // namespace warpgrade::gradebook
