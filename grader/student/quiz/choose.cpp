#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "quiz/kinds.hpp"
#include "quiz/quiz.hpp"

namespace warpgrade::quiz {

std::vector<Kind> all_kinds() {
  std::vector<Kind> all;
  for (const std::vector<Kind> *some :
       {&address_kinds, &request_kinds, &count_kinds, &resource_kinds, &wait_kinds, &change_kinds})
    all.insert(all.end(), some->begin(), some->end());
  return all;
}

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const Kind &kind : all_kinds()) names.push_back(kind.name);
  return names;
}

namespace {

std::optional<Question> asked(Subject &s, const Kind &kind) {
  Dice dice(s.seed(), kind.name);
  constexpr int tries = 4;  // the first line or size that comes up may give no question
  for (int i = 0; i < tries; ++i)
    if (auto q = kind.ask(s, dice)) {
      q->kind = kind.name;
      q->topic = kind.topic;
      q->difficulty = kind.difficulty;
      return q;
    } else if (kind.builds && i > 0) {
      return std::nullopt;
    }
  return std::nullopt;
}

}  // namespace

std::vector<Question> choose(Subject &s, std::size_t how_many) {
  constexpr std::size_t questions_for_a_build = 5;
  std::vector<Kind> kinds = all_kinds();
  Dice dice(s.seed(), "order");
  dice.shuffle(kinds);
  std::size_t builds = 0;
  std::vector<Question> questions;
  std::set<std::string_view> topics, done;
  for (const bool again : {false, true})  // with topics that were asked already only once there are no others
    for (const Kind &kind : kinds) {
      if (questions.size() >= how_many) break;
      if (done.contains(kind.name) || (topics.contains(kind.topic) && !again)) continue;
      if (kind.builds && (builds + 1) * questions_for_a_build > how_many) continue;
      builds += kind.builds;
      done.insert(kind.name);
      if (auto q = asked(s, kind)) {
        topics.insert(kind.topic);
        questions.push_back(std::move(*q));
      }
    }
  return questions;
}

std::string to_json(const std::vector<Question> &questions, const course::Assignment &a,
                    const std::string &step, std::uint64_t seed) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  const auto safe = [](const std::vector<std::string> &texts) {
    std::vector<std::string> made;
    for (const std::string &text : texts) made.push_back(for_json(text));
    return made;
  };
  for (const Question &q : questions)
    all.push_back({{"topic", q.topic},
                   {"kind", q.kind},
                   {"difficulty", q.difficulty},
                   {"file", for_json(q.file)},
                   {"line", q.line},
                   {"code", for_json(q.code)},
                   {"question", for_json(q.text)},
                   {"choices", safe(q.choices)},
                   {"answer", q.answer},
                   {"mistakes", safe(q.mistakes)},
                   {"why", for_json(q.why)}});
  const Json whole = {{"schema", "warpgrade.quiz/1"},
                      {"assignment", a.name},
                      {"step", step},
                      {"seed", seed},
                      {"questions", std::move(all)}};
  return whole.dump(2) + "\n";
}

}  // namespace warpgrade::quiz
