// Whatever a request does to its worker, the run continues and every request gets a reply.
#include "batch/workers.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <set>

#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {

/// Answers "echo x" with x, and does what other requests say.
int worker_of_the_tests() {
  batch::WorkerChannel channel;
  channel.ready();
  while (const auto request = channel.receive()) {
    const std::string verb = request->substr(0, request->find(' ')),
                      rest = request->substr(request->find(' ') + 1);
    if (verb == "abort") ::abort();
    if (verb == "exit") ::_exit(3);
    if (verb == "say") {
      ::fprintf(stderr, "%s\n", rest.c_str());
      ::abort();
    }
    if (verb == "hang") {
      channel.phase(0.2);
      for (;;) ::pause();
    }
    if (verb == "slow") {
      for (int i = 0; i < 5; ++i) {
        channel.phase(60);
        ::usleep(20'000);
      }
    }
    if (verb == "once") {  // dies unless the file is there
      if (!std::filesystem::exists(rest)) {
        std::ofstream(rest) << "here";
        ::kill(::getpid(), SIGKILL);
      }
    }
    if (verb == "orphan") {  // a process that outlives its parent and holds everything open
      if (::fork() == 0) {
        ::sleep(3);
        ::_exit(0);
      }
      ::_exit(7);
    }
    if (verb == "garble") {  // what a process with damaged memory might send, unchanged
      const std::string bytes = rest == "phase"  ? std::string("p\5\0\0\0hello", 10)
                                : rest == "nan"  ? std::string("p\3\0\0\0nan", 8)
                                : rest == "size" ? std::string("a\xff\xff\xff\xffx", 6)
                                                 : std::string("?\1\0\0\0x", 6);
      ::send(3, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      for (;;) ::pause();
    }
    channel.answer(verb == "pid" ? std::to_string(::getpid()) : rest);
  }
  return 0;
}

namespace {

using namespace batch;

struct Outcome {
  bool finished = false;
  std::map<std::string, Reply> replies;
  std::vector<pid_t> started;
};

Outcome run(const std::vector<std::string> &requests, int workers, int answers = 100, int stop = -1) {
  Outcome outcome;
  WorkerOptions options;
  options.arguments.assign(static_cast<std::size_t>(workers), {"--worker"});
  options.answers = answers;
  options.started = [&](pid_t pid) { outcome.started.push_back(pid); };
  Workers pool(options);
  std::size_t next = 0;
  outcome.finished = pool.run(
      [&]() -> std::optional<Request> {
        if (next == requests.size()) return std::nullopt;
        const std::string text = requests[next++];
        return Request{std::to_string(next - 1), text};
      },
      [&](Reply reply) {
        const std::string name = reply.request;
        EXPECT_TRUE(outcome.replies.emplace(name, std::move(reply)).second) << "two replies to " << name;
      },
      stop);
  for (const pid_t pid : outcome.started) EXPECT_NE(::kill(pid, 0), 0) << "a worker is still there";
  return outcome;
}

TEST(Workers, AnswerEveryRequestOnce) {
  std::vector<std::string> requests;
  for (int i = 0; i < 50; ++i) requests.push_back("echo " + std::to_string(i));
  const Outcome o = run(requests, 3);
  EXPECT_TRUE(o.finished);
  ASSERT_EQ(o.replies.size(), 50u);
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(o.replies.at(std::to_string(i)).answered);
    EXPECT_EQ(o.replies.at(std::to_string(i)).text, std::to_string(i));
  }
  EXPECT_LE(o.started.size(), 3u);
}

TEST(Workers, LargeRequestsAndAnswersComeWhole) {
  const std::string big(3'000'000, 'x');
  const Outcome o = run({"echo " + big}, 1);
  EXPECT_EQ(o.replies.at("0").text, big);
}

TEST(Workers, ACrashCostsOnlyItsRequestAndSaysHow) {
  const Outcome o = run({"echo a", "abort ", "echo b", "exit ", "say out of luck", "echo c"}, 2);
  EXPECT_TRUE(o.finished);
  ASSERT_EQ(o.replies.size(), 6u);
  for (const char *good : {"0", "2", "5"}) EXPECT_TRUE(o.replies.at(good).answered);
  EXPECT_EQ(o.replies.at("1").text, "Aborted");
  EXPECT_EQ(o.replies.at("3").text, "exit status 3");
  EXPECT_EQ(o.replies.at("4").text, "Aborted: out of luck");
}

TEST(Workers, ARequestWhoseWorkerWasKilledIsTriedOnceMore) {
  const Folder folder;
  const Outcome o = run({"once " + (folder / "file").string()}, 1);
  EXPECT_TRUE(o.replies.at("0").answered);
  EXPECT_EQ(o.started.size(), 2u);
}

TEST(Workers, ExcessiveSilenceEndsTheWorkerAndNotTheRun) {
  const Outcome o = run({"hang ", "echo a", "slow b"}, 1);
  EXPECT_FALSE(o.replies.at("0").answered);
  EXPECT_THAT(o.replies.at("0").text, ::testing::StartsWith("it took longer than 0 s"));
  EXPECT_TRUE(o.replies.at("1").answered);
  EXPECT_EQ(o.replies.at("2").text, "b");
}

TEST(Workers, ALeftoverProcessWithTheSocketDoesNotHideTheEnd) {
  const Outcome o = run({"orphan ", "echo a"}, 1);
  EXPECT_EQ(o.replies.at("0").text, "exit status 7");
  EXPECT_TRUE(o.replies.at("1").answered);
}

TEST(Workers, AWorkerThatSendsGarbageCostsOnlyItsRequest) {
  const Outcome o = run({"garble phase", "echo a", "garble nan", "garble size", "garble kind", "echo b"}, 2);
  EXPECT_TRUE(o.finished);
  ASSERT_EQ(o.replies.size(), 6u);
  for (const char *nonsense : {"0", "2", "3", "4"}) {
    EXPECT_FALSE(o.replies.at(nonsense).answered);
    EXPECT_THAT(o.replies.at(nonsense).text, ::testing::StartsWith("it sent something that is not a "))
        << nonsense;
  }
  EXPECT_EQ(o.replies.at("1").text, "a");
  EXPECT_EQ(o.replies.at("5").text, "b");
}

TEST(Workers, AreReplacedAfterACertainNumberOfAnswers) {
  std::set<std::string> pids;
  for (const auto &[name, reply] : run(std::vector<std::string>(10, "pid "), 1, 4).replies)
    pids.insert(reply.text);
  EXPECT_EQ(pids.size(), 3u);
}

TEST(Workers, StopImmediatelyOnRequest) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  const Outcome o = run({"echo a", "hang "}, 2, 100, ends[0]);
  EXPECT_FALSE(o.finished);
  EXPECT_TRUE(o.replies.empty());
}

TEST(Workers, ThatCannotStartEndTheRunWithTheReason) {
  WorkerOptions options;
  options.program = "/nonexistent/program";
  options.arguments = {{}};
  Workers pool(options);
  bool given = false;
  const auto next = [&]() -> std::optional<Request> {
    if (std::exchange(given, true)) return std::nullopt;
    return Request{"0", "echo"};
  };
  EXPECT_THROW(pool.run(
                   next, [](const Reply &) { FAIL(); }, -1),
               std::runtime_error);
}

}  // namespace
}  // namespace warpgrade::tests
