// Races in global memory: shadow words for what a launch writes, as for shared memory. Internal to simt.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decode/context.hpp"
#include "decode/program.hpp"
#include "machine/checks/held.hpp"
#include "machine/checks/order.hpp"
#include "machine/memory.hpp"

namespace warpgrade::simt {

struct LaunchState;

/// Shadow words, initially 0. Untouched pages cost nothing, and large ones are used where the system has
/// them: one fault for 2 MiB instead of 512.
class Cells {
 public:
  Cells() = default;
  /// throws std::bad_alloc
  explicit Cells(std::size_t count);
  Cells(Cells &&other) noexcept { swap(other); }
  Cells &operator=(Cells &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Cells();
  std::uint64_t *get() const { return cells_; }
  std::uint64_t &operator[](std::size_t index) const { return cells_[index]; }
  explicit operator bool() const { return cells_ != nullptr; }

 private:
  void swap(Cells &other) noexcept {
    std::swap(cells_, other.cells_);
    std::swap(bytes_, other.bytes_);
  }
  std::uint64_t *cells_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The shadow words of one allocation, of one worker, as in context.hpp; Shadow identifies the block.
struct Watched {
  const Allocation *allocation = nullptr;
  Cells writers, readers;        ///< plain accesses
  Cells earlier;                 ///< a reader before the last one, another thread
  Cells strong, strong_readers;  ///< atomics and strong stores; strong loads. Null until there is one
  std::size_t cells = 0;
  /// 1 for each piece of 1 << piece_shift shadow words that an access may have changed. What goes through all
  /// shadow words after a launch leaves out the others.
  std::vector<std::uint8_t> touched;
  Cells idle_strong, idle_strong_readers;  ///< of an earlier launch, cleared: see watch()

  void strengthen();
  void touch(std::uint64_t cell) { touched[cell >> piece_shift] = 1; }
  /// Calls visit(first, end) for runs of shadow words, in ascending order, outside of which all are 0.
  template <class Visit>
  void for_touched(const Visit &visit) const {
    for (std::size_t piece = 0; piece < touched.size(); ++piece) {
      if (touched[piece] == 0) continue;
      const std::size_t first = piece;
      while (piece + 1 < touched.size() && touched[piece + 1] != 0) ++piece;
      visit(first << piece_shift, std::min(cells, (piece + 1) << piece_shift));
    }
  }
};

/// The shadow of a launch's accesses. Each worker has one; blocks that take turns share one.
struct Shadow {
  Shadow() = default;
  Shadow(const Shadow &) = delete;
  Shadow &operator=(const Shadow &) = delete;
  ~Shadow();  ///< keeps the shadow words for a later launch

  std::uint32_t time = 0;
  std::vector<Watched> watched;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> starts;  ///< when each block began to run
  std::uint64_t running = UINT64_MAX;
  std::uint64_t begun = 0;    ///< how many blocks have begun
  std::uint32_t version = 0;  ///< grows when sites must find their ranges anew
  Flags flags;
  Guards guards;
  /// Words whose first write was an exchange that found nothing: its cell.
  std::unordered_map<std::uint64_t, std::uint64_t> exchanged;
  std::uint32_t proxy_fence = 0;  ///< the last fence.proxy.async for global memory, of any block
  /// The block that ran at the time of a cell.
  std::uint64_t block_at(std::uint64_t cell) const;
};

/// Contents of the memory that a launch writes, to restart from.
struct Snapshot {
  struct Part {
    Allocation *allocation;
    std::vector<std::byte> data;
    std::vector<std::uint8_t> valid;
  };
  std::vector<Part> parts;
  void restore() const;
  std::size_t bytes() const;
};

/// Of one worker: each takes 24 bytes of the host's memory, 40 if there are atomics or strong accesses.
constexpr std::uint64_t most_cells = std::uint64_t{1} << 26;
std::uint64_t cells_of(const Allocation &, std::uint32_t cell_shift);

/// Live allocations that the kernel's stores may reach, as far as its text and arguments show, and how many
/// shadow words they have, at most most_cells. all: there are no more.
std::vector<Allocation *> written_by(const LaunchState &, std::uint64_t &cells, bool &all);
/// Adds memory that the kernel may write through pointers that its text does not show, as far as
/// most_cells allows.
void add_writable(const LaunchState &, std::vector<Allocation *> &, std::uint64_t &cells);
/// Adds live allocations that an argument points into, that the kernel names, or that a texture or surface
/// uses, as far as most_cells allows.
void add_read(const LaunchState &, std::vector<Allocation *> &, std::uint64_t &cells);
/// Adds the accesses to `to`. source: the number that a range gets for a cell; null: all get 0
void add_footprint(const std::vector<Watched> &, std::uint32_t cell_shift, Footprint &to,
                   const std::function<std::uint32_t(std::uint64_t cell)> &source);
/// Sorts what several workers have added.
void settle_footprint(Footprint &);
/// spare: an earlier one, whose memory it uses.
Snapshot take_snapshot(const std::vector<Allocation *> &, Snapshot spare = {});
/// Shadow words that are all 0: those of an earlier launch, if an allocation of that size was watched, since
/// to clear what it touched costs less than new pages.
Watched watch(const Allocation &, std::uint32_t cell_shift);

/// Gives back the memory that is kept for later launches.
void forget_shadows();

/// Whether blocks of different workers may race: two of them accessed one word, at least one of them wrote it,
/// and at least one access was plain, or narrow_scopes says that an atomic may not count for the other block.
bool conflict(const std::vector<const std::vector<Watched> *> &workers, bool narrow_scopes);

}  // namespace warpgrade::simt
