// Writes the journal of this process while the program runs: findings immediately, sums at the end.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/device.hpp"
#include "runtime/journal/journal.hpp"

namespace warpgrade::cuda {

class JournalWriter {
 public:
  /// folder: empty to write nothing but sentences to standard error
  explicit JournalWriter(std::string folder);

  /// Counts a finding of the same place again instead of listing it twice.
  void note(Finding);
  void note_launch(const std::string &kernel, std::uint64_t threads, const simt::Counters &);
  void note_timing();
  void note_operation(const links::Operation &);
  /// Replaces the recording of this process.
  void keep(const simt::Recording &) const;
  /// This process is a copy that writes what its dying original found.
  void adopt();

  /// Sums so far. Later calls add nothing unless the program went on.
  void finish(bool ended_by_itself);
  std::uint64_t launches() const { return launches_; }

 private:
  void open();
  void write(const std::string &);
  std::string folder_;
  long process_ = 0;
  int descriptor_ = -1;
  std::vector<Finding> findings_;
  std::vector<std::uint64_t> written_;        ///< counts that the file has
  std::map<std::string, std::size_t> known_;  ///< place of a finding
  std::map<std::string, KernelTotals> kernels_;
  std::uint64_t launches_ = 0;
  bool timed_ = false, finished_ = false;
};

/// Plain facts of the simulator as a finding.
Finding finding_of(const simt::Diagnostic &);

}  // namespace warpgrade::cuda
