// Programs that we start: what they inherit, what they do not, and how their end is reported.
#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "base/descriptor.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace warpgrade {
namespace {

using ::testing::HasSubstr;

Start shell(const std::string &script) {
  return {.program = "/bin/sh", .arguments = {"sh", "-c", script}};
}

bool is_there(pid_t process) {
  return ::kill(process, 0) == 0 &&
         read_or_empty("/proc/" + std::to_string(process) + "/stat").find(") Z ") == std::string::npos;
}

bool goes(pid_t process) {
  for (int i = 0; i < 5000 && is_there(process); ++i) ::usleep(2000);
  return !is_there(process);
}

TEST(Process, ACommandGivesWhatItPrintedAndItsStatus) {
  const CommandOutcome done = run_program(shell("echo out; echo error >&2; exit 3"), 60);
  EXPECT_TRUE(done.started);
  EXPECT_TRUE(done.in_time);
  EXPECT_EQ(done.out, "out\n");
  EXPECT_EQ(done.error, "error\n");
  EXPECT_EQ(done.status, 3);
  EXPECT_EQ(done.end, "exit status 3");
  EXPECT_EQ(run_program(shell("kill -SEGV $$"), 60).end, "signal 11 (Segmentation fault)");
  EXPECT_EQ(run_program(shell("kill -SEGV $$"), 60).status, 128 + SIGSEGV);
}

TEST(Process, ACommandIsFoundOnThePathAndNoShellSeesItsWords) {
  EXPECT_EQ(run_command({"printf", "%s", "$HOME; *"}, 60).out, "$HOME; *");
  EXPECT_FALSE(run_command({"no-such-program-anywhere"}, 60).started);
  EXPECT_FALSE(run_command({"/no/such/program"}, 60).started);
}

TEST(Process, ACommandThatTakesTooLongIsKilledWithWhatItStarted) {
  const CommandOutcome done = run_program(shell("sleep 300 & echo $!; wait"), 0.5);
  EXPECT_FALSE(done.in_time);
  EXPECT_FALSE(done.ok());
  EXPECT_TRUE(goes(std::stoi(done.out)));
}

TEST(Process, AMissingProgramIsAnErrorWithItsReason) {
  try {
    Child child({.program = "/no/such/program", .arguments = {"x"}});
    FAIL();
  } catch (const std::system_error &e) {
    EXPECT_EQ(e.code().value(), ENOENT);
    EXPECT_THAT(e.what(), HasSubstr("/no/such/program"));
  }
}

TEST(Process, ItHasNoDescriptorsButThoseGivenToIt) {
  const Descriptor secret(::open("/dev/zero", O_RDONLY));  // without O_CLOEXEC
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  Start start = shell("exec ls -l /proc/self/fd >&3");
  start.descriptors = {{to.get(), 3}};
  Child child(start);
  to.close();
  std::string listed;
  char piece[4096];
  for (ssize_t got; (got = ::read(from.get(), piece, sizeof piece)) > 0;)
    listed.append(piece, static_cast<std::size_t>(got));
  EXPECT_TRUE(child.ended(60));
  for (const char *standard : {" 0 -> /dev/null", " 2 -> /dev/null"})
    EXPECT_THAT(listed, HasSubstr(standard));
  int open = 0;
  for (const std::string &line : lines_of(listed))
    open += line.find(" -> ") != std::string::npos && line.find("/fd") == std::string::npos;
  EXPECT_EQ(open, 4) << listed;  // 0 to 3; ls itself has the folder open
  EXPECT_EQ(listed.find("/dev/zero"), std::string::npos) << listed;
}

TEST(Process, DescriptorsArriveAtTheirNumbersWhateverOursAre) {
  int first[2], second[2];
  ASSERT_EQ(::pipe2(first, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(second, O_CLOEXEC), 0);
  const Descriptor a(first[0]), a_end(first[1]), b(second[0]), b_end(second[1]);
  Start start = shell("printf a >&3; printf b >&4");
  start.descriptors = {{a_end.get(), 3}, {b_end.get(), 4}};
  Child child(start);
  EXPECT_TRUE(child.ended(60));
  char got = 0;
  ASSERT_EQ(::read(a.get(), &got, 1), 1);
  EXPECT_EQ(got, 'a');
  ASSERT_EQ(::read(b.get(), &got, 1), 1);
  EXPECT_EQ(got, 'b');
}

/// "SigIgn:\t0000000000000200" without the two signals that the C library keeps for itself, which no program
/// can reset: who starts the tests may ignore them.
std::string without_those_of_the_library(const std::string &line) {
  const std::size_t digits = line.find('\t') + 1;
  const unsigned long long set = std::stoull(line.substr(digits), nullptr, 16) & ~0x1'8000'0000ull;
  return fmt::format("{}{:016x}", line.substr(0, digits), set);
}

TEST(Process, ItsSignalsAreTheDefaultOnesAndItsGroupItsOwn) {
  ::signal(SIGUSR1, SIG_IGN);
  sigset_t blocked, before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR2);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  const CommandOutcome facts = run_program(
      shell("grep -E 'SigBlk|SigIgn' /proc/self/status; ps -o pgid= -p $$ | tr -d ' '; echo $$"), 60);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGUSR1, SIG_DFL);
  const std::vector<std::string> lines = lines_of(facts.out);
  ASSERT_EQ(lines.size(), 4u) << facts.out;
  EXPECT_EQ(lines[0], "SigBlk:\t0000000000000000");
  EXPECT_EQ(without_those_of_the_library(lines[1]), "SigIgn:\t0000000000000000");
  EXPECT_EQ(lines[2], lines[3]);
}

TEST(Process, InOurPlaceItKeepsOurGroupOurFilesAndWhatWeIgnore) {
  ::signal(SIGUSR1, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor from(ends[0]), to(ends[1]);
  Start start = shell("grep SigIgn /proc/self/status >&" + std::to_string(to.get()));
  start.in_our_place = true;
  Child child(start);
  ASSERT_TRUE(child.ended(60));
  ::signal(SIGUSR1, SIG_DFL);
  std::string line(64, '\0');
  line.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(from.get(), line.data(), line.size()))));
  EXPECT_EQ(without_those_of_the_library(line), "SigIgn:\t0000000000000200");
}

TEST(Process, ItsEnvironmentIsOursOrTheOneGiven) {
  ::setenv("WARPGRADE_TEST", "ours", 1);
  EXPECT_EQ(run_program(shell("echo $WARPGRADE_TEST"), 60).out, "ours\n");
  Start changed = shell("echo $WARPGRADE_TEST");
  changed.environment = environment_with({"WARPGRADE_TEST=theirs"});
  EXPECT_EQ(run_program(changed, 60).out, "theirs\n");
  Start none = {.program = "/usr/bin/env", .arguments = {"env"}};
  none.environment = std::vector<std::string>{};
  EXPECT_EQ(run_program(none, 60).out, "");
  ::unsetenv("WARPGRADE_TEST");
}

TEST(Process, IsAnnouncedBeforeItBegins) {
  std::string name = "/tmp/process-XXXXXX";
  const Descriptor file(::mkstemp(name.data()));
  ::unlink(name.c_str());
  pid_t told = -1;
  off_t size = -1;
  Start start = shell("echo begun >&3");
  start.descriptors = {{file.get(), 3}};
  start.announced = [&](pid_t process) {
    told = process;
    size = ::lseek(file.get(), 0, SEEK_END);
  };
  Child child(start);
  EXPECT_EQ(told, child.id());
  EXPECT_EQ(size, 0);
  ASSERT_TRUE(child.ended(60));
  EXPECT_EQ(*child.status(), 0);
  EXPECT_EQ(::lseek(file.get(), 0, SEEK_END), 6);
}

TEST(Process, DiesWithTheThreadThatStartedItOnRequest) {
  pid_t process = -1;
  std::thread([&] {
    Start start = shell("exec sleep 300");
    start.dies_with_us = true;
    Child child(start);
    process = child.id();
    child.forget();
  }).join();
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(how_it_ended(status), "signal 9 (Killed)");
}

TEST(Process, IsKilledWithItsOwner) {
  pid_t process = -1;
  {
    Child child(shell("exec sleep 300"));
    process = child.id();
    EXPECT_FALSE(child.ended());
  }
  EXPECT_FALSE(is_there(process));
}

TEST(Process, ACopyOfUsGivesTheStatusOfItsWork) {
  Child child = Child::copy([] { return 5; });
  ASSERT_TRUE(child.ended(60));
  EXPECT_EQ(exit_status(*child.status()), 5);
  Child thrower = Child::copy([]() -> int { throw 1; });
  ASSERT_TRUE(thrower.ended(60));
  EXPECT_EQ(exit_status(*thrower.status()), 128 + SIGABRT);
}

TEST(Process, SeveralThreadsMayStartProcessesTogether) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 20; ++i)
        wrong[t] += run_program(shell("echo " + std::to_string(i)), 60).out != std::to_string(i) + "\n";
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8));
}

}  // namespace
}  // namespace warpgrade
