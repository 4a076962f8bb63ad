// Strong loads of words to which the thread adds before it stores them again, while another thread has done something
// there without a happens-before order: the store loses an update. Internal to simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgrade::simt {

class UpdatesInProgress {
 public:
  void clear() { begun_.clear(); }
  /// The thread loads the word. cell: the shadow word of what another thread has done there; 0: nothing
  void begin(std::uint32_t thread, std::uint64_t address, std::uint64_t cell) {
    constexpr std::size_t most = 1024;
    end(thread, address);
    if (cell != 0 && begun_.size() < most) begun_.push_back({thread, address, cell});
  }
  /// It stores the word. Returns the cell with which it began; 0 if that was in order.
  std::uint64_t end(std::uint32_t thread, std::uint64_t address) {
    for (auto one = begun_.begin(); one != begun_.end(); ++one) {
      if (one->thread != thread || one->address != address) continue;
      const std::uint64_t cell = one->cell;
      begun_.erase(one);
      return cell;
    }
    return 0;
  }

 private:
  struct Begun {
    std::uint32_t thread;
    std::uint64_t address, cell;
  };
  std::vector<Begun> begun_;
};

}  // namespace warpgrade::simt
