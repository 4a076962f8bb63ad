// Records what chosen warps do, for Options::record. A launch is run once as always; where there is something
// to record, once more from the same memory, with every operation of a copy of the program wrapped. So other
// launches pay one test of a pointer at the end of a basic block. Internal to simt.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/block_run.hpp"
#include "trace/recording.hpp"

namespace warpgrade::simt {

class Recorder {
 public:
  using Event = RecordedEvent;
  Recorder(const LaunchState &, std::shared_ptr<const Program> plain, std::vector<WarpPlace>,
           std::uint32_t most);

  /// Only this finding counts, not another one of the same warps.
  void wait_for(const Diagnostic &found) { awaited_ = found; }
  /// Whether the block that begins has warps to record.
  bool begins(std::uint64_t block, Dim3 index, std::uint32_t threads);
  /// Whether all that is wanted was seen: no other block has to run.
  bool is_complete(std::uint64_t next_block) const;
  bool takes(std::uint32_t warp) const { return warp < 32 && details_[warp] != nullptr; }
  const Op &plain(std::size_t index) const { return plain_->ops[index]; }

  // Around an operation of a warp that it takes. fails: the operation ends the launch
  void before(const Op &, Context &);
  void after(const Op &, Context &, bool fails);
  void forget() { access_.reset(); }

  void branch(Context &, const Block &, std::uint32_t mask, std::uint32_t taken);
  void arrive(BlockRun &, std::uint32_t warp, std::int32_t location, std::uint32_t mask);
  void release(BlockRun &, std::uint32_t warp, std::int32_t location, std::uint32_t mask);
  void leave(BlockRun &, std::uint32_t warp, std::int32_t location, std::uint32_t mask);
  void sync(Context &, const Block &, std::uint32_t mask);
  void finding(BlockRun &, const Diagnostic &);
  bool has_finding() const { return finding_; }

  Recording take();

 private:
  struct Log {
    RecordedWarp of;
    std::deque<Event> events;
    std::optional<Event> computed;    ///< not yet among them: the line may compute more
    std::uint32_t left = UINT32_MAX;  ///< events after the finding
    std::size_t wanted = 0;           ///< its place among those that are wanted
  };
  Event event(Event::Kind, std::int32_t location, std::uint32_t mask);
  void add(Log &, Event);
  void flush(Log &);
  void compute(const Op &, Context &, Log &);
  void shuffled(const Op &, Context &, Log &);
  void make_access(const Op &, Context &, const Site &);
  struct Place {
    ptx::Space space;
    std::uint64_t at;  ///< in the space
    std::string name;  ///< of the memory there
    std::uint64_t begin, bytes;
  };
  Place place_of_address(const BlockRun &, ptx::Space, std::uint64_t at) const;
  void read_words(Context &, const Site &, std::uint32_t mask, std::vector<std::uint64_t> &to) const;
  void read_rows(Context &, const Site &, std::uint32_t mask, std::vector<std::uint64_t> &to) const;
  std::uint32_t line(std::int32_t location);
  std::uint32_t object(ptx::Space, const std::string &name, std::uint64_t bytes);
  Event::Type type_of(const Site &) const;

  const LaunchState &launch_;
  std::shared_ptr<const Program> plain_;
  std::vector<bool> reaches_data_;  ///< by operation
  std::vector<WarpPlace> wanted_;
  std::uint32_t most_;
  std::vector<std::unique_ptr<Log>> logs_;
  std::array<Log *, 32> details_{}, outlines_{};  ///< of the block that runs, by warp
  std::map<SourceLine, std::uint32_t> line_numbers_;
  std::map<std::pair<ptx::Space, std::string>, std::uint32_t> object_numbers_;
  std::map<std::int32_t, std::string_view> opcodes_;  ///< by line of the PTX text
  Recording made_;
  std::uint64_t when_ = 0;
  bool finding_ = false;
  std::optional<Diagnostic> awaited_;
  std::optional<Event> access_;  ///< of the operation that runs
  std::array<std::uint64_t, 32> addresses_{};
  std::array<std::uint32_t, 32> from_{};
};

/// The same operations, each of which tells the recorder of its launch.
std::shared_ptr<const Program> with_recording(const Program &);

/// Remembers which warp wrote a word last.
struct WordWriter {
  std::uint64_t begin = 0, end = 0;     ///< addresses
  std::uint64_t distance = UINT64_MAX;  ///< of what was written, in bytes; 0: the word itself
  WarpPlace place;
  std::uint32_t lane = 0;
};
/// The same operations; its stores tell LaunchState::writer.
std::shared_ptr<const Program> with_writer(const Program &);

/// Runs the launch, and again with a recorder if there is something to record.
LaunchResult run_recorded(LaunchState &);

}  // namespace warpgrade::simt
