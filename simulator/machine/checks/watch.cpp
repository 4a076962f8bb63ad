#include "machine/checks/watch.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <optional>

#include "machine/block_run.hpp"

namespace warpgrade::simt {
std::uint64_t cells_of(const Allocation &allocation, std::uint32_t cell_shift) {
  return (allocation.bytes >> cell_shift) + 1;
}

std::vector<Allocation *> written_by(const LaunchState &state, std::uint64_t &cells, bool &all) {
  std::vector<Allocation *> result;
  cells = 0;
  all = true;
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
    const std::uint64_t more = cells_of(*found, state.program->global_shift);
    if (cells + more > most_cells) {
      all = false;
      continue;
    }
    cells += more;
    result.push_back(found);
  }
  return result;
}

Snapshot take_snapshot(const std::vector<Allocation *> &allocations, Snapshot spare) {
  spare.parts.resize(allocations.size());
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    Allocation *const one = allocations[i];
    Snapshot::Part &part = spare.parts[i];
    part.allocation = one;
    part.data.assign(one->data.get(), one->data.get() + one->bytes);
    part.valid.clear();
    if (one->valid) part.valid.assign(one->valid.get(), one->valid.get() + one->bytes);
  }
  return spare;
}

std::size_t Snapshot::bytes() const {
  std::size_t all = 0;
  for (const Part &part : parts) all += part.data.capacity() + part.valid.capacity();
  return all;
}

void Snapshot::restore() const {
  for (const Part &part : parts) {
    std::copy(part.data.begin(), part.data.end(), part.allocation->data.get());
    if (part.valid.empty()) {
      part.allocation->valid.reset();
      continue;
    }
    if (!part.allocation->valid) {  // all of it had been written since
      part.allocation->valid.reset(static_cast<std::uint8_t *>(std::malloc(part.valid.size())));
      if (!part.allocation->valid) throw std::bad_alloc();
    }
    std::copy(part.valid.begin(), part.valid.end(), part.allocation->valid.get());
    part.allocation->hole = 0;
  }
}

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

/// Shadow words of launches that have ended, found by their number; the most recent ones are last.
class ShadowPool {
 public:
  void put(Watched &&one) {
    const std::size_t bytes = bytes_of(one);
    if (bytes > most_bytes / 2) return;
    const std::scoped_lock lock(mutex_);
    while (bytes_ + bytes > most_bytes || kept_.size() >= most_entries) {
      bytes_ -= bytes_of(kept_.front());
      kept_.erase(kept_.begin());
    }
    kept_.push_back(std::move(one));
    bytes_ += bytes;
  }
  std::optional<Watched> take(std::size_t cells) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                    [cells](const Watched &one) { return one.cells == cells; });
    if (found == kept_.rend()) return std::nullopt;
    Watched taken = std::move(*found);
    bytes_ -= bytes_of(taken);
    kept_.erase(std::next(found).base());
    return taken;
  }
  void clear() {
    const std::scoped_lock lock(mutex_);
    kept_.clear();
    bytes_ = 0;
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{128} << 20;
  static constexpr std::size_t most_entries = 256;  // small ones cost more than their shadow words
  static std::size_t bytes_of(const Watched &one) {
    const bool strong = one.strong || one.idle_strong;
    return one.cells * sizeof(std::uint64_t) * (strong ? 5 : 3) + one.touched.size();
  }
  std::mutex mutex_;
  std::vector<Watched> kept_;
  std::size_t bytes_ = 0;
};

ShadowPool &pool() {
  static ShadowPool &kept =
      *new ShadowPool;  // not destroyed: a thread may still launch while the program exits
  return kept;
}

/// Zeros; null if the system has no memory left.
void *zeros(std::size_t bytes) {
  if (bytes < large_page) return std::calloc(bytes, 1);
  void *const made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return nullptr;
  madvise(made, bytes, MADV_HUGEPAGE);  // a hint: without it all is the same
  return made;
}

}  // namespace

Cells::Cells(std::size_t count) : bytes_(count * sizeof(std::uint64_t)) {
  void *made = zeros(bytes_);
  if (!made) {
    pool().clear();
    made = zeros(bytes_);
  }
  if (!made) throw std::bad_alloc();
  cells_ = static_cast<std::uint64_t *>(made);
}

Cells::~Cells() {
  if (bytes_ < large_page)
    std::free(cells_);
  else
    munmap(cells_, bytes_);
}

namespace {

constexpr std::size_t most_watched = 64;  // accesses search the list

}  // namespace

void add_writable(const LaunchState &state, std::vector<Allocation *> &watched, std::uint64_t &cells) {
  for (Allocation *const one : state.memory->writable()) {
    const std::uint64_t more = cells_of(*one, state.program->global_shift);
    if (watched.size() >= most_watched) return;
    if (one->on_heap || one->bytes == 0 || !state.reaches(*one) || cells + more > most_cells) continue;
    if (std::find(watched.begin(), watched.end(), one) != watched.end()) continue;
    cells += more;
    watched.push_back(one);
  }
}

void add_read(const LaunchState &state, std::vector<Allocation *> &watched, std::uint64_t &cells) {
  const auto add = [&](Address address) {
    Allocation *found = state.memory->find(address, address);
    if (!found || !found->live || found->bytes == 0) return;
    if (std::find(watched.begin(), watched.end(), found) != watched.end()) return;
    const std::uint64_t more = cells_of(*found, state.program->global_shift);
    if (cells + more > most_cells) return;
    cells += more;
    watched.push_back(found);
  };
  const std::vector<std::byte> &arguments = state.launch.arguments;
  for (std::size_t at = 0; at + 8 <= arguments.size(); at += 8) {
    Address address = 0;
    std::memcpy(&address, arguments.data() + at, 8);
    add(address);
  }
  for (const UniformRow &row : state.program->uniforms)
    if (const auto at = state.variables->find(row.symbol); at != state.variables->end()) add(at->second);
  if (state.launch.keeps_sources)  // other devices may write there at the same time
    for (const Allocation *one : state.memory->writable())
      if (one->owner != state.device && state.reaches(*one) && watched.size() < most_watched) add(one->begin);
  if (state.program->textures.empty()) return;
  for (const auto &[object, texture] : *state.textures)
    for (const Image &level : texture.levels) add(level.address);
}

void add_footprint(const std::vector<Watched> &watched, std::uint32_t cell_shift, Footprint &to,
                   const std::function<std::uint32_t(std::uint64_t cell)> &source) {
  const auto source_of = [&source](std::uint64_t cell) { return source ? source(cell) : 0; };
  for (const Watched &one : watched) {
    const Cells *const kinds[4] = {&one.readers, &one.writers, &one.strong_readers, &one.strong};
    for (std::size_t kind = 0; kind < 4; ++kind) {
      const std::uint64_t *const cells = kinds[kind]->get();
      if (!cells) continue;
      one.for_touched([&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          if (cells[i] == 0) continue;
          const std::size_t first = i;
          const std::uint32_t from = source_of(cells[i]);
          while (i + 1 < end && cells[i + 1] != 0 && source_of(cells[i + 1]) == from) ++i;
          to[kind].push_back(
              {one.allocation->begin + (std::uint64_t{first} << cell_shift),
               std::min(one.allocation->end(), one.allocation->begin + (std::uint64_t{i + 1} << cell_shift)),
               from});
        }
      });
    }
  }
}

void settle_footprint(Footprint &footprint) {
  for (std::vector<AddressRange> &ranges : footprint) {
    std::sort(ranges.begin(), ranges.end(),
              [](const AddressRange &a, const AddressRange &b) { return a.begin < b.begin; });
    std::vector<AddressRange> joined;
    for (const AddressRange &one : ranges)
      if (joined.empty() || one.begin > joined.back().end)
        joined.push_back(one);
      else if (one.source == joined.back().source)
        joined.back().end = std::max(joined.back().end, one.end);
      else if (one.end > joined.back().end)
        joined.push_back({joined.back().end, one.end, one.source});
    ranges = std::move(joined);
  }
}

namespace {

/// As before the launch that used them.
void clear(Watched &one) {
  one.for_touched([&one](std::size_t begin, std::size_t end) {
    for (Cells *cells : {&one.writers, &one.readers, &one.earlier, &one.strong, &one.strong_readers})
      if (*cells) std::fill(cells->get() + begin, cells->get() + end, 0);
  });
  std::fill(one.touched.begin(), one.touched.end(), std::uint8_t{0});
  if (!one.strong) return;
  one.idle_strong = std::move(one.strong);
  one.idle_strong_readers = std::move(one.strong_readers);
}

}  // namespace

Watched watch(const Allocation &allocation, std::uint32_t cell_shift) {
  const auto cells = static_cast<std::size_t>(cells_of(allocation, cell_shift));
  if (std::optional<Watched> kept = pool().take(cells)) {
    kept->allocation = &allocation;
    clear(*kept);
    return std::move(*kept);
  }
  Watched made;
  made.allocation = &allocation;
  made.cells = cells;
  made.writers = Cells(cells);
  made.readers = Cells(cells);
  made.earlier = Cells(cells);
  made.touched.resize((cells >> piece_shift) + 1);
  return made;
}

Shadow::~Shadow() {
  try {
    for (Watched &one : watched) pool().put(std::move(one));
  } catch (const std::bad_alloc &) {
    // then nothing is kept
  }
}

void forget_shadows() {
  pool().clear();
}

void Watched::strengthen() {
  if (strong) return;
  strong_readers = idle_strong_readers ? std::move(idle_strong_readers) : Cells(cells);
  strong = idle_strong ? std::move(idle_strong) : Cells(cells);
}

std::uint64_t Shadow::block_at(std::uint64_t cell) const {
  const std::pair<std::uint32_t, std::uint64_t> key(static_cast<std::uint32_t>(cell >> 32), UINT64_MAX);
  const auto after = std::upper_bound(starts.begin(), starts.end(), key);
  return after == starts.begin() ? running : std::prev(after)->second;
}

namespace {

/// What a worker did to a word, as bits.
struct Did {
  static constexpr unsigned write = 1, read = 2, strong_write = 4, strong_read = 8, all = 15;
};

/// Whether two workers' accesses to one word may be a race: by the bits of both.
std::array<bool, 256> clashes(bool narrow_scopes) {
  std::array<bool, 256> all{};
  const auto clash = [narrow_scopes](unsigned x, unsigned y) {
    if ((x & Did::write) != 0 && y != 0) return true;
    return (x & Did::strong_write) != 0 && (y & (narrow_scopes ? Did::all : Did::write | Did::read)) != 0;
  };
  for (unsigned x = 0; x < 16; ++x)
    for (unsigned y = 0; y < 16; ++y) all[x << 4 | y] = clash(x, y) || clash(y, x);
  return all;
}

/// Of one allocation. Each shadow word is read once for each worker: the accesses of earlier ones are added up.
bool conflict(const std::vector<const Watched *> &workers, const std::array<bool, 256> &clashes) {
  constexpr std::size_t together = 4096;  // shadow words of all workers that a cache holds
  std::array<std::uint8_t, together> before{};
  for (std::size_t first = 0; first < workers.front()->cells; first += together) {
    const std::size_t count = std::min(together, workers.front()->cells - first);
    const auto has_touched = [first, count](const Watched *one) {
      const auto begin = one->touched.begin() + static_cast<std::ptrdiff_t>(first >> piece_shift);
      const auto end =
          one->touched.begin() + static_cast<std::ptrdiff_t>((first + count - 1) >> piece_shift) + 1;
      return std::find(begin, end, 1) != end;
    };
    if (std::count_if(workers.begin(), workers.end(), has_touched) < 2) continue;
    before.fill(0);
    bool bad = false;
    for (const Watched *one : workers) {
      const bool strong = one->strong.get() != nullptr;
      for (std::size_t i = 0; i < count; ++i) {
        unsigned mine =
            (one->writers[first + i] != 0 ? Did::write : 0) | (one->readers[first + i] != 0 ? Did::read : 0);
        if (strong)
          mine |= (one->strong[first + i] != 0 ? Did::strong_write : 0) |
                  (one->strong_readers[first + i] != 0 ? Did::strong_read : 0);
        bad |= clashes[static_cast<std::size_t>(before[i]) << 4 | mine];
        before[i] = static_cast<std::uint8_t>(before[i] | mine);
      }
    }
    if (bad) return true;
  }
  return false;
}

}  // namespace

bool conflict(const std::vector<const std::vector<Watched> *> &workers, bool narrow_scopes) {
  const std::array<bool, 256> clash = clashes(narrow_scopes);
  std::map<const Allocation *, std::vector<const Watched *>> by_allocation;
  for (const std::vector<Watched> *worker : workers)
    for (const Watched &one : *worker) by_allocation[one.allocation].push_back(&one);
  return std::any_of(by_allocation.begin(), by_allocation.end(), [&clash](const auto &one) {
    return one.second.size() > 1 && conflict(one.second, clash);
  });
}

}  // namespace warpgrade::simt
