// The shadow of global memory from launch to launch: later launches use its memory again, and go through the parts alone
// that accesses have touched.
#include <numeric>
#include <set>
#include <tuple>

#include "harness.hpp"
#include "machine/checks/watch.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t words = 1 << 18;

/// Lane i of 32 in each block accesses the word (index * stride + shift) % words, with index the thread's number in the grid.
constexpr std::string_view module = R"(
.version 8.0
.target sm_80
.address_size 64
)";
std::string kernel(std::string_view name, std::string_view access) {
  return ".visible .entry " + std::string(name) +
         "(.param .u64 data, .param .u32 stride, .param .u32 shift)\n{\n"
         ".reg .b32 %r<9>; .reg .b64 %d<9>;\n"
         "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r1, %r1, %r2, %r3;\n"
         "ld.param.u32 %r4, [stride]; ld.param.u32 %r5, [shift]; mad.lo.s32 %r1, %r1, %r4, %r5;\n"
         "and.b32 %r1, %r1, " +
         std::to_string(words - 1) +
         "; mul.wide.u32 %d1, %r1, 4; ld.param.u64 %d2, [data]; add.s64 %d1, %d1, %d2;\n" +
         std::string(access) + "\nret;\n}\n";
}

struct Ground {
  explicit Ground(int workers) {
    Options options;
    options.threads = workers;
    options.alone_until = 0;
    device.set_options(options);
    device.load(testing::parse(
        std::string(module) + kernel("store", "st.global.u32 [%d1], %r3;") +
        kernel("increment", "ld.global.u32 %r6, [%d1]; add.u32 %r6, %r6, 1; st.global.u32 [%d1], %r6;") +
        kernel("load", "ld.global.u32 %r6, [%d1];") + kernel("update", "atom.global.add.u32 %r6, [%d1], 1;") +
        kernel("strong", "ld.volatile.global.u32 %r6, [%d1]; atom.global.add.u32 %r6, [%d1], 1;")));
    data = device.allocate(words * 4, "data", true);
    device.fill(data, std::byte{0}, words * 4);
  }
  LaunchResult launch(const std::string &name, std::uint32_t blocks, std::uint32_t stride,
                      std::uint32_t shift = 0) {
    Launch one{name, {blocks, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(16)};
    std::memcpy(one.arguments.data(), &data, 8);
    std::memcpy(one.arguments.data() + 8, &stride, 4);
    std::memcpy(one.arguments.data() + 12, &shift, 4);
    one.keeps_footprint = true;
    return device.launch(one);
  }
  Device device;
  Address data = 0;
};

std::set<Address> addresses(const std::vector<AddressRange> &ranges) {
  std::set<Address> all;
  for (const AddressRange &one : ranges)
    for (Address at = one.begin; at < one.end; at += 4) all.insert(at);
  return all;
}

TEST(Shadow, OfALaunchHoldsNothingOfEarlierOnes) {
  for (const int workers : {1, 2}) {
    Ground ground(workers);
    // A block later, each time: in one launch, two blocks that access one word would race.
    std::uint32_t later = 0;
    for (std::uint32_t round = 0; round < 3; ++round)
      for (const char *const name : {"store", "strong", "load", "update", "store"})
        for (const std::uint32_t stride : {1u, 4099u}) {
          const LaunchResult result = ground.launch(name, 16, stride, 32 * stride * later++);
          EXPECT_EQ(result.status, Status::completed);
          EXPECT_TRUE(result.diagnostics.empty()) << name << ' ' << to_text(result.diagnostics.front());
        }
  }
}

TEST(Shadow, IsEmptyAndWithoutStrongAccessesWhenItsMemoryIsUsedAgain) {
  Allocation memory;
  memory.bytes = 4 * 5000;
  const std::uint64_t *before = nullptr;
  for (int round = 0; round < 3; ++round) {
    Shadow shadow;
    shadow.watched.push_back(watch(memory, 2));
    Watched &one = shadow.watched.front();
    EXPECT_TRUE(!before || one.writers.get() == before) << "the memory was not used again";
    before = one.writers.get();
    EXPECT_EQ(one.strong.get(), nullptr);
    one.strengthen();
    for (const Cells *cells : {&one.writers, &one.readers, &one.earlier, &one.strong, &one.strong_readers})
      EXPECT_EQ(std::accumulate(cells->get(), cells->get() + one.cells, std::uint64_t{0}), 0u);
    for (const std::size_t cell : {std::size_t{0}, std::size_t{63}, std::size_t{64}, one.cells - 1}) {
      for (const Cells *cells : {&one.writers, &one.readers, &one.earlier, &one.strong, &one.strong_readers})
        (*cells)[cell] = cell + 1;
      one.touch(cell);
    }
  }
}

TEST(Shadow, FootprintsAreExactForEveryStrideAndShift) {
  enum { reads, writes, strong_reads, strong_writes };
  for (const int workers : {1, 2}) {
    Ground ground(workers);
    for (const std::uint32_t stride : {1u, 2u, 3u, 63u, 65u, 257u, 8191u, 100'003u})
      for (const std::uint32_t shift : {0u, 5u, 251u, words - 7}) {
        std::set<Address> expected;
        for (std::uint32_t i = 0; i < 64 * 32; ++i)
          expected.insert(ground.data + Address{(i * stride + shift) % words} * 4);
        EXPECT_EQ(addresses(ground.launch("store", 64, stride, shift).footprint[writes]), expected) << stride;
        EXPECT_EQ(addresses(ground.launch("load", 64, stride, shift).footprint[reads]), expected) << stride;
        const LaunchResult strong = ground.launch("strong", 64, stride, shift);
        EXPECT_EQ(addresses(strong.footprint[strong_writes]), expected) << stride;
        EXPECT_EQ(addresses(strong.footprint[strong_reads]), expected) << stride;
        EXPECT_EQ(addresses(ground.launch("update", 64, stride, shift).footprint[strong_writes]), expected);
      }
  }
}

/// Statuses, findings and memory of these launches, with two threads.
std::string record_of(std::uint64_t alone_until,
                      const std::vector<std::tuple<const char *, std::uint32_t, std::uint32_t>> &launches) {
  Ground ground(2);
  Options options;
  options.threads = 2;
  options.alone_until = alone_until;
  ground.device.set_options(options);
  std::string record;
  for (const auto &[name, blocks, stride] : launches) {
    const LaunchResult result = ground.launch(name, blocks, stride);
    record += std::to_string(static_cast<int>(result.status)) + '\n';
    for (const Diagnostic &one : result.diagnostics) record += to_text(one) + '\n';
  }
  std::vector<std::uint32_t> memory(words);
  ground.device.read(ground.data, std::as_writable_bytes(std::span(memory)));
  for (const std::uint32_t word : memory) record += std::to_string(word) + ' ';
  return record;
}

TEST(Shadow, LaunchesThatRunAloneBecauseTheLastOnesWereShortFindAndWriteTheSame) {
  // After four short launches, the following ones run on one thread, with no copy of the memory: the last, long one too.
  const std::vector<std::tuple<const char *, std::uint32_t, std::uint32_t>> launches = {
      {"store", 4, 1}, {"store", 4, 0}, {"store", 4, 1}, {"store", 4, 0},    {"store", 4, 1},
      {"store", 4, 0}, {"store", 8, 7}, {"store", 4, 0}, {"store", 8192, 1}, {"store", 8192, 0}};
  const std::string expected = record_of(0, launches);
  EXPECT_NE(expected.find("write after write"), std::string::npos);
  EXPECT_EQ(record_of(1 << 15, launches), expected);
}

TEST(Shadow, TheCopyOfOneLaunchLeavesNothingToThatOfAnother) {
  // Blocks race, so both launches start again from a copy: of a large buffer without values, and of a small one with them.
  Ground ground(2);
  const Address with_values = ground.data;
  const Address empty = ground.device.allocate(words * 4, "empty", false);
  ground.data = empty;
  EXPECT_EQ(ground.launch("store", 4, 0).diagnostics.front().code, Code::race);
  const Address small = ground.device.allocate(4096, "small", true);
  ground.device.fill(small, std::byte{3}, 4096);
  ground.data = small;
  EXPECT_EQ(ground.launch("store", 4, 0).diagnostics.front().code, Code::race);
  std::uint32_t untouched = 0;
  ground.device.read(small + 4, std::as_writable_bytes(std::span(&untouched, 1)));
  EXPECT_EQ(untouched, 0x03030303u);
  ground.data = empty;
  const LaunchResult uses = ground.launch("increment", 1, 1, 1);
  ASSERT_FALSE(uses.diagnostics.empty()) << "the copy has given values to a buffer that has none";
  EXPECT_EQ(uses.diagnostics.front().code, Code::uninitialized_read);
  ground.data = with_values;
  EXPECT_TRUE(ground.launch("increment", 4, 1).diagnostics.empty());
}

}  // namespace
}  // namespace warpgrade::simt
