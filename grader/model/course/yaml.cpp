#include "course/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "base/did_you_mean.hpp"
#include "base/files.hpp"
#include "course/assignment.hpp"
#include "course/yaml_fault.hpp"

namespace warpgrade::course {

namespace {

std::string join(const std::vector<std::string_view> &words) {
  std::string all;
  for (const std::string_view w : words) all += fmt::format("{}{}", all.empty() ? "" : ", ", w);
  return all;
}

std::string kind_of(const YAML::Node &node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  if (node.IsNull() || (node.IsScalar() && node.Scalar().empty())) return "nothing";
  return fmt::format("'{}'", node.Scalar());
}

/// Whole text as a number; no octal, no hexadecimal, no trailing characters.
template <typename Number>
std::optional<Number> number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The line of a tab in the indentation that made the parser stop at line `at`, or none. yaml-cpp stops there
/// or one line later, with words that do not name the tab.
std::optional<int> tab_before(const std::string &text, int at) {
  std::istringstream in(text);
  std::string line;
  for (int n = 1; n <= at && std::getline(in, line); ++n)
    if (n >= at - 1 && line.find('\t') < line.find_first_not_of(" \t")) return n;
  return std::nullopt;
}

/// yaml-cpp's message about a line that contains the mistake itself, in our words.
std::string in_our_words(const std::string &said) {
  if (said == "end of sequence not found" || said == "end of map not found")
    return "the indentation of this line fits none of the lines above";
  if (said == "illegal flow end") return "this line closes a bracket that is not open";
  return said;
}

/// Records where documents begin, and nothing else.
class Beginnings : public YAML::EventHandler {
 public:
  std::vector<int> lines;  ///< from 1
  void OnDocumentStart(const YAML::Mark &mark) override { lines.push_back(mark.line + 1); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark &, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark &, const std::string &, YAML::anchor_t, const std::string &) override {}
  void OnSequenceStart(const YAML::Mark &, const std::string &, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark &, const std::string &, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

}  // namespace

std::string text_of(const std::filesystem::path &file) try {
  return read_whole(file);
} catch (const ReadError &) {
  throw ConfigError(fmt::format("{}:1: the file is missing or cannot be read", file.string()));
}

Yaml Yaml::read(const std::filesystem::path &file) {
  return parse(text_of(file), file.string());
}

Yaml Yaml::parse(const std::string &text, const std::string &name) {
  if (const auto fault = quotes_left_open(text))
    throw ConfigError(fmt::format("{}:{}: {}", name, fault->line, fault->words));
  try {
    // Not YAML::LoadAll: at a comma outside of lists, it creates empty documents until memory runs out.
    std::istringstream in(text);
    YAML::Parser parser(in);
    Beginnings documents;
    while (documents.lines.size() < 2 && parser.HandleNextDocument(documents)) continue;
    if (documents.lines.empty()) throw ConfigError(fmt::format("{}:1: the file is empty", name));
    if (documents.lines.size() > 1)
      throw ConfigError(fmt::format("{}:{}: a second document starts here; a file may contain only one", name,
                                    documents.lines[1]));
    return Yaml(name, YAML::Load(text), "the file");
  } catch (const YAML::Exception &e) {
    if (const auto tab = tab_before(text, e.mark.line + 1))
      throw ConfigError(
          fmt::format("{}:{}: this line is indented with a tab; YAML accepts only spaces", name, *tab));
    if (const auto fault = fault_before(text, e.mark.line + 1))
      throw ConfigError(fmt::format("{}:{}: not valid YAML: {}", name, fault->line, fault->words));
    throw ConfigError(fmt::format("{}:{}: not valid YAML: {}", name, e.mark.line + 1, in_our_words(e.msg)));
  }
}

int Yaml::line() const {
  return key_line_ > 0 && node_.IsNull() ? key_line_ : node_.Mark().line + 1;
}

void Yaml::fail(const std::string &what) const {
  throw ConfigError(fmt::format("{}:{}: {}", file_, line(), what));
}

void Yaml::fail_at_key(const std::string &what) const {
  throw ConfigError(fmt::format("{}:{}: {}", file_, key_line_ > 0 ? key_line_ : line(), what));
}

void Yaml::expect_keys(const std::vector<std::string_view> &known) const {
  for (const auto &[key, value] : entries())
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      int at = line();
      for (const auto &pair : node_)
        if (pair.first.IsScalar() && pair.first.Scalar() == key) at = pair.first.Mark().line + 1;
      throw ConfigError(fmt::format("{}:{}: unknown key '{}'{} (known: {})", file_, at, key,
                                    did_you_mean(key, {known.begin(), known.end()}), join(known)));
    }
}

bool Yaml::has(std::string_view key) const {
  return find(key).has_value();
}

std::optional<Yaml> Yaml::find(std::string_view key) const {
  if (!node_.IsMap()) fail(fmt::format("{} is {}, should be a map", label_, kind_of(node_)));
  for (const auto &pair : node_)
    if (pair.first.IsScalar() && pair.first.Scalar() == key)
      return Yaml(file_, pair.second, fmt::format("'{}'", key), pair.first.Mark().line + 1);
  return std::nullopt;
}

Yaml Yaml::at(std::string_view key) const {
  if (auto found = find(key)) return *found;
  fail(fmt::format("'{}' is missing from {}", key, label_));
}

std::vector<Yaml> Yaml::items() const {
  if (!node_.IsSequence() || node_.size() == 0)
    fail(fmt::format("{} is {}, should be a list with at least one item", label_,
                     node_.IsSequence() ? "an empty list" : kind_of(node_)));
  std::vector<Yaml> all;
  for (std::size_t i = 0; i < node_.size(); ++i)
    all.push_back(Yaml(file_, node_[i], fmt::format("item {} of {}", i + 1, label_)));
  return all;
}

std::vector<std::pair<std::string, Yaml>> Yaml::entries() const {
  if (!node_.IsMap()) fail(fmt::format("{} is {}, should be a map", label_, kind_of(node_)));
  std::vector<std::pair<std::string, Yaml>> all;
  std::map<std::string, int> first_line;
  for (const auto &pair : node_) {
    const int at = pair.first.Mark().line + 1;
    if (!pair.first.IsScalar()) throw ConfigError(fmt::format("{}:{}: a key must be a word", file_, at));
    const std::string key = pair.first.Scalar();
    if (const auto [before, fresh] = first_line.try_emplace(key, at); !fresh)
      throw ConfigError(
          fmt::format("{}:{}: key '{}' is given twice, first on line {}", file_, at, key, before->second));
    all.emplace_back(key, Yaml(file_, pair.second, fmt::format("'{}'", key), at));
  }
  return all;
}

std::string Yaml::scalar(std::string_view wanted) const {
  if (!node_.IsScalar() || node_.Scalar().empty())
    fail(fmt::format("{} is {}, should be {}", label_, kind_of(node_), wanted));
  return node_.Scalar();
}

std::string Yaml::text() const {
  return scalar("text");
}

std::string Yaml::text_or_empty() const {
  if (node_.IsNull() || (node_.IsScalar() && node_.Scalar().empty())) return "";
  return text();
}

bool Yaml::boolean() const {
  const std::string value = scalar("true or false");
  if (value != "true" && value != "false")
    fail(fmt::format("{} is '{}', should be true or false", label_, value));
  return value == "true";
}

std::int64_t Yaml::integer(std::int64_t least, std::int64_t most) const {
  const std::string wanted = fmt::format("a whole number from {} to {}", least, most);
  const std::string value = scalar(wanted);
  const bool octal_looking = value.size() > 1 && value.front() == '0';
  const auto parsed = number<std::int64_t>(value);
  if (!parsed || octal_looking || *parsed < least || *parsed > most || node_.Tag() == "!")
    fail(fmt::format("{} is '{}', should be {}", label_, value, wanted));
  return *parsed;
}

double Yaml::real(double least, double most) const {
  const std::string wanted = fmt::format("a number from {:g} to {:g}", least, most);
  const std::string value = scalar(wanted);
  const auto parsed = number<double>(value);
  if (!parsed || !std::isfinite(*parsed) || *parsed < least || *parsed > most || node_.Tag() == "!")
    fail(fmt::format("{} is '{}', should be {}", label_, value, wanted));
  return *parsed;
}

std::string Yaml::one_of(std::initializer_list<std::string_view> accepted) const {
  const std::vector<std::string_view> all(accepted);
  const std::string value = scalar(fmt::format("one of {}", join(all)));
  if (std::find(all.begin(), all.end(), value) == all.end())
    fail(fmt::format("{} is '{}', should be one of {}{}", label_, value, join(all),
                     did_you_mean(value, {all.begin(), all.end()})));
  return value;
}

}  // namespace warpgrade::course
