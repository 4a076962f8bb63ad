#include "course/read_questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/did_you_mean.hpp"
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
  if (found == kernels.end() || !found->questions.empty()) {
    std::vector<std::string> ids;
    for (const Step &s : kernels)
      if (s.questions.empty()) ids.push_back(s.id);
    y.fail(fmt::format("there is no step '{}' with a kernel before this one{}", id, did_you_mean(id, ids)));
  }
  return *found;
}

/// Whether a kit checks the answers, where `in_kit` says so.
bool read_in_kit(const Yaml &y, bool otherwise) {
  const auto key = y.find("in_kit");
  return key ? key->one_of({"check", "course"}) == "check" : otherwise;
}

Question read_question(const Yaml &y, const std::vector<Yaml> &cases, const std::vector<Step> &kernels,
                       bool checked_in_kit) {
  y.expect_keys({"id", "ask", "kernel", "count", "access", "points", "at", "in_kit"});
  Question q;
  q.checked_in_kit = read_in_kit(y, checked_in_kit);
  q.id = y.at("id").text();
  q.ask = y.at("ask").text();
  const Yaml named = y.at("kernel");
  const Step &kernel = kernel_of(named, kernels);
  q.kernel = kernel.id;
  const auto count = count_of(y.at("count").text());
  if (!count)
    y.at("count").fail(fmt::format("'{}' cannot be counted{} (accepted: {})", y.at("count").text(),
                                   did_you_mean(y.at("count").text(), count_names()),
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

Question *find_question(Assignment &a, const std::string &id) {
  for (Step &s : a.steps)
    for (Question &q : s.questions)
      if (q.id == id) return &q;
  return nullptr;
}

}  // namespace

std::vector<Question> read_questions(const Yaml &step, const std::vector<Step> &kernels) {
  std::vector<Question> questions;
  std::set<std::string> seen;
  const auto common = step.find("counted_at");
  const std::vector<Yaml> cases = common ? common->items() : std::vector<Yaml>();
  for (const Yaml &item : step.at("questions").items()) {
    questions.push_back(read_question(item, cases, kernels, read_in_kit(step, false)));
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
    Question *q = find_question(a, id);
    if (!q)
      list.fail_at_key(fmt::format("no step asks '{}'; 'gradebook facts {}' writes this file", id, a.name));
    const Step &kernel = *a.find_step(q->kernel);
    for (const Yaml &item : list.items()) {
      Fact fact{read_values(item, *kernel.problem, kernel.with, {"value"}), item.at("value").text()};
      if (std::find(q->on.begin(), q->on.end(), fact.on) != q->on.end()) q->facts.push_back(std::move(fact));
    }
  }
}

void read_sealed(const std::filesystem::path &folder, Assignment &a) {
  const std::filesystem::path file = folder / sealed_file;
  if (!std::filesystem::exists(file) || std::filesystem::exists(folder / "facts.yaml")) return;
  const Yaml y = Yaml::read(file);
  y.expect_keys({"assignment", "answers"});
  for (Step &s : a.steps)
    for (Question &q : s.questions) q.left_to_course = true;
  const auto answers = y.find("answers");
  if (!answers) return;
  for (const auto &[id, hash] : answers->entries()) {
    Question *q = find_question(a, id);
    if (!q) hash.fail(fmt::format("no step asks '{}'", id));
    q->left_to_course = false;
    q->sealed = hash.text();
  }
}

}  // namespace warpgrade::course
