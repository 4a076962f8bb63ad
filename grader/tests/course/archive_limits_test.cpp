// What a student may hand in as an archive.
#include <gtest/gtest.h>

#include "edited.hpp"
#include "tests/places.hpp"

namespace warpgrade::course {
namespace {

TEST(Hw6Archives, LimitsWhatAnArchiveMayHold) {
  const ArchiveLimits limits = read_assignment(fs::path(place::assignments) / "hw6").archive_limits;
  EXPECT_EQ(limits.packed_bytes, 16u << 20);
  EXPECT_EQ(limits.unpacked_bytes, 64u << 20);
  EXPECT_EQ(limits.source_bytes, 1u << 20);
  EXPECT_EQ(limits.ratio, 100);
  EXPECT_EQ(limits.ratio_from_bytes, 1u << 20);
  EXPECT_EQ(limits.entries, 2000u);
  EXPECT_EQ(limits.depth, 2u);
  EXPECT_EQ(limits.name_bytes, 512u);
  EXPECT_EQ(limits.memory_bytes, 1u << 30);
  EXPECT_EQ(limits.wall_seconds, 20);
}

using Archives = Edited;

TEST_F(Archives, EveryLimitIsRequired) {
  for (const std::string limit : {"packed_mib: 16, ", "unpacked_mib: 64, ", "source_kib: 1024, ",
                                  "ratio: 100, ", "ratio_from_kib: 1024, ", "entries: 2000, ", "depth: 2, ",
                                  "name_bytes: 512,", "memory_mib: 1024, ", "wall_seconds: 20"}) {
    replace("assignment.yaml", limit, "");
    EXPECT_NE(error().find("'" + limit.substr(0, limit.find(':')) + "' is missing from 'archive'"),
              std::string::npos);
    SetUp();
  }
  replace("assignment.yaml", "entries: 2000", "entries: many");
  EXPECT_EQ(error(),
            place("assignment.yaml") + "'entries' is 'many', should be a whole number from 1 to 10000000");
  SetUp();
  replace("assignment.yaml", "ratio: 100", "ration: 100");
  EXPECT_NE(error().find("unknown key 'ration'; did you mean ratio? (known: packed_mib, unpacked_mib, "),
            std::string::npos)
      << error();
}

}  // namespace
}  // namespace warpgrade::course
