#include "batch/apart.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "batch/archive.hpp"
#include "make_archive.hpp"
#include "sandbox/sanitized.hpp"

namespace warpgrade::batch {
namespace {

using ::testing::HasSubstr;

constexpr ApartLimits limits = {256 << 20, 20};

std::string refused(const std::function<std::string()> &work, const ApartLimits &within = limits) {
  try {
    return "not refused: " + run_apart(within, -1, work);
  } catch (const Refused &e) {
    return e.what();
  }
}

TEST(Apart, GivesWhatTheWorkGives) {
  EXPECT_EQ(run_apart(limits, -1, [] { return std::string("a\0b", 3); }), std::string("a\0b", 3));
  EXPECT_EQ(run_apart(limits, -1, [] { return std::string(10 << 20, 'x'); }).size(), std::size_t{10} << 20);
  EXPECT_EQ(run_apart(limits, -1, [] { return std::string(); }), "");
}

TEST(Apart, ARefusalComesBackAsOneAndAnotherErrorAsAnError) {
  EXPECT_EQ(refused([]() -> std::string { throw Refused("no."); }), "no.");
  EXPECT_THROW(run_apart(limits, -1, []() -> std::string { throw std::logic_error("ours"); }),
               std::runtime_error);
}

TEST(Apart, ACrashAnEndlessLoopAndTooMuchMemoryAreRefusals) {
  // A sanitizer ends its process without a signal.
  const std::string crashed = sandbox::sanitized ? "no answer" : "signal 11";
  EXPECT_THAT(refused([]() -> std::string {
                volatile int *nowhere = nullptr;
                *nowhere = *nowhere + 1;
                return "";
              }),
              HasSubstr("The archive reader failed on it (" + crashed + ")"));
  EXPECT_THAT(refused([]() -> std::string { ::_exit(0); }), HasSubstr("reader failed on it (no answer)"));
  EXPECT_THAT(refused(
                  []() -> std::string {
                    for (volatile bool on = true; on;) {
                    }
                    return "";
                  },
                  {256 << 20, 0.2}),
              HasSubstr("Reading it took more than 0.2 seconds and was stopped."));
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_THAT(refused([] { return std::string(std::size_t{1} << 30, 'x'); }),
              HasSubstr("Reading it takes more than 256 MiB of memory."));
#endif
}

TEST(Apart, TheWorkCannotOpenStartSendOrSeeAnything) {
  const Scratch scratch;
  const auto file = scratch.write("hidden.yaml", "secret");
  const int inherited = ::open(file.c_str(), O_RDWR);
  ASSERT_GE(inherited, 3);
  const std::string seen = run_apart(limits, -1, [&] {
    std::string can;
    char buffer[8];
    if (::open(file.c_str(), O_RDONLY) >= 0) can += " open";
    if (::open((scratch.path() / "new").c_str(), O_WRONLY | O_CREAT, 0644) >= 0) can += " create";
    if (::pread(inherited, buffer, sizeof buffer, 0) >= 0) can += " inherit";
    if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) can += " connect";
    if (::fork() >= 0) can += " fork";
    if (::kill(::getppid(), 0) == 0) can += " kill";
    if (::execl("/bin/true", "true", nullptr) == 0) can += " execute";
    return "nothing of it:" + can;
  });
  ::close(inherited);
  EXPECT_EQ(seen, "nothing of it:");
}

TEST(Apart, TheDescriptorThatIsNamedCanBeRead) {
  const Scratch scratch;
  const int descriptor = ::open(scratch.write("file", "text").c_str(), O_RDONLY);
  const std::string read = run_apart(limits, descriptor, [&] {
    std::string bytes(4, '\0');
    return ::pread(descriptor, bytes.data(), 4, 0) == 4 ? bytes : "";
  });
  ::close(descriptor);
  EXPECT_EQ(read, "text");
}

TEST(Apart, ATinyArchiveThatAsksForALotOfMemoryIsRefused) {
  // 7z: a directory of 99 999 999 files, in 49 bytes. Its checksums are right.
  const unsigned char hostile[] = {
      0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0x00, 0x04, 0xea, 0xbc, 0xa6, 0xe5, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x19, 0xdc, 0x94, 0x3e, 0x01, 0x05,
      0xf0, 0xff, 0xe0, 0xf5, 0x05, 0x15, 0x06, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
  const std::string bytes(reinterpret_cast<const char *>(hostile), sizeof hostile);
  const Scratch scratch;
  EXPECT_NE(taken(scratch.write("20261234_HW6.7z", bytes)).only().refused, "");
  course::Assignment small = hw6();
  small.archive_limits.memory_bytes = 64 << 20;
  EXPECT_NE(taken(scratch.path() / "20261234_HW6.7z", {}, small).only().refused, "");
}

}  // namespace
}  // namespace warpgrade::batch
