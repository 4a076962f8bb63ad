#include "variants/variants.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "base/did_you_mean.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/usage.hpp"
#include "course/assignment.hpp"
#include "course/handout.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::variants {

namespace fs = std::filesystem;

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Replaces every occurrence; whether there was one.
bool replace_all(std::string &text, const std::string &from, const std::string &to, bool words) {
  bool found = false;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
    const std::size_t end = at + from.size();
    const bool inside =
        words && ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end])));
    if (!inside) text.replace(at, from.size(), to), found = true;
    at += inside ? 1 : to.size();
  }
  return found;
}

/// Replaces words outside of comments and strings, all at the same time; whether there was one.
bool rename_words(std::string &text, const std::map<std::string, std::string> &names) {
  std::string renamed;
  bool found = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text.compare(at, 2, "//") == 0) {
      end = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '"') {
      end = std::min(text.find_first_of("\"\n", at + 1), text.size() - 1) + 1;
    } else if (is_word(text[at])) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    const std::string word = text.substr(at, end - at);
    const auto name = names.find(word);
    found |= name != names.end();
    renamed += name == names.end() ? word : name->second;
    at = end;
  }
  text = std::move(renamed);
  return found;
}

bool applies(const Edit &edit, const std::string &name) {
  return std::any_of(edit.in.begin(), edit.in.end(), [&](const std::string &pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

std::vector<std::string> names(const std::vector<Value> &values) {
  std::vector<std::string> all;
  for (const Value &v : values) all.push_back(v.name);
  return all;
}

/// The files of a folder that edits may change: text, and none that `make` left there.
Texts texts_of(const fs::path &folder) {
  Texts texts;
  if (!fs::is_directory(folder)) return texts;
  for (auto at = fs::recursive_directory_iterator(folder); at != fs::recursive_directory_iterator(); ++at) {
    if (at->is_directory() && at->path().filename() == "build") at.disable_recursion_pending();
    if (at->is_regular_file() && !at->is_symlink())
      texts[at->path().lexically_relative(folder).generic_string()] = read_whole(at->path());
  }
  return texts;
}

void write_texts(const Texts &texts, const fs::path &folder) {
  for (const auto &[name, text] : texts) {
    fs::create_directories((folder / name).parent_path());
    write_scratch(folder / name, text);
  }
}

/// A page without the paragraphs that edits have hidden: whoever reads its source must not see them either.
void remove_hidden(std::string &html) {
  constexpr std::string_view begin = "<p hidden>", end = "</p>";
  for (std::size_t at = 0; (at = html.find(begin, at)) != std::string::npos;) {
    const std::size_t to = html.find(end, at);
    const bool line = to != std::string::npos && html.compare(to + end.size(), 1, "\n") == 0;
    html.erase(at, to == std::string::npos ? to : to + end.size() + (line ? 1 : 0) - at);
  }
}

/// The handout and its translations as handout.md, handout.de.md.
Texts handouts_of(const fs::path &root, const std::string &name) {
  Texts texts;
  const fs::path file = root / "handouts" / (name + ".md");
  if (!fs::exists(file)) return texts;
  texts["handout.md"] = read_whole(file);
  return texts;  // but for translations, which edits do not know
}

}  // namespace

std::size_t Variants::size() const {
  std::size_t count = 1;
  for (const Parameter &p : parameters) count *= p.values.size();
  return count;
}

Variant Variants::at(std::size_t number) const {
  Variant v;
  for (const Parameter &p : parameters) {
    v.push_back(number % p.values.size());
    number /= p.values.size();
  }
  return v;
}

std::string Variants::name_of(const Variant &v) const {
  std::string name;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    name += fmt::format("{}{}={}", i == 0 ? "" : " ", parameters[i].name, parameters[i].values.at(v[i]).name);
  return name;
}

Variant Variants::parse(std::string_view name) const {
  Variant v(parameters.size(), 0);
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find(' ', at), name.size());
    const std::string word(name.substr(at, end - at));
    at = end + 1;
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    const auto p = std::find_if(parameters.begin(), parameters.end(),
                                [&](const Parameter &one) { return one.name == word.substr(0, equals); });
    if (equals == std::string::npos || p == parameters.end()) {
      std::vector<std::string> known;
      for (const Parameter &one : parameters)
        known.push_back(fmt::format("{}={}", one.name, fmt::join(names(one.values), "|")));
      throw UsageError(fmt::format("'{}' chooses nothing in a variant of {} (there are: {})", word,
                                   assignment, fmt::join(known, ", ")));
    }
    const std::vector<std::string> values = names(p->values);
    const auto value = std::find(values.begin(), values.end(), word.substr(equals + 1));
    if (value == values.end())
      throw UsageError(fmt::format("'{}' has no value '{}'{} (there are: {})", p->name,
                                   word.substr(equals + 1), did_you_mean(word.substr(equals + 1), values),
                                   fmt::join(values, ", ")));
    v[static_cast<std::size_t>(p - parameters.begin())] = static_cast<std::size_t>(value - values.begin());
  }
  return v;
}

std::string Variants::says(const Variant &v) const {
  std::string all;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    all += (i == 0 ? "" : " ") + parameters[i].values.at(v[i]).says;
  return all;
}

std::vector<std::string> edit(const Variants &all, const Variant &v, Texts &texts) {
  std::vector<std::string> idle;
  for (std::size_t i = 0; i < all.parameters.size(); ++i)
    for (const Edit &one : all.parameters[i].values.at(v[i]).edits) {
      bool changed = false;
      for (auto &[name, text] : texts)
        if (applies(one, name)) {
          if (!one.code.empty()) changed |= rename_words(text, one.code);
          for (const auto &[from, to] : one.texts) changed |= replace_all(text, from, to, one.words);
        }
      if (!changed && !one.optional) idle.push_back(one.place);
    }
  return idle;
}

void write_course(const fs::path &root, const Variants &all, const Variant &v, const fs::path &to) {
  const std::string &name = all.assignment;
  Texts starter = texts_of(root / "starter" / name);
  edit(all, v, starter);
  write_texts(starter, to / "starter" / name);
  write_texts(texts_of(root / "assignments/gpus"), to / "assignments/gpus");

  std::map<std::string, fs::path>
      places;  // of the files that edits must change, by the names that edits know
  Texts texts;
  const auto add = [&](const fs::path &folder, const Texts &some, const std::string &names) {
    for (const auto &[file, text] : some) {
      texts[file] = text;
      places[file] = folder / (names.empty() ? file : names + file.substr(sizeof "handout" - 1));
    }
  };
  Texts yaml = texts_of(root / "assignments" / name);
  yaml.erase(all.file);
  yaml["assignment.yaml"] = without_key(yaml["assignment.yaml"]);
  // What programs are built from serves all variants.
  std::erase_if(yaml, [&](const auto &one) {
    const bool is_text = one.first.ends_with(".yaml");
    if (!is_text) write_texts({one}, to / "assignments" / name);
    return !is_text;
  });
  const Texts handouts = handouts_of(root, name), solution = texts_of(root / "solutions" / name);
  add(fs::path("assignments") / name, yaml, "");
  add(fs::path("solutions") / name, solution, "");
  add("handouts", handouts, name);
  for (const char *editors : {".clangd", ".vscode", ".devcontainer"})
    if (fs::exists(root / "starter" / editors))
      fs::copy(root / "starter" / editors, to / "starter" / editors, fs::copy_options::recursive);
  const std::vector<std::string> idle = edit(all, v, texts);
  if (!solution.empty() && !handouts.empty() && !idle.empty())
    throw course::ConfigError(
        fmt::format("{}: this edit changes nothing in the variant {}; is its text in the files?",
                    idle.front(), all.name_of(v)));
  for (const auto &[file, text] : texts) {
    fs::create_directories((to / places[file]).parent_path());
    write_scratch(to / places[file], text);
  }
}

std::string edited_page(const Variants &all, const Variant &v, std::string html) {
  for (const char *name : {"handout.md", "handout.html"}) {
    Texts texts = {{name, std::move(html)}};
    edit(all, v, texts);
    html = std::move(texts[name]);
  }
  remove_hidden(html);
  const std::string own = fmt::format("<p><strong>Your variant.</strong> {}</p>\n", for_xml(all.says(v)));
  const std::size_t heading = html.find("<h2");
  html.insert(heading == std::string::npos ? 0 : heading, own);
  return html;
}

int variants(const Options &w) {
  const fs::path root = find_root();
  const std::vector<std::string> known = assignment_names(root);
  if (std::find(known.begin(), known.end(), w.assignment) == known.end())
    throw UsageError(
        fmt::format("there is no assignment '{}' (there are: {})", w.assignment, fmt::join(known, ", ")));
  const auto all = read_variants(fs::relative(root / "assignments" / w.assignment));
  if (!all)
    throw UsageError(fmt::format("{0} has no variants: assignments/{0}/assignment.yaml has no key 'variants'",
                                 w.assignment));
  Variant v = all->parse(fmt::format("{}", fmt::join(w.choices, " ")));
  if (!w.student.empty()) {
    const fs::path file = w.secret.empty() ? root / secrets_file : fs::path(w.secret);
    const auto secret = secret_of(file, w.assignment);
    if (!secret)
      throw UsageError(fmt::format("{} has no secret of {}: 'gradebook kit {} --roster FILE' draws one",
                                   file.string(), w.assignment, w.assignment));
    demand_same_list(file, *all);
    v = variant_of(*all, w.student, *secret);
  }
  if (!w.out.empty()) {
    if (fs::exists(w.out)) throw UsageError(fmt::format("--out {}: it exists already", w.out));
    write_course(root, *all, v, w.out);
    fmt::print("{}: the course of {}: {}\n", w.out, w.assignment, all->name_of(v));
  } else if (!w.student.empty() || !w.choices.empty()) {
    fmt::print("{}\n{}\n", all->name_of(v), all->says(v));
  } else {
    fmt::print("{}: {} variants\n", w.assignment, all->size());
    for (const Parameter &p : all->parameters)
      fmt::print("  {}: {}\n", p.name, fmt::join(names(p.values), ", "));
  }
  return full_score;
}

}  // namespace warpgrade::variants
