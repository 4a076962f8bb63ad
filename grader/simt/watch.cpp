#include "simt/watch.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "simt/block_run.hpp"

namespace warpgrade::simt {
namespace {

bool only_atomic(std::uint64_t writer) {
  return (writer & (writer_atomic | writer_pending)) == writer_atomic;
}

}  // namespace

std::uint64_t cells_of(const Allocation &allocation, std::uint32_t cell_shift) {
  return (allocation.bytes >> cell_shift) + 1;
}

std::vector<Allocation *> written_by(const LaunchState &state, std::uint64_t &cells) {
  std::vector<Allocation *> result;
  cells = 0;
  for (const WrittenPointer &one : state.program->written) {
    Address address = 0;
    if (!one.symbol.empty()) {
      const auto at = state.variables->find(one.symbol);
      if (at != state.variables->end()) address = at->second;
    } else if (std::size_t{one.offset} + 8 <= state.launch.arguments.size()) {
      std::memcpy(&address, state.launch.arguments.data() + one.offset, 8);
    }
    Allocation *found = state.memory->find(address, address);
    if (!found || !found->live || found->bytes == 0) continue;
    if (std::find(result.begin(), result.end(), found) != result.end()) continue;
    cells += cells_of(*found, state.program->global_shift);
    if (cells > most_cells) return {};
    result.push_back(found);
  }
  return result;
}

Snapshot take_snapshot(const std::vector<Allocation *> &allocations) {
  Snapshot made;
  for (Allocation *one : allocations) {
    Snapshot::Part part{one, {one->data.get(), one->data.get() + one->bytes}, {}};
    if (one->valid) part.valid.assign(one->valid.get(), one->valid.get() + one->bytes);
    made.parts.push_back(std::move(part));
  }
  return made;
}

void Snapshot::restore() const {
  for (const Part &part : parts) {
    std::copy(part.data.begin(), part.data.end(), part.allocation->data.get());
    if (part.valid.empty()) continue;
    std::copy(part.valid.begin(), part.valid.end(), part.allocation->valid.get());
    part.allocation->hole = 0;
  }
}

Watched watch(const Allocation &allocation, std::uint32_t cell_shift) {
  Watched made;
  made.allocation = &allocation;
  made.cells = static_cast<std::size_t>(cells_of(allocation, cell_shift));
  made.writers.reset(static_cast<std::uint64_t *>(std::calloc(made.cells, 8)));
  made.readers.reset(static_cast<std::uint64_t *>(std::calloc(made.cells, 8)));
  if (!made.writers || !made.readers) throw std::bad_alloc();
  return made;
}

bool conflict(const std::vector<Watched> &first, const std::vector<Watched> &second) {
  for (const Watched &a : first)
    for (const Watched &b : second) {
      if (a.allocation != b.allocation) continue;
      for (std::size_t i = 0; i < a.cells; ++i) {
        const std::uint64_t w = a.writers[i], v = b.writers[i], r = a.readers[i], q = b.readers[i];
        if ((w | v) == 0) continue;
        const bool atomics = (w == 0 || only_atomic(w)) && (v == 0 || only_atomic(v));
        if (!atomics && ((w != 0 && (v | q) != 0) || (v != 0 && (w | r) != 0))) return true;
      }
    }
  return false;
}

}  // namespace warpgrade::simt
