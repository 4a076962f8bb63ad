#include "sandbox/sandbox.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/process.hpp"
#include "tests/burners.hpp"

namespace warpgrade::sandbox {
namespace {

namespace fs = std::filesystem;
using End = Outcome::End;

Command shell(const std::string &script) {
  Command command;
  command.arguments = {"/usr/bin/bash", "-c", script};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.limits.wall_seconds = 120;  // more than any takes on a busy machine
  return command;
}

// Seconds for sleep(1) that no other process of this machine sleeps, to find it by.
std::string unique_seconds() {
  return "31." + std::to_string(::getpid());
}

// How many processes of this machine have `text` in their command line.
int processes_with(const std::string &text) {
  int count = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::stringstream line;
    line << file.rdbuf();
    count += line.str().find(text) != std::string::npos;
  }
  return count;
}

// Every mode there is must keep these; a machine without bubblewrap tests `none` twice.
class EveryMode : public testing::TestWithParam<bool> {
 protected:
  const Sandbox sandbox = GetParam() ? Sandbox::detect() : Sandbox::none();
};
INSTANTIATE_TEST_SUITE_P(Sandbox, EveryMode, testing::Bool(),
                         [](const auto &mode) { return mode.param ? "detected" : "none"; });

// As in `unshare -r`, fakeroot and some rootless containers: there is no other user that a sandbox could be.
TEST(Sandbox, WorksForRootOfANamespaceWithOneUser) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  std::vector<std::string> command = {self, "--gtest_filter=*EveryMode.TheWorkingDirectoryIsSharedWithUs*"};
  // Where user namespaces are switched off, there is no such root, and the test runs as it is.
  if (run_command({"unshare", "--map-root-user", "true"}, 60).ok())
    command.insert(command.begin(), {"unshare", "--map-root-user"});
  const CommandOutcome there = run_command(command, 120);
  EXPECT_TRUE(there.ok()) << there.out << there.error;
}

// A program that the machine gives no processor to for seconds looks like one that waits, but for its state.
TEST(Sandbox, AProgramThatWaitsForAProcessorOnlyKeepsItsTime) {
  // The least share there is, also where each session has a share of its own; only without bubblewrap can the program
  // ask for that.
  Command command = shell(
      "{ echo 19 > /proc/self/autogroup; } 2>/dev/null; exec chrt --idle 0 bash -c 'while :; do :; done'");
  command.limits.wall_seconds = 0.5;
  command.limits.stretch = 6;
  command.limits.total_memory_bytes = std::uint64_t{1} << 30;
  const tests::OneProcessor here;
  const tests::Burners others(15);
  const Outcome outcome = Sandbox::none().run(command);
  EXPECT_EQ(outcome.end, End::wall_limit);
  EXPECT_TRUE(outcome.starved) << "it computed " << outcome.cpu_seconds << " s in " << outcome.seconds
                               << " s";
  EXPECT_GE(outcome.seconds, 3);
}

TEST_P(EveryMode, SaysHowTheProgramEndedAndWhatItPrinted) {
  const Outcome outcome = sandbox.run(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(outcome.end, End::exited);
  EXPECT_EQ(outcome.code, 7);
  EXPECT_EQ(outcome.output, "out\nerr\n");
  EXPECT_FALSE(outcome.truncated);
}

TEST_P(EveryMode, ADeadlineEndsTheProgramAndItsDaemons) {
  const std::string sleep = "sleep " + unique_seconds();
  Command command =
      shell("(setsid " + sleep + " & setsid setsid " + sleep + " &) ; trap '' TERM HUP INT; " + sleep);
  command.limits.wall_seconds = 0.3;
  EXPECT_EQ(sandbox.run(command).end, End::wall_limit);
  EXPECT_EQ(processes_with(unique_seconds()), 0);
}

TEST_P(EveryMode, DaemonsOfAnEndedProgramAreKilled) {
  const Outcome outcome = sandbox.run(shell("(setsid sleep " + unique_seconds() + " >&- 2>&- &) ; exit 0"));
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(processes_with(unique_seconds()), 0);
}

TEST_P(EveryMode, ProcessorTimeIsLimited) {
  Command command = shell("while :; do :; done");
  command.limits.cpu_seconds = 1;
  command.limits.wall_seconds = 600;  // on a busy machine, a second of processor time takes long
  const Outcome outcome = sandbox.run(command);
  EXPECT_NE(outcome.end, End::wall_limit);
  EXPECT_FALSE(outcome.ok());
  // The kernel's limit counts clock ticks, its usage nanoseconds: under load they differ by a fifth.
  EXPECT_GE(outcome.cpu_seconds, 0.5);
}

TEST_P(EveryMode, ABusyMachineExtendsTheDeadlineOfComputation) {
  // Where the kernel gives each session an equal share, the program takes a smaller one than the burners' session.
  Command command = shell(
      "{ echo 5 > /proc/self/autogroup; } 2>/dev/null; perl -e 'while ((times)[0] + (times)[1] < 0.3) {}'");
  command.limits.wall_seconds = 0.5;
  command.limits.stretch = 1000;
  command.limits.total_memory_bytes = std::uint64_t{1} << 30;
  const tests::OneProcessor here;
  const tests::Burners others(15);
  // A virtual machine that stands still for a second looks like a program that waits: hence three attempts.
  Outcome outcome;
  for (int attempt = 0; attempt < 3; ++attempt) {
    outcome = sandbox.run(command);
    if (outcome.ok() && outcome.seconds > command.limits.wall_seconds) break;
  }
  EXPECT_TRUE(outcome.ok()) << "end " << static_cast<int>(outcome.end) << " after " << outcome.seconds
                            << " s, of which it computed " << outcome.cpu_seconds << ": " << outcome.output;
  EXPECT_GT(outcome.seconds, command.limits.wall_seconds);  // else the others did not keep it waiting
}

TEST_P(EveryMode, ABusyMachineExtendsNoDeadlineOfAWaitOrAnEndlessLoop) {
  for (const char *what : {"sleep 1000", "while :; do :; done"}) {
    Command command = shell(what);
    command.limits.wall_seconds = 0.3;
    command.limits.stretch = 1e6;
    command.limits.total_memory_bytes = std::uint64_t{1} << 30;
    const Outcome outcome = sandbox.run(command);
    EXPECT_EQ(outcome.end, End::wall_limit) << what;
    EXPECT_FALSE(outcome.starved) << what;
  }
}

TEST_P(EveryMode, MemoryOfAllProcessesTogetherIsLimited) {
  // Each holds 60 MB, which none of the limits of one process minds.
  const std::string one = "perl -e '$x = \"a\" x 60000000; sleep 100'";
  Command command = shell(one + " & " + one + " & " + one + " & wait");
  command.limits.total_memory_bytes = 150 << 20;
  EXPECT_EQ(sandbox.run(command).end, End::memory_limit);
  command = shell("perl -e '$x = \"a\" x 60000000'");
  command.limits.total_memory_bytes = 400 << 20;
  const Outcome outcome = sandbox.run(command);
  EXPECT_TRUE(outcome.ok()) << outcome.output;
  EXPECT_GT(outcome.machine.least_memory, 0u);
  EXPECT_LT(outcome.machine.least_memory, ~std::uint64_t{0});
}

TEST_P(EveryMode, OutputIsCutAtTheCapAndTheProgramContinues) {
  Command command = shell("for i in {1..2000}; do echo 0123456789; done; exit 3");
  command.limits.output_bytes = 1000;
  const Outcome outcome = sandbox.run(command);
  EXPECT_EQ(outcome.output.size(), 1000u);
  EXPECT_TRUE(outcome.truncated);
  EXPECT_EQ(outcome.code, 3);
}

TEST_P(EveryMode, FilesCannotGrowBeyondTheLimit) {
  const Scratch scratch;
  Command command = shell("yes > large; ls -s --block-size=1 large");
  command.work = scratch.path();
  command.limits.file_bytes = 1 << 20;
  EXPECT_TRUE(sandbox.run(command).ok());
  EXPECT_EQ(fs::file_size(scratch.path() / "large"), 1u << 20);
}

TEST_P(EveryMode, ABoundedFolderFillsWithoutAffectingItsNeighbours) {
  const Scratch scratch;
  Command command = shell(
      "for i in 1 2 3 4; do head -c 1000000 /usr/bin/bash > build/$i || echo full; done; "
      "head -c 1000000 /usr/bin/bash > outside && rm build/1 && head -c 900000 /usr/bin/bash > build/5 && "
      "mv build/5 kept");
  command.work = scratch.path();
  command.bounded = "build";
  command.limits.bounded_bytes = 2500000;
  const Outcome outcome = sandbox.run(command);
  EXPECT_TRUE(outcome.ok()) << outcome.output;
  EXPECT_EQ(fs::file_size(scratch.path() / "outside"), 1000000u);
  EXPECT_EQ(fs::file_size(scratch.path() / "kept"), 900000u);
  if (sandbox.bounds_space()) {
    EXPECT_NE(outcome.output.find("No space left on device"), std::string::npos) << outcome.output;
    EXPECT_TRUE(fs::is_empty(scratch.path() / "build"));  // it was never on the disk
  } else {
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(fs::file_size(scratch.path() / "build/4"), 1000000u);
    EXPECT_TRUE(sandbox.mode() == Sandbox::Mode::none ||
                sandbox.describe().find("cannot limit the space of a build") != std::string::npos)
        << sandbox.describe();
  }
}

TEST_P(EveryMode, MemoryIsLimited) {
  Command command = shell("dd if=/dev/null of=/dev/null bs=2G count=1");
  command.limits.memory_bytes = 1 << 30;
  const Outcome outcome = sandbox.run(command);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("memory exhausted"), std::string::npos) << outcome.output;
}

TEST_P(EveryMode, OnlyNamedDescriptorsAreInherited) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);  // without O_CLOEXEC: a careless part of the grader
  ASSERT_EQ(::write(pipe[1], "secret\n", 7), 7);
  ::close(pipe[1]);
  ASSERT_EQ(::dup2(pipe[0], 77), 77);
  EXPECT_FALSE(sandbox.run(shell("cat <&77")).ok());
  Command named = shell("cat <&5");
  named.descriptors = {{pipe[0], 5}};
  EXPECT_EQ(sandbox.run(named).output, "secret\n");
  ::close(pipe[0]);
  ::close(77);
}

TEST_P(EveryMode, StandardInputIsEmpty) {
  EXPECT_EQ(sandbox.run(shell("cat; echo $?")).output, "0\n");
}

TEST_P(EveryMode, TheEnvironmentContainsOnlyOurVariables) {
  ::setenv("WARPGRADE_TEST_SECRET", "42", 1);
  Command command = shell("env");
  command.environment.push_back("MINE=a b=c");
  const std::string output = sandbox.run(command).output;
  EXPECT_NE(output.find("MINE=a b=c\n"), std::string::npos) << output;
  EXPECT_EQ(output.find("SECRET"), std::string::npos) << output;
}

TEST_P(EveryMode, AProcessEndsWithItsOwner) {
  { const Process process = sandbox.start(shell("sleep " + unique_seconds())); }
  EXPECT_EQ(processes_with(unique_seconds()), 0);
  Process process = sandbox.start(shell("sleep " + unique_seconds()));
  process.kill();
  EXPECT_EQ(process.wait().end, End::killed);
  EXPECT_EQ(processes_with(unique_seconds()), 0);
}

TEST_P(EveryMode, AMissingProgramCannotBeStarted) {
  Command command;
  command.arguments = {"/usr/bin/no-such-program"};
  EXPECT_FALSE(sandbox.run(command).ok());
}

TEST_P(EveryMode, TheWorkingDirectoryIsSharedWithUs) {
  const Scratch scratch;
  std::ofstream(scratch.path() / "in") << "from outside";
  Command command = shell("cat in; echo from inside > out; mkdir d; touch $TMPDIR/t");
  command.work = scratch.path();
  EXPECT_EQ(sandbox.run(command).output, "from outside");
  std::string line;
  std::getline(std::ifstream(scratch.path() / "out"), line);
  EXPECT_EQ(line, "from inside");
}

// What only bubblewrap gives: there are such tests where it works. Where it does not, describe() says why.
class Bubblewrap : public testing::TestWithParam<const char *> {
 protected:
  const Sandbox sandbox = Sandbox::detect();
  std::string output(const std::string &script) { return sandbox.run(shell(script)).output; }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Bubblewrap);
INSTANTIATE_TEST_SUITE_P(Sandbox, Bubblewrap,
                         testing::ValuesIn(Sandbox::detect().mode() == Sandbox::Mode::none
                                               ? std::vector<const char *>{}
                                               : std::vector<const char *>{"works"}),
                         [](const auto &here) { return std::string(here.param); });

TEST_P(Bubblewrap, ShowsTheToolchainAndNothingElse) {
  EXPECT_EQ(output("ls /dev"), "null\n");
  EXPECT_EQ(output("ls /proc /sys /home /root /usr/local /usr/share /var /run 2>/dev/null"), "");
  EXPECT_EQ(output("ls /etc"), "alternatives\nld.so.cache\n");
  EXPECT_EQ(output("ls /tmp"), "");
  EXPECT_NE(output("cat /dev/zero 2>&1").find("No such file"), std::string::npos);
}

TEST_P(Bubblewrap, OnlyTheWorkingDirectoryAndTmpAreWritable) {
  EXPECT_EQ(output("for d in / /dev /etc /usr/bin /usr/lib; do touch $d/x 2>/dev/null && echo $d; done"), "");
  EXPECT_EQ(output("touch /tmp/x && echo yes"), "yes\n");
}

TEST_P(Bubblewrap, AFolderOfOursIsReadWhereItIsShownAndNotChanged) {
  const Scratch ours, work;
  fs::permissions(ours.path(), fs::perms(0755));
  std::ofstream(ours.path() / "tool") << "of ours";
  fs::permissions(ours.path() / "tool", fs::perms(0644));
  ASSERT_TRUE(sandbox.can_show(ours.path()));
  Command command = shell(
      "cat tools/tool; for to in tools/tool tools/new; do ! echo theirs > $to || exit 1; done 2> /dev/null; "
      "! rm -rf tools/tool 2> /dev/null && echo theirs > beside");
  command.work = work.path();
  command.shown.push_back({ours.path(), "tools"});
  const Outcome outcome = sandbox.run(command);
  EXPECT_TRUE(outcome.ok()) << outcome.code;
  EXPECT_EQ(outcome.output, "of ours");
  EXPECT_TRUE(fs::exists(work.path() / "beside"));
  std::string text;
  std::getline(std::ifstream(ours.path() / "tool"), text);
  EXPECT_EQ(text, "of ours");
}

TEST_P(Bubblewrap, CannotShowWhatItsUserCannotReach) {
  const Scratch closed;
  fs::create_directory(closed.path() / "within");
  fs::permissions(closed.path(), fs::perms(0700));
  EXPECT_EQ(sandbox.can_show(closed.path() / "within"), sandbox.mode() == Sandbox::Mode::bubblewrap);
}

TEST_P(Bubblewrap, TmpHasTheSizeOfItsLimit) {
  Command command = shell(
      "head -c 5000000 /usr/bin/bash > /tmp/a; cat /tmp/a /tmp/a /tmp/a /tmp/a > /tmp/b; stat -c %s /tmp/b");
  command.limits.temporary_bytes = 1 << 20;
  EXPECT_EQ(sandbox.run(command).output.find("5000000"), std::string::npos);
}

TEST_P(Bubblewrap, HasNoNetwork) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  socklen_t length = sizeof address;
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr *>(&address), &length), 0);
  const std::string script =
      "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(ntohs(address.sin_port)) + " && echo reached";
  EXPECT_EQ(Sandbox::none().run(shell(script)).output, "reached\n");  // the test detects it
  EXPECT_EQ(output(script).find("reached"), std::string::npos);
  ::close(listener);
}

TEST_P(Bubblewrap, SeesNoOtherProcesses) {
  EXPECT_EQ(output("kill -0 $PPID 2>&1; echo $PPID").substr(0, 2), "1\n");
}

TEST_P(Bubblewrap, AForkBombStopsAtTheLimit) {
  if (sandbox.mode() != Sandbox::Mode::bubblewrap_own_user)
    return;  // processes are counted where we can give a user
  Command command = shell("for i in {1..300}; do sleep " + unique_seconds() + " & echo; done 2>&-");
  command.limits.processes = 20;
  command.limits.wall_seconds = 1;  // bash waits and tries again
  const std::size_t started = sandbox.run(command).output.size();
  EXPECT_GT(started, 10u);
  EXPECT_LT(started, 20u);
  EXPECT_EQ(processes_with(unique_seconds()), 0);
}

TEST(Scratch, IsRemovedAfterwards) {
  fs::path path;
  {
    const Scratch scratch;
    path = scratch.path();
    fs::create_directories(path / "a/b");
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(Sandbox, DescribesItselfInWords) {
  EXPECT_FALSE(Sandbox::detect().describe().empty());
  EXPECT_EQ(
      Sandbox::none("told so").describe(),
      "no sandbox (told so): limits and a system call filter restrict student code, but compilers see the "
      "files and the "
      "network of this account");
}

// Ubuntu 22.04 has bubblewrap 0.6.1, which does not know --size. Ubuntu 20.04 and RHEL 8 have 0.4, which also
// lacks --perms and --clearenv.
TEST(OldBubblewrap, StillIsolatesAndSaysWhatItCannotLimit) {
  const Sandbox present = Sandbox::detect();
  const bool contains =
      present.mode() != Sandbox::Mode::none;  // else neither contains anything, and both say so
  const Scratch scratch;
  const fs::path old = scratch.path() / "bwrap";
  std::ofstream(old)
      << "#!/bin/sh\nfor word; do\n  case $word in --size|--perms|--clearenv) echo \"bwrap: Unknown "
         "option $word\"; exit 1;; esac\ndone\nexec /usr/bin/bwrap \"$@\"\n";
  fs::permissions(old, fs::perms(0755));
  fs::permissions(scratch.path(), fs::perms(0755));
  const Sandbox sandbox = Sandbox::detect(old.string());
  EXPECT_EQ(sandbox.mode(), present.mode()) << sandbox.describe();
  EXPECT_FALSE(sandbox.bounds_space());
  EXPECT_NE(sandbox.describe().find(contains ? "cannot limit the space of a build" : "no sandbox"),
            std::string::npos)
      << sandbox.describe();
  const Scratch work;
  Command command = shell("echo there > build/file && echo there > $TMPDIR/file && cat build/file");
  command.work = work.path();
  command.bounded = "build";
  EXPECT_EQ(sandbox.run(command).output, "there\n");
  EXPECT_TRUE(fs::exists(work.path() / "build/file"));
  Command alone;
  alone.view = View::nothing;
  alone.program = WARPGRADE_ALONE;
  alone.arguments = {"alone", "twice"};
  if (contains) {
    EXPECT_EQ(sandbox.run(alone).output, "alone, 2 words, twice\n");
    EXPECT_EQ(present.run(alone).output, "alone, 2 words, twice\n");
  }
}

}  // namespace
}  // namespace warpgrade::sandbox
