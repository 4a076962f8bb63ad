// Tokens and roles, and what is written down about them; guessing; policies.
#include "service/people.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "course/yaml.hpp"
#include "service/policy.hpp"
#include "service/throttle.hpp"
#include "tests/service/a_service.hpp"

namespace warpgrade::service {
namespace {

using ::testing::HasSubstr;

class Tokens : public ::testing::Test, protected tests::AService {
 protected:
  std::vector<std::string> audit() {
    std::vector<std::string> lines;
    batch::Statement s = store.database().prepare("SELECT actor, what, subject FROM audit ORDER BY id");
    while (s.step()) lines.push_back(s.text_at(0) + ": " + s.text_at(1) + " " + s.text_at(2));
    return lines;
  }
};

TEST_F(Tokens, BelongToTheirPersonUntilTheyAreRevoked) {
  const std::string token = people.make_token("20261234", "the test", now);
  ASSERT_TRUE(people.whose(token));
  EXPECT_EQ(people.whose(token)->id, "20261234");
  EXPECT_EQ(people.revoke("20261234", "the test", now), 1);
  EXPECT_FALSE(people.whose(token));
  EXPECT_EQ(people.revoke("20261234", "the test", now), 0);
}

TEST_F(Tokens, AreNotInTheStore) {
  const std::string token = people.make_token("20261234", "the test", now);
  const std::string secret = token.substr(token.rfind('_') + 1);
  batch::Statement s = store.database().prepare("SELECT public || ' ' || hash FROM token");
  ASSERT_TRUE(s.step());
  EXPECT_THAT(s.text_at(0), ::testing::Not(HasSubstr(secret)));
}

TEST_F(Tokens, OneChangedCharacterAnywhereMakesItInvalid) {
  const std::string token = people.make_token("20261234", "the test", now);
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string wrong = token;
    wrong[i] = wrong[i] == 'a' ? 'b' : 'a';
    EXPECT_FALSE(people.whose(wrong)) << i;
  }
  for (const std::string &wrong :
       {std::string(), std::string("wg_"), token + "0", token.substr(1), std::string(1 << 20, 'a')})
    EXPECT_FALSE(people.whose(wrong));
}

TEST_F(Tokens, EveryChangeOfATokenOrARoleIsInTheAuditLog) {
  people.make_token("20261234", "somebody", now);
  people.revoke("20261234", "somebody", now);
  people.add({"20261234", "", Role::ta}, "somebody", now);
  people.add({"20261234", "a name", Role::ta}, "somebody", now);  // no change of a role
  const auto lines = audit();
  ASSERT_GE(lines.size(), 3U);
  EXPECT_THAT(std::vector(lines.end() - 3, lines.end()),
              ::testing::ElementsAre("somebody: token made 20261234", "somebody: tokens revoked 20261234",
                                     "somebody: role 20261234"));
}

TEST(Throttled, TenWrongTokensInAMinuteBlockAnAddressAndNoOthers) {
  Throttle t;
  for (std::size_t i = 0; i < Throttle::tries; ++i) {
    EXPECT_EQ(t.wait("192.0.2.1", 1000), 0);
    t.wrong("192.0.2.1", 1000);
  }
  EXPECT_EQ(t.wait("192.0.2.1", 1000), Throttle::seconds);
  EXPECT_EQ(t.wait("192.0.2.2", 1000), 0);
  EXPECT_EQ(t.wait("192.0.2.1", 1000 + Throttle::seconds), 0);
}

TEST(Throttled, AClockThatIsSetBackDoesNotLockAnyoneOut) {
  Throttle t;
  for (std::size_t i = 0; i < Throttle::tries; ++i) t.wrong("192.0.2.1", 100'000);
  EXPECT_EQ(t.wait("192.0.2.1", 1000), 0);
}

TEST_F(Tokens, ANameIsShownOnlyWithConsentAndTheAuditLogHasTheTime) {
  people.add({"20261234", "A Name", Role::student}, "the test", now);
  EXPECT_TRUE(people.names_by_consent().empty());
  people.consent("20261234", true, now);
  people.consent("20261234", true, now);
  people.consent("20265678", true, now);
  EXPECT_EQ(people.names_by_consent(),
            (std::map<std::string, std::string>{{"20261234", "A Name"}, {"20265678", "20265678"}}));
  people.consent("20261234", false, now);
  people.consent("20261234", false, now);
  EXPECT_FALSE(people.consents("20261234"));
  EXPECT_TRUE(people.consents("20265678"));
  const auto lines = audit();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "20261234: name shown 20261234"), 1);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "20261234: name hidden 20261234"), 1);
}

TEST(Throttled, ManyAddressesTakeBoundedMemoryAndAKnownOneIsStillCounted) {
  Throttle t;
  for (std::size_t i = 0; i < 2 * Throttle::most_addresses; ++i) t.wrong(std::to_string(i), 1000);
  for (std::size_t i = 0; i < Throttle::tries; ++i) t.wrong("0", 1000);
  EXPECT_GT(t.wait("0", 1000), 0);
}

const std::vector<std::string> two_assignments = {"banks", "hw6"};

TEST(Policies, AreReadAndMissingOnesHaveDefaults) {
  const auto all = parse_policies(
      "assignments:\n  hw6:\n    opens: 2026-03-01 09:00:00 +0900\n    closes: 2026-03-08 23:59:00 +0900\n"
      "    counts: best\n    quota: {hour: 10, day: 50, queued: 4}\n    reveal_hidden: after_due\n"
      "    leaderboard: pseudonyms\n",
      "service.yaml", two_assignments);
  const Policy &p = all.at("hw6");
  EXPECT_EQ(p.opens, 1772323200);
  EXPECT_TRUE(p.best_counts);
  EXPECT_TRUE(p.reveal_hidden_after_due);
  EXPECT_EQ(p.leaderboard, Board::pseudonyms);
  EXPECT_EQ(p.quota.hour, 10);
  EXPECT_EQ(p.quota.day, 50);
  EXPECT_EQ(p.quota.queued, 4);
  EXPECT_FALSE(all.at("banks").opens);
  EXPECT_FALSE(all.at("banks").best_counts);
  EXPECT_THAT(why_closed(p, 1772323199), HasSubstr("open at 2026-03-01 00:00 UTC"));
  EXPECT_EQ(why_closed(p, 1772323200), "");
  EXPECT_THAT(why_closed(p, 1773000000), HasSubstr("closed at"));
}

TEST(Policies, MistakesAreNamedWithTheirLine) {
  const auto why = [](const std::string &text) -> std::string {
    try {
      parse_policies("assignments:\n  hw6:\n    " + text + "\n", "service.yaml", two_assignments);
    } catch (const course::ConfigError &e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(why("deadline: 1"), HasSubstr("service.yaml:3"));
  EXPECT_THAT(why("opens: tomorrow"), HasSubstr("not a time with its zone"));
  EXPECT_THAT(why("opens: 2026-03-01 09:00:00"), HasSubstr("not a time with its zone"));
  EXPECT_THAT(why("quota: {hour: -1}"), HasSubstr("service.yaml:3"));
  EXPECT_THAT(why("counts: all"), HasSubstr("service.yaml:3"));
  EXPECT_THROW(parse_policies("assignments:\n  hw7: {}\n", "service.yaml", two_assignments),
               course::ConfigError);
}

}  // namespace
}  // namespace warpgrade::service
