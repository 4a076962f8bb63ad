// The profiler's run with a shell script in the place of ncu: what it is asked, and what becomes of what it
// answers.
#include "profile/profiler.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace warpgrade::profile {
namespace {

namespace fs = std::filesystem;

ReplayRequest two_launches() {
  ReplayRequest r;
  r.device = 3;
  r.fat_binary = {std::byte{1}, std::byte{2}, std::byte{255}};
  r.problem = "sgemm";
  r.size = {{64, 32, 16}, {1, 0.5}};
  r.seed = 42;
  r.runs = 1;
  r.plan.buffers = {{plan::Owner::judge, "A", 64 * 16 * 4}};
  plan::Launch launch;
  launch.kernel = "_Z4gemmi";
  launch.arguments.resize(8);
  launch.pointers = {{0, {0, 0}}};
  r.plan.operations = {launch, launch};
  r.plan.operations.push_back(plan::SetMemory{{0, 0}, 0, 4, 1, 0});
  std::get<plan::Launch>(r.plan.operations[1]).kernel = "_Z5addup$1";
  return r;
}

class FakeNcu : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpgrade-profiler-test-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  /// A program that finds the log's name in $log, the request in $request and its arguments in the file
  /// asked.
  Profiler ncu(const std::string &body) {
    const fs::path script = folder_ / "ncu";
    std::ofstream(script)
        << "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" << (folder_ / "asked").string()
        << "'\nwhile [ $# -gt 0 ]; do [ \"$1\" = --log-file ] && log=$2; request=$1; shift; done\n"
        << body << "\n";
    ::chmod(script.c_str(), 0700);
    return Profiler(script, "/opt/grade");
  }
  std::string asked() const {
    std::stringstream text;
    text << std::ifstream(folder_ / "asked").rdbuf();
    return text.str();
  }
  static std::string why_not(const Profiler &profiler, double wall_seconds = 20) {
    try {
      profiler.profile(two_launches(), wall_seconds);
    } catch (const ProfilerError &e) {
      return e.what();
    }
    return "";
  }
  const std::string table_ =
      R"(cat > "$log" <<'CSV'
==PROF== Connected to process 1
"ID","Kernel Name","gpu__time_duration.sum","dram__bytes_read.sum","dram__bytes_write.sum","lts__t_bytes.sum"
"","","ns","byte","byte","byte"
"0","_Z4gemmi","2,000","100","20","300"
"1","_Z5addup$1","1,000","1","2","3"
CSV
)";
  fs::path folder_;
};

TEST_F(FakeNcu, ProfilesOnlyThePlansKernelsAndItsFiguresAreAddedUp) {
  const Profile p = ncu(table_).profile(two_launches());
  EXPECT_DOUBLE_EQ(p.seconds, 3e-6);
  EXPECT_DOUBLE_EQ(p.dram_bytes, 123);
  EXPECT_DOUBLE_EQ(p.l2_bytes, 303);
  EXPECT_NE(asked().find("--kernel-name\nregex:^(_Z4gemmi|_Z5addup\\$1)$\n"), std::string::npos) << asked();
  EXPECT_NE(asked().find("--clock-control\nnone\n"), std::string::npos) << asked();
  EXPECT_NE(asked().find("\n/opt/grade\nreplay-plan\n"), std::string::npos) << asked();
}

TEST_F(FakeNcu, GetsARequestThatRoundTrips) {
  ncu("cp \"$request\" '" + (folder_ / "kept").string() + "'\n" + table_).profile(two_launches());
  const ReplayRequest sent = two_launches(), got = read_replay_request(folder_ / "kept");
  EXPECT_EQ(got.device, 3);
  EXPECT_EQ(got.fat_binary, sent.fat_binary);
  EXPECT_EQ(got.plan, sent.plan);
  EXPECT_EQ(got.problem, "sgemm");
  EXPECT_EQ(got.size, sent.size);
  EXPECT_EQ(got.seed, 42u);
  EXPECT_EQ(got.runs, 1u);
}

TEST_F(FakeNcu, ThatFailsIsQuotedInOneSentence) {
  EXPECT_EQ(why_not(ncu("echo one >&2; echo 'cannot open libcuda' >&2; exit 9")),
            "the profiler ended with exit status 9: cannot open libcuda");
  EXPECT_NE(why_not(ncu("echo '==ERROR== ERR_NVGPUCTRPERM - The user does not' >> \"$log\"; exit 1"))
                .find("ERR_NVGPUCTRPERM"),
            std::string::npos);
  EXPECT_EQ(why_not(ncu("echo '==WARNING== No kernels were profiled.' > \"$log\"")),
            "the profiler gave no figures: No kernels were profiled.");
  EXPECT_EQ(why_not(ncu(table_ + "sed -i '$d' \"$log\"")),
            "the profiler saw 1 kernels where 2 were launched");
}

TEST_F(FakeNcu, ThatHangsIsKilled) {
  EXPECT_EQ(why_not(ncu("sleep 60 & sleep 60"), 0.2), "the profiler did not end in 0.2 s");
}

TEST_F(FakeNcu, IsNotStartedWhereNothingIsLaunched) {
  ReplayRequest none = two_launches();
  none.plan.operations.clear();
  EXPECT_THROW(ncu("exit 0").profile(none), ProfilerError);
  EXPECT_FALSE(fs::exists(folder_ / "asked"));
}

TEST(ReplayRequestFile, OfAnotherKindIsRefused) {
  const fs::path file = fs::temp_directory_path() / ("warpgrade-no-request-" + std::to_string(getpid()));
  for (const char *text : {"", "something else altogether, and long enough to be read as a length"}) {
    std::ofstream(file) << text;
    EXPECT_THROW(read_replay_request(file), std::runtime_error);
  }
  fs::remove(file);
}

}  // namespace
}  // namespace warpgrade::profile
