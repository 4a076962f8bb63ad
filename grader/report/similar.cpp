#include "report/similar.hpp"

#include "base/csv.hpp"
#include "platforms/grades.hpp"

namespace warpgrade::report {

std::string dolos_csv(const std::vector<HandedSource> &sources) {
  std::string csv = csv_row({"filename", "label", "created_at", "full_name"});
  for (const HandedSource &s : sources)
    csv += csv_row({csv_text(s.path), csv_text(s.step), platforms::utc(s.handed_in), csv_text(s.student)});
  return csv;
}

}  // namespace warpgrade::report
