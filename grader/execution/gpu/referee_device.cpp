#include "gpu/referee_device.hpp"

#include <algorithm>
#include <cmath>

asm(".section .rodata\n"
    ".balign 16\n"
    "warpgrade_referee_fatbin:\n"
    ".incbin \"" WARPGRADE_REFEREE_FATBIN
    "\"\n"
    ".previous\n");
extern "C" const std::byte warpgrade_referee_fatbin[];

namespace warpgrade::gpu {
namespace {

constexpr int sampled_cells = 4096;

}  // namespace

RefereeDevice::RefereeDevice(const Context &context)
    : context_(context),
      own_{DeviceMemory(context), DeviceMemory(context), DeviceMemory(context)},
      reference_(context),
      sums_(context),
      count_(context) {
  const auto &cu = context_.driver;
  cu.check(cu.module_load(&module_, warpgrade_referee_fatbin, 0, nullptr, nullptr),
           "loading the referee's kernels");
  const auto find = [&](CUfunction &function, const char *name) {
    cu.check(cu.module_function(&function, module_, name), std::string("looking up ") + name);
  };
  find(fill_, "referee_fill");
  find(compare_, "referee_compare");
  find(sum_b_, "referee_sum_b");
  find(sum_rows_, "referee_sum_rows");
  find(sum_cells_, "referee_sum_cells");
  find(every_cell_, "referee_every_cell");
  find(one_cell_, "referee_one_cell");
}

const problem::Matrix &RefereeDevice::matrix(std::size_t i) const {
  return i == 0 ? product_.a : i == 1 ? product_.b : product_.c;
}

/// A warp for each of `warps` pieces of work.
template <typename... Arguments>
void RefereeDevice::launch(CUfunction kernel, std::uint64_t warps, const Arguments &...arguments) {
  constexpr unsigned threads = 256;
  const auto &cu = context_.driver;
  std::array<void *, sizeof...(arguments)> pointers{
      const_cast<void *>(static_cast<const void *>(&arguments))...};
  const auto blocks = static_cast<unsigned>((warps * 32 + threads - 1) / threads);
  cu.check(cu.launch(kernel, blocks, 1, 1, threads, 1, 1, 0, context_.stream, pointers.data(), nullptr),
           "launching a kernel of the referee");
}

void RefereeDevice::take(const problem::MatrixProduct &product, double tolerance) {
  product_ = product;
  tolerance_ = tolerance;
  for (std::size_t i = 0; i < 3; ++i) {
    exchange_[i].reset();
    exchange_[i] =
        std::make_unique<Arena>(context_, matrix(i).bytes(),
                                shares() ? Mapping::Sharing::with_another_process : Mapping::Sharing::none);
    own_[i].reserve(matrix(i).bytes());
  }
  reference_.reserve(product_.c.bytes());
  const auto of_b = static_cast<std::size_t>(product_.rows_of_b()), m = static_cast<std::size_t>(product_.m);
  sums_.reserve(2 * of_b * sizeof(double) + m * sizeof(RowSums) + sampled_cells * sizeof(CellSums));
  rows_.resize(m);
  cells_.resize(sampled_cells);
}

std::array<std::uint64_t, 3> RefereeDevice::deal(std::uint64_t seed, std::uint64_t random) {
  const auto &cu = context_.driver;
  constexpr std::uint64_t warps = 4096;  // each takes every 4096th element
  std::array<std::uint64_t, 3> offsets{};
  for (std::size_t i = 0; i < 3; ++i) {
    const problem::Matrix &x = matrix(i);
    launch(fill_, std::min<std::uint64_t>(warps, (x.elements + 31) / 32), own_[i].at(), x.elements, x.fill,
           x.fill.key(seed));
    const auto to = exchange_[i]->place(x.bytes(), problem::mix(random + i));
    cu.check(cu.copy_within(to, own_[i].at(), x.bytes(), context_.stream), "dealing");
    offsets[i] = exchange_[i]->offset();
  }
  cu.check(cu.stream_synchronize(context_.stream), "dealing");
  return offsets;
}

void RefereeDevice::download(std::array<std::span<std::byte>, 3> to) {
  const auto &cu = context_.driver;
  for (std::size_t i = 0; i < 3; ++i)
    cu.check(cu.copy_out(to[i].data(), exchange_[i]->address(), to[i].size(), context_.stream),
             "downloading the inputs");
  cu.check(cu.stream_synchronize(context_.stream), "downloading the inputs");
}

void RefereeDevice::upload(std::array<std::span<const std::byte>, 3> from) {
  const auto &cu = context_.driver;
  for (std::size_t i = 0; i < 3; ++i)
    cu.check(cu.copy_in(exchange_[i]->address(), from[i].data(), from[i].size(), context_.stream),
             "uploading a result");
  cu.check(cu.stream_synchronize(context_.stream), "uploading a result");
}

bool RefereeDevice::differs(CUdeviceptr x, CUdeviceptr y, std::uint64_t words) {
  const auto &cu = context_.driver;
  constexpr std::uint64_t warps = 4096;
  count_.reserve(sizeof(std::uint64_t));
  cu.check(cu.set_bytes(count_.at(), 0, sizeof(std::uint64_t), context_.stream), "comparing");
  launch(compare_, std::min<std::uint64_t>(warps, (words + 31) / 32), x, y, words, count_.at());
  std::uint64_t different = 0;
  cu.check(cu.copy_out(&different, count_.at(), sizeof different, context_.stream), "comparing");
  cu.check(cu.stream_synchronize(context_.stream), "comparing");
  return different != 0;
}

std::optional<CellSums> RefereeDevice::wrong_cell(const problem::MatrixProduct &product, CUdeviceptr after) {
  const auto &cu = context_.driver;
  constexpr std::uint64_t warps = 65536;
  const CUdeviceptr a = own_[0].at(), b = own_[1].at(), before = own_[2].at(), cell = sums_.at();
  const auto all = static_cast<std::uint64_t>(product.m) * static_cast<std::uint64_t>(product.n);
  std::uint64_t least = all;
  count_.reserve(sizeof least);
  cu.check(cu.copy_in(count_.at(), &least, sizeof least, context_.stream), "checking");
  launch(every_cell_, std::min<std::uint64_t>(warps, (all + 31) / 32), product, a, b, before, after,
         tolerance_, count_.at());
  cu.check(cu.copy_out(&least, count_.at(), sizeof least, context_.stream), "checking");
  cu.check(cu.stream_synchronize(context_.stream), "checking");
  if (least == all) return std::nullopt;
  const auto n = static_cast<std::uint64_t>(product.n);
  const problem::Cell place{static_cast<std::int64_t>(least / n), static_cast<std::int64_t>(least % n)};
  launch(one_cell_, 1, product, a, b, before, after, place, cell);
  CellSums wrong;
  cu.check(cu.copy_out(&wrong, cell, sizeof wrong, context_.stream), "checking");
  cu.check(cu.stream_synchronize(context_.stream), "checking");
  return wrong;
}

void RefereeDevice::check_product(const problem::MatrixProduct &product, CUdeviceptr after,
                                  std::uint64_t seed, Finding &finding) {
  const auto &cu = context_.driver;
  const auto m = static_cast<std::uint64_t>(product.m),
             of_b = static_cast<std::uint64_t>(product.rows_of_b());
  const CUdeviceptr b_sums = sums_.at(), rows = b_sums + 2 * of_b * sizeof(double),
                    cells = rows + m * sizeof(RowSums);
  const CUdeviceptr a = own_[0].at(), b = own_[1].at(), before = own_[2].at();
  const auto found = [&finding](Found what, std::int64_t row, std::int64_t column, double got, double want,
                                double allowed) {
    finding.found = static_cast<std::uint32_t>(what);
    finding.row = row;
    finding.column = column;
    finding.got = got;
    finding.want = want;
    finding.allowed = allowed;
  };
  if (product.finish != problem::Finish::none) {  // sums over rows say nothing of it
    if (const auto wrong = wrong_cell(product, after))
      found(Found::wrong_cell, wrong->row, wrong->column, wrong->got, wrong->want, tolerance_ * wrong->scale);
    return;
  }
  launch(sum_b_, of_b, product, b, seed, b_sums);
  launch(sum_rows_, m, product, a, b_sums, before, after, seed, rows);
  launch(sum_cells_, sampled_cells, product, a, b, before, after, seed, sampled_cells, cells);
  cu.check(cu.copy_out(rows_.data(), rows, rows_.size() * sizeof(RowSums), context_.stream), "checking");
  cu.check(cu.copy_out(cells_.data(), cells, cells_.size() * sizeof(CellSums), context_.stream), "checking");
  cu.check(cu.stream_synchronize(context_.stream), "checking");

  for (const CellSums &cell : cells_)
    if (const double allowed = tolerance_ * cell.scale; !(std::fabs(cell.got - cell.want) <= allowed))
      return found(Found::wrong_cell, cell.row, cell.column, cell.got, cell.want, allowed);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double allowed = problem::allowed_for_row(rows_[i].scale, tolerance_, product.n);
    if (!(std::fabs(rows_[i].got - rows_[i].want) <= allowed))
      return found(Found::wrong_row, static_cast<std::int64_t>(i), 0, rows_[i].got, rows_[i].want, allowed);
  }
}

Finding RefereeDevice::check(std::uint64_t seed) {
  Finding finding;
  for (std::size_t i = 0; i < 3; ++i) finding.damage[i] = exchange_[i]->damage();
  for (std::size_t i = 0; i < 2; ++i)
    if (differs(own_[i].at(), exchange_[i]->address(), matrix(i).bytes() / sizeof(std::uint16_t))) {
      finding.found = static_cast<std::uint32_t>(i == 0 ? Found::a_changed : Found::b_changed);
      return finding;
    }
  check_product(product_, exchange_[2]->address(), seed, finding);
  return finding;
}

std::array<CUdeviceptr, 3> RefereeDevice::operands() {
  const auto &cu = context_.driver;
  cu.check(cu.copy_within(reference_.at(), own_[2].at(), product_.c.bytes(), context_.stream),
           "preparing a product");
  return {own_[0].at(), own_[1].at(), reference_.at()};
}

Finding RefereeDevice::check_reference(std::uint64_t seed) {
  Finding finding;
  problem::MatrixProduct plain = product_;
  plain.finish = problem::Finish::none;
  check_product(plain, reference_.at(), seed, finding);
  return finding;
}

void RefereeDevice::download_reference(std::span<std::byte> to) {
  const auto &cu = context_.driver;
  cu.check(cu.copy_out(to.data(), reference_.at(), to.size(), context_.stream), "downloading a product");
  cu.check(cu.stream_synchronize(context_.stream), "downloading a product");
}

}  // namespace warpgrade::gpu
