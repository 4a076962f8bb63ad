#include "setup/fixtures.hpp"

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace warpgrade {

namespace fs = std::filesystem;

namespace {

std::string comment_of(const fs::path &file) {
  return file.extension() == ".yaml" ? "#" : "//";
}

std::string text_of(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines) text += line + "\n";
  return text;
}

/// A file without the comment at its top and without what tells students what to do.
std::string without_exercise(const fs::path &file) {
  const std::string comment = comment_of(file);
  std::vector<std::string> rest;
  bool top = true, exercise = false;
  for (const std::string &line : lines_of(read_whole(file))) {
    top = top && line.starts_with(comment);
    const std::string word = trimmed(line);
    exercise = exercise || word.starts_with(comment + " TODO(");
    if (!top && !exercise && word != comment + " END SOLUTION") rest.push_back(line);
    if (word == comment + " BEGIN SOLUTION") exercise = false;
  }
  return text_of(rest);
}

/// A group of lines with their signs.
struct Group {
  int line = 0;
  std::vector<std::string> from, to;
  bool empty() const { return from.empty() && to.empty(); }
};

/// Applies the groups of one file in turn.
class Application {
 public:
  Application(fs::path edits, fs::path root) : edits_(std::move(edits)), root_(std::move(root)) {}

  std::string result() {
    const std::string comment = comment_of(edits_.stem());
    for (const std::string &line : lines_of(read_whole(edits_))) {
      ++line_;
      if (!started_ && line.starts_with(comment))
        top_ += line + "\n";
      else if (!started_)
        start(line);
      else
        take(line);
    }
    apply();
    if (!started_) fail(line_, "expected 'from FILE' below the comment");
    return top_ + text_.substr(1);
  }

 private:
  [[noreturn]] void fail(int line, const std::string &why) const {
    throw EditError(fmt::format("{}:{}: {}", edits_.lexically_relative(root_).string(), line, why));
  }
  void start(const std::string &line) {
    if (!line.starts_with("from ")) fail(line_, "expected 'from FILE' below the comment");
    from_ = line.substr(5);
    if (!fs::is_regular_file(root_ / from_)) fail(line_, fmt::format("there is no file {}", from_));
    text_ = "\n" + without_exercise(root_ / from_);  // so that each line has one before it
    started_ = true;
  }
  void take(const std::string &line) {
    if (line.empty()) return apply();
    const char sign = line[0];
    if (sign != ' ' && sign != '-' && sign != '+')
      fail(line_, "expected ' ', '-' or '+', or an empty line between two groups");
    if (group_.empty()) group_.line = line_;
    if (sign != '+') group_.from.push_back(line.substr(1));
    if (sign != '-') group_.to.push_back(line.substr(1));
  }
  void apply() {
    if (group_.empty()) return;
    if (group_.from.empty())
      fail(group_.line, "a group needs a line with ' ' or '-', which says where it is");
    try {
      text_ = replaced_once(text_, "\n" + text_of(group_.from), "\n" + text_of(group_.to));
    } catch (const EditError &e) {
      fail(group_.line, fmt::format("in {}, {}", from_, e.what()));
    }
    group_ = {};
  }

  fs::path edits_, root_;
  std::string from_, top_, text_;
  bool started_ = false;
  int line_ = 0;
  Group group_;
};

}  // namespace

std::string replaced_once(const std::string &text, const std::string &from, const std::string &to) {
  int times = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) ++times;
  if (times != 1) throw EditError(fmt::format("'{}' occurs {} times, not once", trimmed(from), times));
  return std::string(text).replace(text.find(from), from.size(), to);
}

std::string apply_edits(const fs::path &edits, const fs::path &course_root) {
  return Application(edits, course_root).result();
}

fs::path WholeFixtures::whole(const fs::path &folder) {
  std::vector<fs::path> edits;
  if (fs::is_directory(folder))
    for (const auto &file : fs::directory_iterator(folder))
      if (file.path().extension() == ".edits") edits.push_back(file.path());
  if (edits.empty()) return folder;
  fs::path &copy = copies_[folder];
  if (!copy.empty()) return copy;
  if (!scratch_) scratch_ = std::make_unique<Scratch>();
  const fs::path to = scratch_->path() / std::to_string(copies_.size()) / folder.filename();
  fs::create_directories(to.parent_path());
  fs::copy(folder, to, fs::copy_options::recursive);
  for (const fs::path &file : edits) {
    write_scratch(to / file.stem(), apply_edits(file, root_));
    fs::remove(to / file.filename());
  }
  return copy = to;
}

}  // namespace warpgrade
