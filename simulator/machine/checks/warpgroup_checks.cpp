// What programs get wrong around products of warpgroups: registers and shared memory that are touched before
// the wait, and fences that are missing.
#include "machine/checks/warpgroup_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t found_around_products = std::uint64_t{1} << 60;

/// Which of a product's mistakes a report is about.
enum class Mistake : std::uint8_t { read, written, changed, unfenced, never_fenced, overwritten, released };
static_assert(static_cast<int>(Mistake::changed) == static_cast<int>(ProductRegisters::Mistake::changed));

std::uint64_t handle_of(Mistake mistake, std::uint64_t here, std::uint64_t there) {
  return found_around_products | static_cast<std::uint64_t>(mistake) << 56 | (here & 0xFFFFFFF) << 28 |
         (there & 0xFFFFFFF);
}

std::uint64_t index_of(const Op &op, const BlockRun &run) {
  return static_cast<std::uint64_t>(&op - run.program.ops.data());
}

/// Whether threads may communicate through words in memory.
bool uses_flags(const Program &program) {
  return std::any_of(program.ops.begin(), program.ops.end(), [&program](const Op &op) {
    if (!op.accesses_memory) return false;
    const Site &site = program.sites[op.site];
    return site.is_volatile || (!site.bulk && !site.mbarrier &&
                                (site.action == Site::Action::atomic || site.action == Site::Action::reduce));
  });
}

void report_touch(BlockRun &run, const Op &op, std::uint32_t sequence, ProductRegisters::Mistake mistake) {
  const WarpProducts &own = run.products.of(run.context.warp);
  const auto product =
      std::find_if(own.flying.begin(), own.flying.end(),
                   [sequence](const FlyingProduct &one) { return one.sequence == sequence; });
  if (product == own.flying.end()) return;
  const std::uint64_t handle =
      handle_of(static_cast<Mistake>(mistake), index_of(op, run), index_of(*product->op, run));
  if (run.findings.enough_races() || run.count_known(handle, Code::race, Severity::error)) return;
  static constexpr const char *words[] = {
      "this line reads a result of wgmma that may not be complete yet",
      "this line writes a register in which wgmma still sums up",
      "this line changes a register of a fragment of A that wgmma may still read"};
  const std::uint32_t lane = first_lane(run.context.mask);
  Diagnostic made =
      run.diagnostic(Code::race, Severity::error, run.here(lane, op),
                     fmt::format("{}: wait for the product (wgmma.commit_group, wgmma.wait_group) first",
                                 words[static_cast<int>(mistake)]));
  made.other = run.here(lane, *product->op);
  run.note(std::move(made), handle);
}

void report_overwritten(BlockRun &run, const FlyingProduct &product, const ProductSource &source) {
  std::uint64_t newest = 0;
  const std::uint32_t shift = run.cell_shift();
  for (std::uint32_t i = source.offset >> shift; i <= (source.offset + bytes_of_piece - 1) >> shift; ++i)
    newest = std::max(newest, run.shared.settled_writer(i));
  const std::uint64_t site = newest >> 12 & cell_sites;
  const std::uint64_t handle = handle_of(Mistake::overwritten, index_of(*product.op, run), site);
  if (run.findings.enough_races() || run.count_known(handle, Code::race, Severity::error)) return;
  Diagnostic made = run.diagnostic(
      Code::race, Severity::error, run.here(0, *product.op),
      "shared memory was written while wgmma may still have read it: wait for the product (wgmma.wait_group) "
      "before the memory is used again");
  if (site < run.program.sites.size())
    made.other =
        run.side(static_cast<std::uint32_t>((newest & cell_warp) >> 5),
                 static_cast<std::uint32_t>(newest & 31), run.line_of(run.program.sites[site].location));
  run.note(std::move(made), handle);
}

}  // namespace

std::uint64_t sum_of_writers(const BlockRun &run, std::uint32_t offset) {
  if (!run.context.writers) return 0;
  std::uint64_t sum = 0;
  for (std::uint32_t i = offset >> run.cell_shift(); i <= (offset + bytes_of_piece - 1) >> run.cell_shift();
       ++i)
    sum = sum * 3 + run.shared.settled_writer(i);
  return sum;
}

void begin_products(BlockRun &run) {
  if (!run.program.uses_warpgroups) return;
  run.products.begin(run.warps(), run.shared.bytes(),
                     run.launch.options.check_races && !uses_flags(run.program));
  run.product_registers.begin(run.warps());
}

bool follows_product_reads(const BlockRun &run) {
  return run.products.follows_reads() && run.context.epoch_cell != UINT64_MAX;
}

void check_released(const LaneAccess &access, std::uint64_t offset) {
  BlockRun &run = access.run;
  if (!follows_product_reads(run)) return;
  const GroupProducts::Reader reader = run.products.unfinished_reader(run.context.warp, offset);
  if (!reader.product) return;
  const std::uint64_t handle = handle_of(Mistake::released, access.op.site, index_of(*reader.product, run));
  if (run.findings.enough_races() || run.count_known(handle, Code::race, Severity::error)) return;
  Diagnostic made = run.diagnostic(
      Code::race, Severity::error, run.here(access.lane, access.op),
      "this copy writes to shared memory that wgmma may still read: no thread that waited for the product "
      "(wgmma.wait_group) has synchronized with this thread since");
  made.other = run.side(reader.warpgroup * warps_of_group, 0, run.line_of(*reader.product));
  run.note(std::move(made), handle);
}

void watch_registers(BlockRun &run, const Op *op, const Op *end) {
  const std::uint32_t warp = run.context.warp;
  run.product_registers.watch(
      warp, run.products.of(warp).finished, op, end,
      [&run](const Op &at, std::uint32_t sequence, ProductRegisters::Mistake mistake) {
        report_touch(run, at, sequence, mistake);
      });
}

void check_product_fence(const Op &op, const GroupProduct &product, bool adds, BlockRun &run) {
  const ProductRegisters::MissingFence found =
      run.product_registers.look_for_fence(run.context.warp, product, adds);
  if (!found.missing) return;
  const std::uint64_t handle =
      handle_of(found.never ? Mistake::never_fenced : Mistake::unfenced, index_of(op, run), found.written);
  if (run.findings.enough_races() || run.count_known(handle, Code::race, Severity::error)) return;
  Diagnostic made = run.diagnostic(
      Code::race, Severity::error, run.here(0, op),
      found.never
          ? "the first product of a warpgroup needs a wgmma.fence before it, and so does each one whose "
            "registers were written in another way"
          : "registers of this product were written, and no wgmma.fence came after that");
  if (!found.never && found.written != 0) made.other = run.here(0, run.program.ops[found.written - 1]);
  run.note(std::move(made), handle);
}

void verify_sources(FlyingProduct &product, BlockRun &run) {
  if (product.verified || !run.context.writers || run.context.epoch_cell == UINT64_MAX) return;
  product.verified = true;
  const Site &site = run.program.sites[product.op->site];
  for (const ProductSource &source : product.sources) {
    if (sum_of_writers(run, source.offset) != source.writers) return report_overwritten(run, product, source);
    if (run.time() != product.time)
      check_shared({*product.op, site, run, 0, source.offset, bytes_of_piece, false}, source.offset, false,
                   false);
  }
}

}  // namespace warpgrade::simt
