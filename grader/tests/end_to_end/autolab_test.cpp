// The Makefile for Autolab: it runs in an empty folder beside the kit and a handin, as Autolab runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST(Autolab, MakeGradesAHandinAndEndsWithTheScores) {
  SmallCourse course;
  course.hand_in("student", "one");
  const CommandResult prepared =
      shell(std::string("'") + place::gradebook +
                "' kit hw6 --out kits && mkdir job && cp kits/hw6.tar.gz job/autograde.tar && "
                "tar cf job/handin.tar -C class/student .",
            course.root());
  ASSERT_EQ(prepared.status, 0) << prepared.output;
  fs::copy_file(fs::path(place::root) / "templates/autolab/Makefile", course / "job/Makefile");
  const CommandResult r = shell("env -u MAKEFLAGS -u MAKELEVEL make", course / "job");
  ASSERT_EQ(r.status, 0) << r.output;
  const std::size_t last = r.output.rfind('\n', r.output.size() - 2) + 1;
  const json line = json::parse(r.output.substr(last));
  EXPECT_EQ(line.at("scores").at("step0"), 40) << r.output;
  EXPECT_EQ(line.at("scores").at("step1"), 50) << "10 more wait for a GPU: " << r.output;
}

}  // namespace
}  // namespace warpgrade::tests
