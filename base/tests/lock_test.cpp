// One exclusive holder, or several shared ones.
#include "base/lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <system_error>

#include "base/descriptor.hpp"

namespace warpgrade {
namespace {

TEST(FileLock, AnExclusiveHolderKeepsOthersOutUntilItCloses) {
  std::string name = "/tmp/lock-XXXXXX";
  Descriptor first(::mkstemp(name.data()));
  const Descriptor second(::open(name.c_str(), O_RDONLY | O_CLOEXEC)),
      third(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  ::unlink(name.c_str());
  EXPECT_TRUE(lock_file(first.get(), Lock::alone, 0));
  EXPECT_FALSE(lock_file(second.get(), Lock::shared, 0));
  first.close();
  EXPECT_TRUE(lock_file(second.get(), Lock::shared, 0));
  EXPECT_TRUE(lock_file(third.get(), Lock::shared, 0));
  EXPECT_FALSE(lock_file(third.get(), Lock::alone, 0.02));
}

TEST(FileLock, AFileThatCannotBeLockedIsAnErrorAndNotATimeout) {
  EXPECT_THROW(lock_file(-1, Lock::alone, 0), std::system_error);
}

}  // namespace
}  // namespace warpgrade
