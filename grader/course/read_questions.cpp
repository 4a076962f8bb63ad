#include "course/read_questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "course/read_case.hpp"

namespace warpgrade::course {

namespace {

AccessFilter read_access(const Yaml &y) {
  y.expect_keys({"mark", "buffer", "is"});
  AccessFilter access;
  if (const auto mark = y.find("mark")) access.mark = mark->text();
  if (const auto buffer = y.find("buffer")) access.buffer = buffer->text();
  if (const auto is = y.find("is")) access.store = is->one_of({"load", "store"}) == "store";
  return access;
}

const Step &kernel_of(const Yaml &y, const std::vector<Step> &kernels) {
  const std::string id = y.text();
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Step &s) { return s.id == id; });
  if (found == kernels.end() || !found->questions.empty())
    y.fail(fmt::format("there is no step '{}' with a kernel before this one", id));
  return *found;
}

Question read_question(const Yaml &y, const std::vector<Yaml> &cases, const std::vector<Step> &kernels) {
  y.expect_keys({"id", "ask", "kernel", "count", "access", "points", "at"});
  Question q;
  q.id = y.at("id").text();
  q.ask = y.at("ask").text();
  const Yaml named = y.at("kernel");
  const Step &kernel = kernel_of(named, kernels);
  q.kernel = kernel.id;
  const auto count = count_of(y.at("count").text());
  if (!count)
    y.at("count").fail(fmt::format("'{}' cannot be asked for (accepted: {})", y.at("count").text(),
                                   fmt::join(count_names(), ", ")));
  q.count = *count;
  if (const auto access = y.find("access")) q.access = read_access(*access);
  q.points = y.at("points").real(0, 1e6);
  if (const auto at = y.find("at"))
    q.on.push_back(read_size(*at, *kernel.problem, kernel.with));
  else
    for (const Yaml &item : cases) q.on.push_back(read_size(item, *kernel.problem, kernel.with));
  if (q.on.empty()) y.fail("a question needs 'at', or the step 'counted_at'");
  return q;
}

const Step *asking(const Assignment &a, const std::string &question) {
  for (const Step &s : a.steps)
    for (const Question &q : s.questions)
      if (q.id == question) return &s;
  return nullptr;
}

}  // namespace

std::vector<Question> read_questions(const Yaml &step, const std::vector<Step> &kernels) {
  std::vector<Question> questions;
  std::set<std::string> seen;
  const auto common = step.find("counted_at");
  const std::vector<Yaml> cases = common ? common->items() : std::vector<Yaml>();
  for (const Yaml &item : step.at("questions").items()) {
    questions.push_back(read_question(item, cases, kernels));
    if (!seen.insert(questions.back().id).second)
      item.fail(fmt::format("question '{}' is asked twice", questions.back().id));
  }
  return questions;
}

void read_facts(const std::filesystem::path &folder, Assignment &a) {
  const std::filesystem::path file = folder / "facts.yaml";
  if (!std::filesystem::exists(file)) return;
  const Yaml y = Yaml::read(file);
  y.expect_keys({"assignment", "facts"});
  for (const auto &[id, list] : y.at("facts").entries()) {
    const Step *step = asking(a, id);
    if (!step) list.fail(fmt::format("no step asks '{}'; 'gradebook facts {}' writes this file", id, a.name));
    Step &mine = a.steps[static_cast<std::size_t>(step - a.steps.data())];
    Question &q = *std::find_if(mine.questions.begin(), mine.questions.end(),
                                [&id = id](const Question &other) { return other.id == id; });
    const Step &kernel = *a.find_step(q.kernel);
    for (const Yaml &item : list.items()) {
      Fact fact{read_values(item, *kernel.problem, kernel.with, {"value"}), item.at("value").text()};
      if (std::find(q.on.begin(), q.on.end(), fact.on) != q.on.end()) q.facts.push_back(std::move(fact));
    }
  }
}

}  // namespace warpgrade::course
