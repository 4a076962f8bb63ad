// Bulk copies of tensors: what they copy, what is outside the tensor, and what goes wrong with them.
#include "harness.hpp"
#include "ptx/tensor_map.hpp"

namespace warpgrade::simt {
namespace {

using testing::kernel;
using testing::last;
using testing::parse;

const std::string variables = ".shared .align 1024 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n";
const std::string file = ".file 1 \"k.cu\"\n";

/// 20 x 30 elements of 2 bytes in rows of 48 bytes; boxes of 8 x 4.
ptx::TensorMap small() {
  ptx::TensorMap map;
  map.type = 1;
  map.rank = 2;
  map.dimensions = {20, 30};
  map.strides = {48};
  map.box = {8, 4};
  map.element_strides = {1, 1};
  return map;
}

struct Copied {
  LaunchResult result;
  std::vector<std::uint16_t> out;
};

/// Runs a kernel whose first parameter is the address of a tensor map in global memory. The tensor has `rows`
/// rows in memory and holds 1, 2, 3, ...; thread t's %out is 32 bytes from out.
Copied run(const std::string &body, ptx::TensorMap map, std::uint32_t rows = 30, std::uint64_t shift = 0,
           const Options &options = {}) {
  Device device(options);
  device.load(parse(kernel(body, variables) + file));
  std::vector<std::uint16_t> tensor(rows * 24);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<std::uint16_t>(i + 1);
  map.address = device.allocate(tensor.size() * 2, "tensor");
  device.write(map.address, std::as_bytes(std::span(tensor)));
  std::vector<std::byte> bytes(256);
  ptx::encode(map, bytes.data() + shift);
  const Address maps = device.allocate(bytes.size(), "map"), to = device.allocate(4096, "out");
  device.write(maps, bytes);
  device.fill(to, std::byte{0}, 4096);
  Launch launch;
  launch.kernel = "k";
  launch.block = {32, 1, 1};
  launch.arguments.resize(16);
  const Address from = maps + shift;
  std::memcpy(launch.arguments.data(), &from, 8);
  std::memcpy(launch.arguments.data() + 8, &to, 8);
  Copied made;
  made.result = device.launch(launch);
  made.out.resize(2048);
  device.read(to, std::as_writable_bytes(std::span(made.out)));
  return made;
}

/// Thread 0 fetches the box at (x, y) to `to`, and sends what has come to %out in one piece.
std::string fetch(int x, int y, const std::string &to = "tile", const std::string &expected = "64") {
  const std::string coordinates = "{" + std::to_string(x) + ", " + std::to_string(y) + "}";
  return "setp.ne.u32 %p1, %tid, 0; @%p1 bra DONE;\nmov.u32 %r1, bar; mbarrier.init.shared::cta.b64 [%r1], "
         "1;\n"
         ".loc 1 5 1\ncp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [" +
         to + "], [%in, " + coordinates +
         "], [%r1];\n.loc 1 6 1\nmbarrier.arrive.expect_tx.shared::cta.b64 %d1, "
         "[%r1], " +
         expected +
         ";\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;\n@!%p2 bra WAIT;\n"
         "cp.async.bulk.global.shared::cta.bulk_group [%out], [tile], 64; cp.async.bulk.commit_group; "
         "cp.async.bulk.wait_group 0;\nDONE:\n";
}

std::uint16_t element(int x, int y) {
  return x < 0 || x >= 20 || y < 0 || y >= 30 ? std::uint16_t{0} : static_cast<std::uint16_t>(y * 24 + x + 1);
}

TEST(BulkTensor, BringsABoxWithZerosWhereItReachesBeyondTheTensor) {
  for (const auto &[x, y] : {std::pair{0, 0}, {8, 12}, {16, 28}, {-8, -1}, {16, 29}, {104, 5}, {-8, 0}}) {
    const Copied got = run(fetch(x, y), small());
    ASSERT_TRUE(got.result.diagnostics.empty()) << last(got.result);
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(got.out[static_cast<std::size_t>(i)], element(x + i % 8, y + i / 8))
          << x << ' ' << y << ' ' << i;
  }
}

TEST(BulkTensor, RowsShorterThanTheirSwizzleAreItsWidthApart) {
  ptx::TensorMap map = small();  // boxes with rows of 16 bytes
  map.swizzle = 3;               // of 128 bytes
  map.box = {8, 3};
  // Row 1 begins at 128, and its only piece changes places with the second one, which the row does not have.
  EXPECT_EQ(map.place(0, 16), 128u + 16);
  EXPECT_EQ(map.place(0, 32 + 8), 256u + 32 + 8);
  const Copied got = run(fetch(0, 0, "tile", "48"), map);
  ASSERT_EQ(got.result.status, Status::completed) << last(got.result);
  for (int x = 0; x < 8; ++x) EXPECT_EQ(got.out[static_cast<std::size_t>(x)], element(x, 0)) << x;
}

TEST(BulkTensor, FillsWithTheNaNOfTheHardwareWhereTheMapAsksForIt) {
  ptx::TensorMap map = small();
  map.type = 6;  // half precision
  map.fill = 1;
  const Copied got = run(fetch(16, 28), map);
  ASSERT_TRUE(got.result.diagnostics.empty()) << last(got.result);
  for (int i = 0; i < 32; ++i) {
    const int x = 16 + i % 8, y = 28 + i / 8;
    EXPECT_EQ(got.out[static_cast<std::size_t>(i)], x < 20 && y < 30 ? element(x, y) : 0x7FF7)
        << x << ' ' << y;
  }
  map.type = 1;
  EXPECT_NE(ptx::why_invalid(map), "");  // integers have no NaN
}

TEST(BulkTensor, RoundsToTf32AsAnH100Does) {
  ptx::TensorMap map = small();
  map.type = 11;
  const auto arrived = [&](std::uint32_t value) {
    map.arrive(reinterpret_cast<std::byte *>(&value), 4);
    return value;
  };
  EXPECT_EQ(arrived(0x11111111), 0x11112000u);
  EXPECT_EQ(arrived(0x652A1000), 0x652A0000u);  // a tie goes to the even one
  EXPECT_EQ(arrived(0x652A3000), 0x652A4000u);
  EXPECT_EQ(arrived(0x80608FA0), 0x80608000u);
  EXPECT_EQ(arrived(0x7F7FF1EA), 0x7F800000u);
  EXPECT_EQ(arrived(0xFF800000), 0xFF800000u);
  EXPECT_EQ(arrived(0xFFE63F38), 0x7FFFE000u);
  map.type = 7;
  EXPECT_EQ(arrived(0x11111111), 0x11111111u);
}

TEST(BulkTensor, CountsAllBytesOfItsBoxAlsoThoseOutside) {
  const Copied fewer = run(fetch(16, 28, "tile", "48"), small());
  EXPECT_NE(last(fewer.result).find("bring more bytes than it expects: 64 instead of 48"), std::string::npos)
      << last(fewer.result);
}

TEST(BulkTensor, CountsTheBytesOfGlobalMemoryThatItMoves) {
  const Copied got = run(fetch(16, 28), small());
  EXPECT_EQ(got.result.counters.bulk_loaded, 2u * 4 * 2);
  EXPECT_EQ(got.result.counters.bulk_stored, 64u);
  EXPECT_EQ(got.result.counters.requested_bytes(), 80u);
}

TEST(BulkTensor, KeepsWhereTheRowsOfItsBoxGoForDrawings) {
  ptx::TensorMap map = small();
  map.box = {32, 4};
  map.swizzle = 2;  // of 64 bytes: the pieces of rows 2 and 3 change places with their neighbours
  Options options;
  options.sample_lanes = true;
  const Copied got = run(fetch(0, 0, "tile", "256"), map, 30, 0, options);
  ASSERT_EQ(got.result.samples.size(), 1u) << last(got.result);
  const LaneSample &sample = got.result.samples.front();
  EXPECT_EQ(sample.buffer, "tile");
  EXPECT_EQ(sample.at.line, 5);
  EXPECT_EQ(sample.across, 4u);
  std::vector<std::int64_t> places;
  for (const std::int64_t at : sample.written) places.push_back(at - sample.written.front());
  EXPECT_EQ(places, (std::vector<std::int64_t>{0, 16, 32, 48, 64, 80, 96, 112, 144, 128, 176, 160, 208, 192,
                                               240, 224}));
}

TEST(BulkTensor, OfAMapThatExceedsItsMemoryIsOutOfBounds) {
  const Copied got = run(fetch(8, 28), small(), 29);
  EXPECT_EQ(got.result.status, Status::fault);
  EXPECT_NE(last(got.result).find("k.cu:5: error: load of 16 bytes, "), std::string::npos)
      << last(got.result);
  EXPECT_NE(last(got.result).find("past the end of tensor (1392 bytes)"), std::string::npos)
      << last(got.result);
}

TEST(BulkTensor, WithWrongAddressesIsNamed) {
  const auto says = [](const Copied &got, const std::string &words) {
    EXPECT_NE(last(got.result).find(words), std::string::npos) << last(got.result);
    EXPECT_EQ(last(got.result).find("k.cu:5: error: "), 0u) << last(got.result);
  };
  says(run(fetch(0, 0), small(), 30, 32), "which is not a multiple of 64");
  says(run(fetch(0, 0, "tile+64"), small()),
       "the address has to be a multiple of 128; is the array alignas(128)?");
  ptx::TensorMap flat = small();
  flat.rank = 1;
  says(run(fetch(0, 0), flat), "the copy has 2 coordinates, but the tensor map has 1 dimensions");
  ptx::TensorMap none = small();
  none.box = {0, 0};
  says(run(fetch(0, 0), none), "does not lead to a tensor map");
  says(run(fetch(0, 0, "tile+4096"), small()), "starts at the end of tile");
  says(run(fetch(3, 0), small()), "begins 6 bytes into a row");
  says(run(fetch(-2, 0), small()), "begins -4 bytes into a row");
}

TEST(BulkTensor, StoresToGlobalMemoryOnlyWhatIsInside) {
  const std::string fill =
      "mov.u32 %r1, tile; mad.lo.u32 %r2, %tid, 2, %r1; cvt.u16.u32 %h1, %tid; st.shared.u16 [%r2], %h1;\n";
  const std::string send =
      "bar.sync 0; setp.ne.u32 %p1, %tid, 0; @%p1 bra DONE;\n.loc 1 5 1\n"
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%in, {16, 28}], [%r1]; "
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n";
  // The last two rows of the tensor, by way of the map's address.
  const std::string read =
      "ld.global.u64 %d1, [%in+8]; ld.global.u64 %d2, [%d1+1376]; st.global.u64 [%out], %d2; ld.global.u64 "
      "%d2, "
      "[%d1+1384]; st.global.u64 [%out+8], %d2; ld.global.u64 %d2, [%d1+1424]; st.global.u64 [%out+16], "
      "%d2;\nDONE:\n";
  const Copied got = run(fill + "fence.proxy.async.shared::cta;\n" + send + read, small());
  ASSERT_EQ(last(got.result), "completed");
  const std::vector<std::uint16_t> expected{0, 1, 2, 3, 693, 694, 695, 696, 8, 9, 10, 11};
  EXPECT_EQ(std::vector<std::uint16_t>(got.out.begin(), got.out.begin() + 12), expected);
  const Copied unfenced = run(fill + send + read, small());
  EXPECT_NE(last(unfenced.result).find("k.cu:5: error: shared memory that ordinary stores have written"),
            std::string::npos)
      << last(unfenced.result);
}

TEST(BulkTensor, OverwritesWhatOrdinaryAccessesUsedOnlyAfterAFence) {
  const auto send = [](const std::string &use, const std::string &fence) {
    return "mov.u32 %r1, tile; mad.lo.u32 %r2, %tid, 2, %r1; cvt.u16.u32 %h1, %tid; st.shared.u16 [%r2], "
           "%h1;\nld.param.u64 %d1, [k_in]; ld.global.u64 %d1, [%d1+8]; mad.wide.u32 %d1, %tid, 2, %d1;\n"
           ".loc 1 4 1\n" +
           use + fence +
           "bar.sync 0; setp.ne.u32 %p1, %tid, 0; @%p1 bra DONE;\n.loc 1 5 1\n"
           "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%in, {0, 0}], [%r1]; "
           "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nDONE:\n";
  };
  const std::string all = "fence.proxy.async;\n", shared = "fence.proxy.async.shared::cta;\n";
  const std::string load = "ld.global.u16 %h2, [%d1]; st.global.u16 [%out], %h2;\n",
                    store = "st.global.u16 [%d1], %h1;\n",
                    apart = "st.global.u16 [%d1+192], %h1;\n";  // behind the box
  EXPECT_EQ(last(run(send(load, all), small()).result), "completed");
  EXPECT_EQ(last(run(send(store, all), small()).result), "completed");
  EXPECT_EQ(last(run(send(apart, shared), small()).result), "completed");
  const auto found = [](const Copied &got, const std::string &words) {
    ASSERT_EQ(got.result.diagnostics.size(), 1u) << last(got.result);
    EXPECT_NE(last(got.result).find("k.cu:5: warning: a bulk copy overwrites global memory that " + words),
              std::string::npos)
        << last(got.result);
    ASSERT_TRUE(got.result.diagnostics[0].other);
    EXPECT_EQ(got.result.diagnostics[0].other->at.line, 4);
  };
  found(run(send(load, shared), small()), "ordinary loads have read");
  found(run(send(store, shared), small()), "ordinary stores have written");
}

TEST(BulkTensor, MayBeginBeforeTheTensorOnlyOnItsWayFromGlobalMemory) {
  const auto send = [](const std::string &at) {
    return "mov.u32 %r1, tile; mad.lo.u32 %r2, %tid, 2, %r1; cvt.u16.u32 %h1, %tid; st.shared.u16 [%r2], "
           "%h1;\n"
           "fence.proxy.async.shared::cta;\nbar.sync 0; setp.ne.u32 %p1, %tid, 0; @%p1 bra DONE;\n.loc 1 5 "
           "1\n"
           "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%in, " +
           at + "], [%r1]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nDONE:\n";
  };
  EXPECT_EQ(last(run(send("{104, 40}"), small()).result), "completed");
  const Copied left = run(send("{-8, 0}"), small()), above = run(send("{0, -3}"), small());
  EXPECT_NE(last(left.result)
                .find("k.cu:5: error: a bulk copy to global memory begins at coordinate -8 of "
                      "dimension 0, before the tensor"),
            std::string::npos)
      << last(left.result);
  EXPECT_NE(last(above.result).find("coordinate -3 of dimension 1"), std::string::npos) << last(above.result);
}

TEST(TensorMap, IsRefusedForTheReasonsOfTheDriver) {
  const auto why = [](const auto &change) {
    ptx::TensorMap map = small();
    change(map);
    return ptx::why_invalid(map);
  };
  EXPECT_EQ(why([](auto &) {}), "");
  EXPECT_EQ(why([](auto &map) { map.address = 8; }), "globalAddress is not a multiple of 16 bytes");
  EXPECT_EQ(why([](auto &map) { map.strides[0] = 40; }),
            "globalStrides[0] is 40 bytes: it has to be a multiple of 16 below 2^40");
  EXPECT_EQ(why([](auto &map) { map.box[1] = 257; }), "boxDim[1] is 257: it has to be 1 to 256");
  EXPECT_EQ(why([](auto &map) { map.box[0] = 4; }),
            "a row of the box, boxDim[0] elements, has 8 bytes: it has to be a multiple of 16");
  EXPECT_EQ(
      why([](auto &map) { map.box[0] = 64, map.swizzle = 2; }),
      "a row of the box, boxDim[0] elements, has 128 bytes: with this swizzle, at most 64 are possible");
  EXPECT_EQ(why([](auto &map) { map.rank = 6; }), "a tensor has 1 to 5 dimensions, not 6");
  EXPECT_EQ(why([](auto &map) { map.element_strides[1] = 9; }),
            "elementStrides[1] is 9: it has to be 1 to 8");
}

TEST(TensorMap, RoundTrips) {
  ptx::TensorMap map = small();
  map.address = 0x7000'0000'1230;
  map.dimensions = {std::uint64_t{1} << 32, 7, 1, 1, 1};
  std::byte bytes[ptx::TensorMap::bytes];
  ptx::encode(map, bytes);
  std::uint64_t address = 0;
  std::memcpy(&address, bytes + 8, 8);
  EXPECT_EQ(address, map.address);
  const auto back = ptx::decode_tensor_map(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->dimensions[0], map.dimensions[0]);
  EXPECT_EQ(back->box, map.box);
  EXPECT_EQ(back->strides, map.strides);
}

}  // namespace
}  // namespace warpgrade::simt
