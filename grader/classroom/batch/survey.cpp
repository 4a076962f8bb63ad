#include "batch/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "batch/names.hpp"
#include "batch/tree.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::batch {

namespace {

class Surveyor {
 public:
  Surveyor(const Source &source, const std::string &name, const course::Assignment &assignment,
           const SurveyOptions &options)
      : source_(source),
        name_(name),
        assignment_(assignment),
        told_(!options.layout.empty() ? options.layout : assignment.submissions.layout),
        apart_(options.apart) {}

  Surveyed run() {
    Tree tree;
    std::string unreadable;
    try {
      tree = look_at(source_, assignment_.archive_limits, apart_);
    } catch (const Refused &e) {
      unreadable = e.what();
    }
    if (!unreadable.empty()) {
      Surveyed all = whole();
      all.remarks.push_back(
          fmt::format("{} as a whole was refused, and is listed as one submission.", shown(name_)));
      return all;
    }
    const Node &root = find_root(tree);
    layout_ = choose_layout(tree, root);
    if (is_whole(root)) return whole(&root);
    return of_class(root, tree);
  }

 private:
  bool is_step(const std::string &file) const {
    return std::any_of(assignment_.steps.begin(), assignment_.steps.end(), [&](const course::Step &s) {
      return s.file == file || std::find(s.headers.begin(), s.headers.end(), file) != s.headers.end();
    });
  }
  bool has_direct_step(const Node &folder) const {
    return std::any_of(folder.children.begin(), folder.children.end(),
                       [&](const auto &child) { return !child.second.is_folder() && is_step(child.first); });
  }
  /// Calls `each` with the path below `folder` of every file that is no clutter, until it says true.
  static bool any_file(const Node &folder, std::vector<std::string> &parts,
                       const std::function<bool(const std::vector<std::string> &)> &each) {
    for (const auto &[name, child] : folder.children) {
      parts.push_back(name);
      const bool found =
          !is_clutter(parts) && (child.is_folder() ? any_file(child, parts, each) : each(parts));
      parts.pop_back();
      if (found) return true;
    }
    return false;
  }
  bool holds_step(const Node &folder) const {
    std::vector<std::string> parts;
    return any_file(folder, parts, [&](const auto &path) { return is_step(path.back()); });
  }
  bool is_work(const std::string &name, const Node &node) const {
    if (is_clutter({name})) return false;
    if (!node.is_folder()) return is_archive_name(name);
    std::vector<std::string> parts;
    return any_file(node, parts,
                    [&](const auto &path) { return is_step(path.back()) || is_archive_name(path.back()); });
  }
  std::size_t works_in(const Node &folder) const {
    return static_cast<std::size_t>(
        std::count_if(folder.children.begin(), folder.children.end(),
                      [&](const auto &child) { return is_work(child.first, child.second); }));
  }

  /// Names that could be submissions, for finding out their layout.
  std::vector<std::string> names_in(const Node &folder) const {
    std::vector<std::string> names;
    for (const auto &[name, node] : folder.children)
      if (!is_clutter({name}) && without_files(name) == nullptr &&
          (node.is_folder() || is_archive_name(name) || name.ends_with(".cu")))
        names.push_back(name);
    return names;
  }
  /// Whether the layout that was given is read from a file.
  bool told_by_metadata() const {
    const platforms::Platform *p = platforms::find(told_);
    return p != nullptr && p->names.metadata != nullptr;
  }
  std::optional<Layout> given_layout() const {
    if (told_ == "pattern") return Layout::own(assignment_.submissions.pattern, assignment_);
    if (told_ == "auto" || told_by_metadata()) return std::nullopt;
    return Layout(told_, assignment_);
  }
  /// How many names say more than a plain one does.
  std::size_t telling_names(const Node &folder) const {
    const std::vector<std::string> names = names_in(folder);
    const auto given = given_layout();
    const Layout layout =
        given && given->name() != "plain" ? *given : Layout(guess_layout(names, assignment_), assignment_);
    if (layout.name() == "plain") return 0;
    return static_cast<std::size_t>(
        std::count_if(names.begin(), names.end(), [&](const std::string &n) { return layout.read(n).fits; }));
  }

  /// Exports wrap the class in a folder of its own, and people wrap that once more.
  const Node &find_root(const Tree &tree) {
    const Node *root = &tree.root;
    while (root_path_.empty() || root_parts_ < 3) {
      if (has_direct_step(*root) || tree.metadata.contains(root_path_) || telling_names(*root) > 0) break;
      // A class of loose files, which carry their student in their names, is not work by itself.
      const auto may_hold_class = [&](const auto &c) {
        return is_work(c.first, c.second) || (!is_clutter({c.first}) && telling_names(c.second) > 0);
      };
      const auto child = std::find_if(root->children.begin(), root->children.end(), may_hold_class);
      if (std::count_if(root->children.begin(), root->children.end(), may_hold_class) != 1 ||
          !child->second.is_folder())
        break;
      const std::string path = root_path_ + child->first + "/";
      const bool class_in_it =
          tree.metadata.contains(path) || telling_names(child->second) > 0 || works_in(child->second) > 1;
      if (has_direct_step(child->second) || !class_in_it) break;
      root = &child->second;
      root_path_ = path;
      ++root_parts_;
    }
    return *root;
  }

  Layout choose_layout(const Tree &tree, const Node &root) {
    const auto metadata = tree.metadata.find(root_path_);
    if (told_by_metadata() && metadata == tree.metadata.end())
      throw std::runtime_error(
          fmt::format("{}: there is no {} beside the submissions, which a Gradescope export has", name_,
                      platforms::gradescope.names.metadata));
    if (metadata != tree.metadata.end() && (told_ == "auto" || told_by_metadata()))
      return Layout::of(platforms::gradescope,
                        read_gradescope(metadata->second, root_path_ + platforms::gradescope.names.metadata),
                        assignment_);
    if (const auto given = given_layout()) return *given;
    return Layout(guess_layout(names_in(root), assignment_), assignment_);
  }

  /// Whether the name of the source says whose it is.
  bool is_named() const {
    if (!id_in(name_, assignment_).empty()) return true;
    return layout_->name() != "plain" && !layout_->has_metadata() && layout_->read(name_).fits;
  }
  bool is_whole(const Node &root) const {
    const std::size_t works = works_in(root), telling = layout_->has_metadata() ? works : telling_names(root);
    if (root_parts_ == 0 && has_direct_step(root)) return telling < 2;
    if (is_named() && (works <= 1 || telling < 2)) return true;
    return source_.is_archive() && works <= 1 && telling == 0;
  }

  Surveyed whole(const Node *root = nullptr) {
    const bool decided = told_ == "auto";
    const auto given = given_layout();
    Surveyed all{given ? *given : Layout(guess_layout({name_}, assignment_), assignment_),
                 decided,
                 true,
                 {},
                 {},
                 {},
                 0};
    const Named named = all.layout.read(name_);
    if (const std::string other = all.layout.other_student(name_); !other.empty()) {
      add_unclear(all, std::minmax(named.owners[0].student, other), {name_});
      return all;
    }
    Slot slot;
    slot.named = named;
    slot.source = printable(name_);
    slot.archive = source_.is_archive();
    slot.open_archives = root == nullptr || !holds_step(*root);
    slot.modified = root == nullptr ? 0 : root->modified;
    slot.claims = claims_of({name_});
    all.slots.push_back(std::move(slot));
    return all;
  }

  struct Loose {
    std::string path, name;
    Named named;
    std::int64_t modified = 0;
    std::uint64_t entries = 0;
  };

  Surveyed of_class(const Node &root, const Tree &tree) {
    Surveyed all{*layout_, told_ == "auto", false, {}, {}, {}, root_parts_};
    std::map<std::string, std::vector<Loose>> loose;                                  // by student
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> unclear;  // by the two students
    std::vector<std::string> ignored;
    std::map<std::string_view, std::size_t> without_files_of;  // by what they are called
    for (const auto &[name, node] : root.children) {
      if (is_clutter({name}) || name == platforms::gradescope.names.metadata) continue;
      const std::string path = root_path_ + name;
      const Named named = layout_->read(name);
      if (const platforms::Platform *p = without_files(name)) {
        ++without_files_of[p->names.without_files_are];
        continue;
      }
      if (const std::string other = layout_->other_student(name); !other.empty()) {
        unclear[std::minmax(named.owners[0].student, other)].push_back(name);
        continue;
      }
      if (node.is_folder())
        add_folder(all, path, name, node, named);
      else if (is_archive_name(name) || node.kind != Entry::Kind::file)
        add_archive(all, path, name, node, named);
      else if (layout_->has_pattern() && named.fits)
        loose[named.owners[0].student].push_back({path, name, named, node.modified, node.self});
      else
        ignored.push_back(name);
    }
    for (auto &[student, files] : loose) add_loose(all, files, ignored);
    for (const auto &[students, names] : unclear) add_unclear(all, students, names);
    for (const auto &[name, why] : tree.hazards)
      add_refused(all, as_student(name), name,
                  fmt::format("{} {}. None of it is read; have it handed in again under another name.",
                              shown(name), why));
    for (const auto &[called, number] : without_files_of)
      all.remarks.push_back(fmt::format("{} {} were not looked at; files alone are.", number, called));
    if (!ignored.empty()) all.remarks.push_back(list_of(ignored));
    if (all.slots.empty())
      throw std::runtime_error(
          fmt::format("{}: there is no submission in it; folders or archives were expected", name_));
    return all;
  }

  std::string list_of(const std::vector<std::string> &ignored) const {
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(ignored.size(), 5); ++i)
      names += (i == 0 ? "" : ", ") + shown(ignored[i]);
    if (ignored.size() > 5) names += fmt::format(" and {} more", ignored.size() - 5);
    return fmt::format("{} beside the submissions and ignored: {}.",
                       ignored.size() == 1 ? "One file was" : fmt::format("{} files were", ignored.size()),
                       names);
  }

  static std::string printable(const std::string &name) {
    const std::string quoted = shown(name);
    return quoted.substr(1, quoted.size() - 2);
  }

  std::vector<std::string> claims_of(const std::vector<std::string> &names) const {
    std::vector<std::string> claims;
    for (const std::string &name : names)
      if (std::string id = id_in(name, assignment_); !id.empty()) claims.push_back(std::move(id));
    return claims;
  }

  void add(Surveyed &all, const std::string &path, Slot slot) {
    all.places[path] = {all.slots.size(), ""};
    all.slots.push_back(std::move(slot));
  }

  /// A row of its own, so that whoever grades sees it and nobody's submission is touched.
  void add_refused(Surveyed &all, const std::string &student, const std::string &source, std::string why) {
    Slot slot;
    slot.named.owners = {{student, {}}};
    slot.named.fits = false;
    slot.source = printable(source);
    slot.refused = std::move(why);
    all.remarks.push_back(slot.refused);
    all.slots.push_back(std::move(slot));
  }

  void add_unclear(Surveyed &all, const std::pair<std::string, std::string> &students,
                   const std::vector<std::string> &names) {
    const std::string more = names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1);
    add_refused(
        all, as_student(fmt::format("{} or {}", students.first, students.second)), names[0] + more,
        fmt::format("{}{} may be a submission of {} or of {}: both ids are where the layout '{}' has the "
                    "student's. None of it is read, and the other submissions of these two are not affected. "
                    "If you know whose it is, rename it and run the same command again.",
                    shown(names[0]), more, shown(students.first), shown(students.second), layout_->name()));
  }

  void add_folder(Surveyed &all, const std::string &path, const std::string &name, const Node &node,
                  const Named &named) {
    std::vector<std::string> archives, parts;
    const bool loose = holds_step(node);
    constexpr std::size_t most = 1000;
    any_file(node, parts, [&](const std::vector<std::string> &below) {
      if (is_archive_name(below.back())) archives.push_back(fmt::format("{}", fmt::join(below, "/")));
      return archives.size() >= most;
    });
    if (loose || archives.size() < 2) {
      Slot slot{named, printable(name), false, !loose, node.self + node.below, node.modified, {}, {}, {}};
      if (!archives.empty() && !loose) slot.claims = claims_of({std::string(last_part(archives[0]))});
      return add(all, path, std::move(slot));
    }
    for (const std::string &archive : archives) {  // several tries: the latest counts
      Slot slot{
          named, printable(name + "/" + archive), true, true, 1, node_at(node, archive).modified, {}, {}, {}};
      slot.named.attempt = without_number(last_part(archive)).number;
      slot.claims = claims_of({std::string(last_part(archive))});
      add(all, path + "/" + archive, std::move(slot));
    }
  }

  static const Node &node_at(const Node &folder, const std::string &path) {
    const Node *at = &folder;
    for (const std::string &part : parts_of(path)) at = &at->children.at(part);
    return *at;
  }

  void add_archive(Surveyed &all, const std::string &path, const std::string &name, const Node &node,
                   const Named &named) {
    Slot slot{named, printable(name), is_archive_name(name), true, node.self, node.modified, {}, {}, {}};
    slot.claims = claims_of({named.file});
    add(all, path, std::move(slot));
  }

  /// Files that carry the student in their names, together one submission.
  void add_loose(Surveyed &all, std::vector<Loose> &files, std::vector<std::string> &ignored) {
    const std::string student = files[0].named.owners[0].student;
    const bool has_steps =
        std::any_of(files.begin(), files.end(), [&](const Loose &f) { return is_step(f.named.file); });
    const bool has_archive = std::any_of(all.slots.begin(), all.slots.end(), [&](const Slot &slot) {
      return slot.named.owners[0].student == student;
    });
    if (has_archive && !has_steps) {
      for (const Loose &file : files) ignored.push_back(file.name);
      return;
    }
    const auto order = [](const Loose &f) { return std::tuple(f.named.serial, f.named.attempt, f.modified); };
    std::map<std::string, const Loose *> latest;
    Slot slot{files[0].named, "", false, true, 0, 0, {}, {}, {}};
    for (const Loose &file : files) {
      const Loose *&best = latest.emplace(file.named.file, &file).first->second;
      if (order(file) > order(*best)) best = &file;
      slot.named.serial = std::max(slot.named.serial, file.named.serial);
      slot.named.attempt = std::max(slot.named.attempt, file.named.attempt);
      slot.modified = std::max(slot.modified, file.modified);
    }
    slot.named.file.clear();
    slot.source =
        printable(files[0].name) + (files.size() == 1 ? "" : fmt::format(" and {} more", files.size() - 1));
    slot.named.late = false;
    for (const Loose &file : files) {
      const Loose &best = *latest.at(file.named.file);
      if (&best == &file) {
        slot.named.late |= file.named.late;
        all.places[file.path] = {all.slots.size(), file.named.file};
        slot.entries += file.entries;
      } else {
        slot.notes.push_back(
            fmt::format("{} is not used, since {} is later.", shown(file.name), shown(best.name)));
      }
    }
    all.slots.push_back(std::move(slot));
  }

  const Source &source_;
  const std::string name_;
  const course::Assignment &assignment_;
  const std::string told_;
  const bool apart_;
  std::optional<Layout> layout_;
  std::string root_path_;  // "" or "class/"
  std::size_t root_parts_ = 0;
};

}  // namespace

Surveyed::Found Surveyed::find(std::string_view path) const {
  const std::vector<std::string> parts = safe_parts(path), all = parts_of(path);
  std::string key;
  Found found;
  for (std::size_t i = 0; i < std::min(parts.size(), deepest_part); ++i) {
    key += (i == 0 ? "" : "/") + parts[i];
    if (i < root_parts) continue;
    const auto place = places.find(key);
    if (place == places.end()) continue;
    found.place = &place->second;
    found.below.clear();
    for (std::size_t j = i + 1; j < all.size(); ++j) found.below += (j == i + 1 ? "" : "/") + all[j];
  }
  return found;
}

Surveyed survey(const Source &source, const std::string &name, const course::Assignment &assignment,
                const SurveyOptions &options) {
  return Surveyor(source, name, assignment, options).run();
}

}  // namespace warpgrade::batch
