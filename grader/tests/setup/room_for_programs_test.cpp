// Machines on which programs may not run in /tmp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

#include "sandbox/sandbox.hpp"
#include "setup/course_root.hpp"

namespace warpgrade {
namespace {

// What `body` returns in a process whose TMPDIR is a file system from which no program can be started; empty
// where this machine lets no process mount one.
std::string where_nothing_runs(const std::function<std::string()> &body) {
  const Scratch place;
  int channel[2];
  if (::pipe(channel) != 0) return "";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string said;
    if (::unshare(::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) == 0 &&
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        ::mount("noexec", place.path().c_str(), "tmpfs", MS_NOEXEC, "mode=1777") == 0 &&
        ::setenv("TMPDIR", place.path().c_str(), 1) == 0)
      said = body();
    (void)!::write(channel[1], said.data(), said.size());
    ::_exit(0);
  }
  ::close(channel[1]);
  std::string said(1000, '\0');
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(channel[0], said.data(), said.size()))));
  ::close(channel[0]);
  ::waitpid(child, nullptr, 0);
  return said;
}

TEST(RoomForPrograms, IsInTheCacheWhereNoneRunsInTmp) {
  const Scratch cache;
  const std::string said = where_nothing_runs([&] {
    ::setenv("WARPGRADE_CACHE", cache.path().c_str(), 1);
    find_room_for_programs();
    return Scratch().path().parent_path().string();
  });
  if (said.empty()) return;
  EXPECT_EQ(said, cache.path() / "tmp");
}

TEST(RoomForPrograms, IsRequestedIfNoneRunsInTheCacheEither) {
  const std::string said = where_nothing_runs([] {
    ::setenv("WARPGRADE_CACHE", std::getenv("TMPDIR"), 1);
    find_room_for_programs();
    try {
      return Scratch().path().string();
    } catch (const sandbox::SandboxError &e) {
      return std::string(e.what());
    }
  });
  if (said.empty()) return;
  EXPECT_THAT(said, testing::HasSubstr("(mounted noexec); name a folder where they can: export TMPDIR="));
}

}  // namespace
}  // namespace warpgrade
