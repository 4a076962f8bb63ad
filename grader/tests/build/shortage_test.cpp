// A machine that is short of something: whose failure a build is then, and what its neighbours notice. The
// disks are small file systems of the test's own.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "tests/build/workshop.hpp"

namespace warpgrade::build {
namespace {

namespace fs = std::filesystem;
using sandbox::Sandbox;
using tests::launcher;
using tests::Workshop;

// 60 MiB in the object, in what is linked of it, and in the worker: no file is larger than one may be.
const std::string fills = "char large[60 << 20] = {1};\n" + launcher("C = (float *)large;");
const std::string honest = "__global__ void one(float *C) { C[0] = 1; }\n" + launcher("one<<<1, 1>>>(C);");

void write_text(const fs::path &file, const std::string &text) {
  std::ofstream(file) << text;
}

/// Tests whose folder for temporary files is a small file system. They exist only where this account may
/// mount one.
class SmallDisk : public testing::TestWithParam<const char *> {
 public:
  /// The kinds of file systems that can be mounted here: one or none.
  static std::vector<const char *> mountable() {
    const Scratch place;
    return in_a_process([&] { return mounted(place.path(), 1 << 20); }) == 0 ? std::vector{"tmpfs"}
                                                                             : std::vector<const char *>{};
  }

 protected:
  /// Runs `body` in a process whose folder for temporary files is a file system of `bytes`.
  void on_disk(std::uint64_t bytes, const std::function<void(const fs::path &)> &body) {
    const Scratch place;
    fs::permissions(place.path(), fs::perms(0755));
    const int status = in_a_process([&] {
      const bool there = mounted(place.path(), bytes);
      EXPECT_TRUE(there) << "cannot mount a file system: " << std::strerror(errno);
      if (there) body(place.path());
      return !HasFailure();
    });
    EXPECT_EQ(status, 0) << "see above";
  }

 private:
  /// The status of a new process that exits with 0 if `body` is true.
  static int in_a_process(const std::function<bool()> &body) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body() ? 0 : 1);
    int status = -1;
    return ::waitpid(child, &status, 0) == child ? status : -1;
  }
  static bool mounted(const fs::path &place, std::uint64_t bytes) {
    const uid_t user = ::geteuid();
    if (::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
    if (user != 0) {
      write_text("/proc/self/setgroups", "deny");
      write_text("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1");
      write_text("/proc/self/gid_map",
                 std::to_string(::getegid()) + " " + std::to_string(::getegid()) + " 1");
    }
    const std::string options = "mode=1777,size=" + std::to_string(bytes);
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("small", place.c_str(), "tmpfs", 0, options.c_str()) == 0 &&
           ::setenv("TMPDIR", place.c_str(), 1) == 0;
  }
};

INSTANTIATE_TEST_SUITE_P(Mounted, SmallDisk, testing::ValuesIn(SmallDisk::mountable()),
                         [](const auto &kind) { return std::string(kind.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallDisk);

TEST_P(SmallDisk, ABuildThatFillsItsSpaceIsLimitedAndItsNeighboursSucceed) {
  on_disk(std::uint64_t{150} << 20, [](const fs::path &place) {
    Limits limits;
    limits.scratch_bytes = std::uint64_t{100} << 20;
    const Workshop hostile(limits, std::nullopt), neighbour({}, std::nullopt);
    if (!hostile.sandbox.bounds_space()) return;  // AFullDisk... is about that
    std::atomic<bool> done = false;
    std::uint64_t least = ~std::uint64_t{0};
    std::thread filling([&] {
      for (int i = 0; i < 2; ++i) {
        const Build build = hostile.text(fills);
        EXPECT_EQ(build.reason, Reason::limit) << build.message << build.log;
        EXPECT_EQ(build.message,
                  "the compiler writes more than 100 MiB for step0_naive.cu, all files together");
      }
      done = true;
    });
    while (!done) {
      const Build build = neighbour.text(honest);
      EXPECT_TRUE(build.ok) << build.message << "\n" << build.log;
      least = std::min<std::uint64_t>(least, fs::space(place).available);
    }
    filling.join();
    EXPECT_GT(least,
              std::uint64_t{40} << 20);  // of 150: what is there is the compiler's headers and libraries
  });
}

// Twice: with all that this machine offers, and with limits only.
TEST_P(SmallDisk, AFullDiskIsTheMachinesFailureAndNothingOfItIsKept) {
  for (const bool contained : {true, false})
    on_disk(std::uint64_t{300} << 20, [contained](const fs::path &place) {
      const Scratch cache;
      const Workshop workshop({}, cache.path(), contained ? Sandbox::detect() : Sandbox::none());
      ASSERT_TRUE(workshop.text(honest + "// before\n").ok);
      const fs::path filler = place / "filler";
      std::ofstream(filler) << std::string(fs::space(place).available - 100000, 'x');
      const Build failed = workshop.text(honest);
      EXPECT_FALSE(failed.ok);
      EXPECT_EQ(failed.reason, Reason::our_failure) << failed.message << failed.log;
      EXPECT_TRUE(failed.try_again);
      fs::remove(filler);
      const Build again = workshop.text(honest);
      EXPECT_TRUE(again.ok) << again.message << again.log;
      EXPECT_FALSE(again.from_cache);
    });
}

TEST_P(SmallDisk, AnUnboundedDiskThatFillsUpDuringACompilationIsTheMachinesFailure) {
  on_disk(std::uint64_t{200} << 20, [](const fs::path &) {
    const Workshop workshop({}, std::nullopt, Sandbox::none());
    const Build build = workshop.text(fills);
    EXPECT_EQ(build.reason, Reason::our_failure) << build.message << build.log;
    EXPECT_TRUE(build.try_again);
    EXPECT_NE(build.message.find("says nothing about the file"), std::string::npos) << build.message;
    EXPECT_TRUE(workshop.text(honest).ok);
  });
}

/// Kills every compiler below this process until it goes, as the kernel does when memory runs out.
class Killer {
 public:
  explicit Killer(int signal)
      : signal_(signal), thread_([this] {
          while (!stop_) {
            kill_below(::getpid());
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
        }) {}
  ~Killer() {
    stop_ = true;
    thread_.join();
  }
  int killed() const { return killed_; }

 private:
  void kill_below(int process) {
    std::error_code gone;
    for (const fs::directory_entry &task :
         fs::directory_iterator("/proc/" + std::to_string(process) + "/task", gone)) {
      std::ifstream children(task.path() / "children");
      for (int child = 0; children >> child;) {
        std::string name;
        std::getline(std::ifstream("/proc/" + std::to_string(child) + "/comm"), name);
        if (name == "cudafe++" || name == "cicc" || name == "cc1plus" || name.starts_with("clang"))
          killed_ += ::kill(child, signal_) == 0;
        kill_below(child);
      }
    }
  }
  const int signal_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> killed_ = 0;
  std::thread thread_;
};

/// By the signal that ends it.
class KilledCompiler : public ::testing::TestWithParam<int> {};

TEST_P(KilledCompiler, IsTheMachinesFailureAndIsTriedAgain) {
  const Scratch cache;
  const Workshop workshop({}, cache.path());
  // Takes a compiler some time, so that it meets its killer.
  const std::string slow =
      "template <int N> struct F { static constexpr int v = F<N - 1>::v + F<N - 2>::v % 3; };\n"
      "template <> struct F<0> { static constexpr int v = 0; };\n"
      "template <> struct F<1> { static constexpr int v = 1; };\n"
      "static_assert(F<150>::v != -1);\n" +
      honest;
  ASSERT_TRUE(workshop.text(honest).ok);  // what is made once a machine is made
  {
    const Killer killer(GetParam());
    const Build build = workshop.text(slow);
    EXPECT_EQ(build.reason, Reason::our_failure) << build.message << build.log;
    EXPECT_TRUE(build.try_again);
    EXPECT_GE(killer.killed(), 2) << "it was not tried twice";
  }
  const Build again = workshop.text(slow);
  EXPECT_TRUE(again.ok) << again.message << again.log;
  EXPECT_FALSE(again.from_cache);
}

INSTANTIATE_TEST_SUITE_P(Signal, KilledCompiler, ::testing::Values(SIGKILL, SIGTERM),
                         [](const auto &signal) { return "signal_" + std::to_string(signal.param); });

TEST(Shortage, AFileThatOnlyPrintsTheMessageIsWrongItself) {
  for (const char *words : {"No space left on device", "Cannot allocate memory", "internal compiler error"}) {
    const Workshop workshop({}, std::nullopt);
    const Build build = workshop.text(std::string("#error \"") + words + "\"\n" + honest);
    EXPECT_NE(build.reason, Reason::our_failure) << words << ": " << build.message;
    EXPECT_NE(build.reason, Reason::none);
    EXPECT_FALSE(build.try_again);
  }
}

}  // namespace
}  // namespace warpgrade::build
