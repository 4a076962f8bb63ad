#include "machine/wait_detector.hpp"

#include <algorithm>
#include <cstddef>

namespace warpgrade::simt {
namespace {

// In basic blocks; one that may spin counts as many where warps have long turns.
constexpr std::uint32_t window_alone = 1 << 18, window_together = 1 << 11;
constexpr std::size_t most_words = 1 << 18, most_stored_words = 1 << 12;
constexpr std::uint32_t longest_pause = 1 << 10;  // in windows

}  // namespace

void WaitDetector::begin(bool together) {
  *this = {};
  together_ = together;
}

void WaitDetector::limit_words() {
  if (words_.size() <= most_words) return;
  words_.clear();
  fresh_ = true;
}

bool WaitDetector::note_store(std::uint64_t address, std::uint64_t value) {
  looks_ = 0;
  if (acted_) return false;
  const auto [known, fresh] = stored_.try_emplace(address, value);
  stores_change_ = stores_change_ || (!fresh && known->second != value);
  known->second = value;
  fresh_ = fresh_ || fresh;
  acted_ = fresh && (windows_ > 1 || stored_.size() > most_stored_words);
  return !acted_;
}

void WaitDetector::pause_if_acted() {
  if (!acted_) return;
  pause_ = std::min(2 * pause_ + 1, longest_pause);
  rest_ = pause_;
  recording_ = false;
}

void WaitDetector::end_turn(std::uint32_t executed) {
  if (acted_ || changed_) waits_ = false;
  executed_ += executed;
  if (executed_ < (together_ ? window_together : window_alone)) return;
  const bool suspect = reads_ && !acted_;
  waits_ = recording_ && suspect && !changed_ && !fresh_;
  works_ = waits_ && stores_change_;
  if (!suspect || changed_) {
    words_.clear();
    stored_.clear();
    windows_ = 0;
  }
  recording_ = suspect && rest_ == 0;
  windows_ = recording_ ? windows_ + 1 : 0;
  rest_ -= rest_ == 0 ? 0 : 1;
  executed_ = 0;
  reads_ = acted_ = changed_ = fresh_ = stores_change_ = false;
}

}  // namespace warpgrade::simt
