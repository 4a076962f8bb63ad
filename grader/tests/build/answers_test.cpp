// Answers that are kept from one run of the program to the next.
#include "build/answers.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "build/build.hpp"
#include "sandbox/sandbox.hpp"

namespace warpgrade::build {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes(std::string_view text) {
  const auto all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

TEST(Answers, AreFoundByTheSameQuestionOnly) {
  const Scratch scratch;
  const Answers answers(scratch.path() / "answers");
  EXPECT_FALSE(answers.find(bytes("a question")));
  answers.keep(bytes("a question"), bytes("an answer"));
  EXPECT_EQ(answers.find(bytes("a question")), bytes("an answer"));
  EXPECT_FALSE(answers.find(bytes("another")));
  answers.keep(bytes("a question"), bytes("a better one"));
  EXPECT_EQ(answers.find(bytes("a question")), bytes("a better one"));
}

TEST(Answers, MakeRoomForNewOnes) {
  const Scratch scratch;
  const Answers answers(scratch.path());
  for (int i = 0; i < 600; ++i) answers.keep(bytes(std::to_string(i)), {});
  const auto kept = std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator());
  EXPECT_LE(kept, 512);
  EXPECT_TRUE(answers.find(bytes("599")));
}

TEST(IdentityOfABuild, IsThatOfItsDeviceCodeAndItsLauncher) {
  const Scratch scratch;
  const auto identity = [](const Build &build) {
    Writer to;
    put_identity(to, build);
    return to.bytes();
  };
  Build build;
  build.worker = scratch.path() / "worker";
  std::ofstream(build.worker) << "a launcher";
  const auto first = identity(build);
  EXPECT_EQ(identity(build), first);
  std::ofstream(build.worker) << "b launcher";
  const auto other = identity(build);
  EXPECT_NE(other, first);
  build.fatbin.resize(1);
  EXPECT_NE(identity(build), other);
}

}  // namespace
}  // namespace warpgrade::build
