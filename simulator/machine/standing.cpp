// Where the warps of a launch are when it is interrupted, and the word that they wait for.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/block_run.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

/// The flag of a loop is read at most this many basic blocks from the warp's place.
constexpr std::uint32_t most_distance = 6;

bool reads_a_flag(const Site &site) {
  if (site.mbarrier || site.space == ptx::Space::shared) return false;
  return site.action == Site::Action::atomic || (site.is_volatile && site.action == Site::Action::load);
}

bool may_change_nothing(const Site &site) {
  return site.action == Site::Action::atomic && static_cast<AtomicKind>(site.atomic) != AtomicKind::exch;
}

}  // namespace

Side BlockRun::place_now() const {
  if (!warp) return {};
  if (warp->groups.empty()) return side(context.warp, 0, {});
  const Group &group = warp->groups.front();
  const Block &block = program.blocks[group.block];
  return side(context.warp, static_cast<std::uint32_t>(__builtin_ctz(group.mask ? group.mask : 1)),
              line_of(block.last > block.first ? program.op_locations[block.first] : block.location));
}

std::map<SourceLine, std::uint32_t> BlockRun::standing() const {
  std::map<SourceLine, std::uint32_t> lines;
  for (const Warp &w : warps_) {
    if (w.state == Warp::State::done || w.groups.empty()) continue;
    const Block &block = program.blocks[w.groups.front().block];
    ++lines[line_of(block.last > block.first ? program.op_locations[block.first] : block.location)];
  }
  return lines;
}

std::string BlockRun::awaited_word() {
  if (!warp || warp->groups.empty()) return {};
  const Group &group = warp->groups.front();
  const Op *found = nullptr;
  for (std::uint32_t distance = 0; distance <= most_distance && !found; ++distance)
    for (const std::uint32_t at : {group.block - std::min(group.block, distance), group.block + distance}) {
      if (found || at >= program.blocks.size()) continue;
      for (std::uint32_t i = program.blocks[at].first; i < program.blocks[at].last; ++i) {
        const Op &op = program.ops[i];
        if (op.accesses_memory && reads_a_flag(program.sites[op.site])) found = &op;
      }
    }
  if (!found) return {};
  const Site &site = program.sites[found->site];
  std::uint64_t addresses[32];
  set_mask(context, group.mask);
  addresses_of(*found, site, context, addresses);
  const Address address = addresses[first_lane(group.mask)];
  const Allocation *const there = launch.memory->find(address, address + site.bytes);
  if (!there || !there->live || !there->data || site.bytes > 8) return {};
  const std::uint64_t at = address - there->begin;
  std::uint64_t value = 0;
  std::memcpy(&value, there->data.get() + at, site.bytes);
  std::string text =
      fmt::format("; the thread reads element {} of {}, which is {}", at / site.bytes, there->name, value);
  std::uint64_t writer = 0;
  if (const Watched *cells = watched(*there, false); cells && cells->writers) {
    const std::uint64_t cell = at >> program.global_shift;
    writer = cells->writers[cell];
    const Flag *const flag = order.global.tracked() ? shared_shadow->flags.find(address) : nullptr;
    const std::uint64_t strong = flag ? flag->changed_by : cells->strong ? cells->strong[cell] : 0;
    if (strong > writer) writer = strong;
    // Not every atomic changes its word, and here nobody has noted which did.
    if (!flag && writer == strong && writer != 0 &&
        may_change_nothing(program.sites[writer >> 12 & cell_sites]))
      return text;
  }
  if (writer == 0) return text + "; this launch has not written it";
  const Side last = side_of(writer);
  return text + fmt::format("; thread ({},{},{}) of block ({},{},{}) wrote it last, in {}:{}", last.thread.x,
                            last.thread.y, last.thread.z, last.block.x, last.block.y, last.block.z,
                            last.at.file, last.at.line);
}

/// The program is terminated while the launch runs: reports what is known of it.
void BlockRun::report_interruption(std::uint64_t instructions) {
  fail(diagnostic(Code::time_limit, Severity::error, place_now(),
                  fmt::format("the kernel was still running when the program was ended, after {} warp "
                              "instructions{}",
                              instructions, awaited_word())),
       Status::time_limit);
}

}  // namespace warpgrade::simt
