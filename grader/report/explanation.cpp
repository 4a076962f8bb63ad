#include "report/explain.hpp"

namespace warpgrade::report {

explain::Explanation explanation_of(const grading::CounterRecord &record) {
  explain::Bounds bounds;
  bounds.may_use_shared = !record.shared_forbidden;
  if (record.shared_room) bounds.shared_room = *record.shared_room;
  for (const grading::SharedArray &a : record.shared_arrays)
    bounds.arrays.push_back({a.name, a.row_bytes, a.bytes});
  return explain::explain(record.counts, record.samples, record.outputs_per_thread, bounds);
}

}  // namespace warpgrade::report
