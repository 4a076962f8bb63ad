// Open event streams, with both ends of each connection in this process and a clock that the test sets.
#include "service/event_streams.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <stdexcept>

namespace warpgrade::service {
namespace {

using ::testing::HasSubstr;

class OpenStreams : public ::testing::Test {
 protected:
  /// The client's end of a new stream.
  Descriptor listen(const std::string &person = "20261234", const std::string &version_sent = "1") {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) != 0)
      throw std::runtime_error("no pair of sockets");
    streams.take(Descriptor(ends[0]), "hw6", version_sent, streams.seat(person), now);
    return Descriptor(ends[1]);
  }
  static std::string received(const Descriptor &client) {
    std::array<char, 4096> buffer{};
    std::string text;
    for (ssize_t n = 0; (n = ::read(client.get(), buffer.data(), buffer.size())) > 0;)
      text.append(buffer.data(), static_cast<std::size_t>(n));
    return text;
  }
  static bool closed(const Descriptor &client) {
    char byte = 0;
    const ssize_t n = ::recv(client.get(), &byte, 1, MSG_PEEK);
    return n == 0 || (n < 0 && errno == ECONNRESET);  // reset: what it had sent was not read
  }
  void turn(std::chrono::seconds later = std::chrono::seconds(1)) { streams.turn(now += later); }

  std::string version = "1";
  bool fails = false;
  int asked = 0;
  EventStreams::Clock::time_point now{};
  EventStreams::Limits limits{20, 5, std::chrono::seconds(15), std::chrono::minutes(10)};
  EventStreams streams{[this](const std::string &) {
                         ++asked;
                         return fails ? throw std::runtime_error("the store is locked") : version;
                       },
                       limits};
};

TEST_F(OpenStreams, EveryListenerGetsANewVersionOnceFromOneQuery) {
  const Descriptor a = listen("a"), b = listen("b");
  turn();
  EXPECT_EQ(received(a), "");
  EXPECT_EQ(asked, 1);
  version = "2";
  turn();
  turn();
  EXPECT_EQ(received(a), "event: board\ndata: 2\n\n");
  EXPECT_EQ(received(b), "event: board\ndata: 2\n\n");
}

TEST_F(OpenStreams, WhatChangedBeforeTheFirstTurnIsNotMissed) {
  version = "2";
  const Descriptor client = listen("a", "1");
  turn();
  EXPECT_THAT(received(client), HasSubstr("data: 2"));
}

TEST_F(OpenStreams, GetAHeartbeatWhenIdleToDetectLostClients) {
  const Descriptor client = listen();
  for (int i = 0; i < 14; ++i) turn();
  EXPECT_EQ(received(client), "");
  turn();
  EXPECT_EQ(received(client), ":\n\n");
}

TEST_F(OpenStreams, AStoreThatCannotBeReadEndsNoStream) {
  const Descriptor client = listen();
  fails = true;
  turn();
  fails = false;
  version = "2";
  turn();
  EXPECT_THAT(received(client), HasSubstr("data: 2"));
}

TEST_F(OpenStreams, AClientThatDoesNotReadIsDroppedAndTheOthersReceiveEverything) {
  const Descriptor slow = listen("slow"), quick = listen("quick");
  version.assign(1000, 'x');
  for (int i = 0; i < 1000; ++i) {
    version.back() = static_cast<char>('a' + i % 26);
    turn(std::chrono::seconds(0));
    EXPECT_THAT(received(quick), HasSubstr(version));
  }
  received(slow);
  EXPECT_TRUE(closed(slow));
  EXPECT_FALSE(closed(quick));
}

TEST_F(OpenStreams, AClientThatLeavesOrSendsOrTimesOutFreesItsSeat) {
  std::vector<Descriptor> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(listen());
  turn();
  EXPECT_EQ(streams.seat("20261234"), nullptr);
  clients.pop_back();
  turn();
  EXPECT_NE(streams.seat("20261234"), nullptr);
  ASSERT_EQ(::write(clients[0].get(), "GET", 3), 3);
  turn();
  EXPECT_TRUE(closed(clients[0]));
  turn(std::chrono::minutes(10));
  EXPECT_TRUE((received(clients[1]), closed(clients[1])));
  std::vector<EventStreams::Seat> seats;
  for (int i = 0; i < 5; ++i) seats.push_back(streams.seat("20261234"));
  EXPECT_THAT(seats, ::testing::Each(::testing::Ne(nullptr)));
}

TEST_F(OpenStreams, AreLimitedPerPersonAndInTotal) {
  std::vector<EventStreams::Seat> seats;
  for (int person = 0; person < 4; ++person) {
    for (int i = 0; i < 5; ++i) {
      seats.push_back(streams.seat(std::to_string(person)));
      EXPECT_NE(seats.back(), nullptr);
    }
    EXPECT_EQ(streams.seat(std::to_string(person)), nullptr);
  }
  EXPECT_EQ(streams.seat("another"), nullptr);
  seats.pop_back();
  EXPECT_NE(streams.seat("another"), nullptr);
}

TEST_F(OpenStreams, ASeatOutlivesTheStreams) {
  EventStreams::Seat seat;
  {
    EventStreams short_lived([](const std::string &) { return ""; }, limits);
    seat = short_lived.seat("a");
  }
  EXPECT_NE(seat, nullptr);
}

}  // namespace
}  // namespace warpgrade::service
