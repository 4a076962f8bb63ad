#include "course/question.hpp"

#include <algorithm>
#include <array>

#include "course/assignment.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

namespace {

struct Named {
  Count count;
  std::string_view name;
};
constexpr std::array question_names = {
    Named{Count::flops_per_thread, "flops_per_thread"},
    Named{Count::global_accesses_per_thread, "global_accesses_per_thread"},
    Named{Count::flops_per_global_access, "flops_per_global_access"},
    Named{Count::global_accesses_per_flop, "global_accesses_per_flop"},
    Named{Count::sectors_per_request, "sectors_per_request"},
    Named{Count::coalescing, "coalescing"},
    Named{Count::bank_conflicts, "bank_conflicts"},
};

}  // namespace

std::string_view name_of(Count count) {
  return std::find_if(question_names.begin(), question_names.end(),
                      [&](const Named &n) { return n.count == count; })
      ->name;
}

std::optional<Count> count_of(std::string_view name) {
  const auto *const found = std::find_if(question_names.begin(), question_names.end(),
                                         [&](const Named &n) { return n.name == name; });
  return found == question_names.end() ? std::nullopt : std::optional(found->count);
}

std::vector<std::string> count_names() {
  std::vector<std::string> all;
  for (const Named &n : question_names) all.emplace_back(n.name);
  return all;
}

std::map<std::string, std::string> read_answers(const std::string &text, const std::string &file,
                                                const std::vector<Question> &questions) {
  constexpr std::size_t most_bytes = 1 << 16;
  if (text.size() > most_bytes) throw ConfigError(file + ":1: the file is longer than 64 KiB");
  const Yaml y = Yaml::parse(text, file);
  std::vector<std::string_view> known;
  for (const Question &q : questions) known.emplace_back(q.id);
  y.expect_keys(known);
  std::map<std::string, std::string> answers;
  for (const Question &q : questions) {
    const auto given = y.find(q.id);
    answers[q.id] = given ? given->text_or_empty() : "";
  }
  return answers;
}

}  // namespace warpgrade::course
