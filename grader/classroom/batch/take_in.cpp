#include "batch/take_in.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "batch/apart.hpp"
#include "batch/contents.hpp"
#include "batch/names.hpp"
#include "batch/roster.hpp"
#include "batch/source.hpp"
#include "batch/survey.hpp"

namespace warpgrade::batch {

namespace {

class Taking {
 public:
  Taking(const Source &source, const std::string &name, const course::Assignment &assignment,
         const TakeInOptions &options, const std::function<void(Handin)> &each)
      : assignment_(assignment),
        options_(options),
        each_(each),
        source_(source),
        survey_(survey(source, name, assignment, {options.layout, options.apart})),
        open_(survey_.slots.size()) {
    if (!options.roster.empty()) read_roster();
    find_owners();
    find_latest();
  }

  void run() {
    prepare_to_read();
    announce();
    if (survey_.whole)
      take_whole();
    else
      take_class();
    for (const Roster::Row *row : missing_) {
      Handin handin;
      handin.student = roster_->student(*row);
      handin.name = row->name;
      handin.notes = {"Nothing was handed in."};
      each_(std::move(handin));
    }
  }

 private:
  struct Owner {
    std::string student;
    const Roster::Row *row = nullptr;
    std::string superseded_by;
    std::string twin;  // another's id, or another spelling of this one, that differs in case alone
  };
  struct Open {
    std::unique_ptr<Contents> contents;      // what was added so far
    std::optional<Contents::Result> result;  // of an archive, which is read at once
    std::string refused;
    std::uint64_t entries = 0;
    bool done = false;
  };

  void read_roster() {
    roster_ = Roster::read(options_.roster);
    roster_->choose_key(ids());
  }

  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const Slot &slot : survey_.slots)
      for (const Named::Owner &owner : slot.named.owners) all.push_back(owner.student);
    return all;
  }

  void find_owners() {
    std::set<std::string> seen;
    std::map<std::string, std::set<std::string>> spellings;
    for (const Slot &slot : survey_.slots) {
      std::vector<Owner> &owners = owners_.emplace_back();
      for (const Named::Owner &named : slot.named.owners) {
        spellings[folded(named.student)].insert(named.student);
        Owner owner{named.student, nullptr, "", ""};
        if (roster_) {
          owner.row = roster_->find(named.student);
          for (const std::string &alias : named.aliases)
            if (owner.row == nullptr && !alias.empty()) owner.row = roster_->find(alias);
          if (owner.row != nullptr) owner.student = roster_->student(*owner.row);
        }
        seen.insert(folded(owner.student));
        owners.push_back(std::move(owner));
      }
    }
    for (std::size_t i = 0; i < owners_.size(); ++i)
      for (std::size_t j = 0; j < owners_[i].size(); ++j) {
        const std::string &own = survey_.slots[i].named.owners[j].student;
        for (const std::string &spelling : spellings.at(folded(own)))
          if (spelling != own) owners_[i][j].twin = spelling;
      }
    if (!roster_) return;
    bool anybody = false;
    for (const std::vector<Owner> &owners : owners_)
      for (const Owner &owner : owners) anybody |= owner.row != nullptr;
    if (!anybody) roster_->fail_for_nobody(ids(), survey_.layout.name());
    for (const Roster::Row &row : roster_->rows())
      if (const std::string student = roster_->student(row); !seen.contains(folded(student)))
        missing_.push_back(&row);
  }

  static std::int64_t time_of(const Slot &slot) {
    return slot.named.time != 0 ? slot.named.time : slot.modified;
  }

  bool is_earlier(const Slot &a, const Slot &b) const {
    // Where a platform names what it exports, a name of another form is a guess, and never comes before one
    // that is none. Students' own names say no more than that.
    const bool own_names = survey_.layout.name() == "plain" || survey_.layout.name() == "id";
    const auto order = [&](const Slot &s) {
      return std::tuple(own_names || s.named.fits, s.named.serial, s.named.attempt, time_of(s));
    };
    if (order(a) != order(b)) return order(a) < order(b);
    return ::strverscmp(a.source.c_str(), b.source.c_str()) < 0;
  }

  void find_latest() {
    std::map<std::string, std::size_t> latest;  // by student: a slot
    for (std::size_t i = 0; i < owners_.size(); ++i)
      for (const Owner &owner : owners_[i]) {
        const auto [best, fresh] = latest.emplace(owner.student, i);
        if (!fresh && is_earlier(survey_.slots[best->second], survey_.slots[i])) best->second = i;
      }
    for (std::size_t i = 0; i < owners_.size(); ++i)
      for (Owner &owner : owners_[i])
        if (const std::size_t best = latest.at(owner.student); best != i)
          owner.superseded_by = survey_.slots[best].source;
  }

  void announce() const {
    if (!options_.surveyed) return;
    Survey told{survey_.layout.name(), survey_.decided, missing_.size(), 0, missing_.size(), survey_.remarks};
    for (const std::vector<Owner> &owners : owners_)
      for (const Owner &owner : owners) {
        ++told.handins;
        told.superseded += owner.superseded_by.empty() ? 0 : 1;
      }
    options_.surveyed(told);
  }

  Contents &contents_of(std::size_t i, Open &open) const {
    if (!open.contents)
      open.contents = std::make_unique<Contents>(assignment_, survey_.slots[i].open_archives);
    return *open.contents;
  }

  /// Whatever unpacks what a student packed.
  Contents::Result apart(int descriptor, const std::function<Contents::Result()> &read) const {
    if (!options_.apart) return read();
    const course::ArchiveLimits &limits = assignment_.archive_limits;
    return Contents::Result::unpack(
        run_apart({limits.memory_bytes, limits.wall_seconds}, descriptor, [&] { return read().pack(); }));
  }
  Contents::Result read_archive_of(const Bytes &bytes, const std::string &name) const {
    return apart(bytes.descriptor(), [&] {
      Contents contents(assignment_, true);
      contents.add_archive(bytes, name);
      return contents.finish();
    });
  }
  Contents::Result finish_loose(Contents &contents) const {
    if (!contents.will_open()) return contents.finish();
    return apart(-1, [&] { return contents.finish(); });
  }

  void take_whole() {
    Open open;
    try {
      if (!survey_.slots[0].refused.empty())
        open.refused = survey_.slots[0].refused;
      else if (const Bytes *bytes = source_.bytes())
        open.result = read_archive_of(*bytes, survey_.slots[0].source);
      else
        source_.walk(
            [&](const Entry &entry, const ReadContent &read) { contents_of(0, open).add(entry, read); });
    } catch (const Refused &e) {
      open.refused = e.what();
    }
    finish(0, open);
  }

  void take_class() {
    std::string broken;
    try {
      source_.walk([&](const Entry &entry, const ReadContent &read) { take(entry, read); });
    } catch (const Refused &e) {
      broken = e.what();
    }
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].done) continue;
      open_[i].refused = survey_.slots[i].refused;
      if (!broken.empty()) open_[i].refused = broken;  // not the student's fault, but nobody can read it
      finish(i, open_[i]);
    }
  }

  void take(const Entry &entry, const ReadContent &read) {
    const Surveyed::Found found = survey_.find(entry.path);
    if (found.place == nullptr) return;
    const std::size_t i = found.place->slot;
    Open &open = open_[i];
    if (open.done) return;
    if (open.refused.empty()) {
      try {
        add(i, entry, found, read);
      } catch (const Refused &e) {
        open.refused = e.what();
        open.contents.reset();
      }
    }
    if (++open.entries >= survey_.slots[i].entries) finish(i, open);
  }

  void add(std::size_t i, const Entry &entry, const Surveyed::Found &found, const ReadContent &read) {
    const Slot &slot = survey_.slots[i];
    Open &open = open_[i];
    Entry inner = entry;
    inner.path = !found.place->name.empty() ? found.place->name : found.below;
    if (slot.archive) {
      inner.path = std::string(last_part(entry.path));
      Entry plain = inner;
      plain.path = "archive";  // its name was read already, and says at most whose it is
      check_entry(plain, UINT64_MAX);
      const std::uint64_t most = assignment_.archive_limits.packed_bytes;
      const auto bytes = read(most);
      if (!bytes)
        throw Refused(
            fmt::format("{} has more than {:g} MiB, which is the limit. Hand in only the step files.",
                        shown(inner.path), static_cast<double>(most) / (1 << 20)));
      open.result = read_archive_of(MemoryBytes(*bytes), inner.path);
    } else if (inner.path.empty()) {  // the folder itself, or what stands in its place
      inner.path = "folder";
      check_entry(inner, UINT64_MAX);
    } else {
      contents_of(i, open).add(inner, read);
    }
  }

  void finish(std::size_t i, Open &open) {
    open.done = true;
    const Slot &slot = survey_.slots[i];
    Handin handin;
    handin.source = slot.source;
    handin.handed_in = time_of(slot);
    handin.time_known = slot.named.time != 0;
    handin.late = slot.named.late;
    Contents::Result result;
    if (open.refused.empty()) {
      try {
        result = open.result ? std::move(*open.result) : finish_loose(contents_of(i, open));
      } catch (const Refused &e) {
        open.refused = e.what();
      }
    }
    open.contents.reset();
    open.result.reset();
    handin.refused = open.refused;
    if (handin.refused.empty()) {
      handin.notes = slot.notes;
      handin.notes.insert(handin.notes.end(), result.notes.begin(), result.notes.end());
      handin.files = std::move(result.files);
    }
    std::vector<std::string> claims = slot.claims;
    for (const std::string &folder : result.top_folders)
      if (std::string id = id_in(folder, assignment_); !id.empty()) claims.push_back(std::move(id));
    for (const Owner &owner : owners_[i]) {
      Handin own = handin;
      own.student = owner.student;
      if (owner.row != nullptr) own.name = owner.row->name;
      own.superseded_by = owner.superseded_by;
      own.id_mismatch = mismatch(slot, owner, owners_[i], claims);
      if (owners_[i].size() > 1) {
        std::string group;
        for (const Owner &member : owners_[i]) group += (group.empty() ? "" : ", ") + member.student;
        own.notes.push_back(fmt::format("Handed in by a group: {}.", group));
      }
      each_(std::move(own));
    }
  }

  std::string mismatch(const Slot &slot, const Owner &owner, const std::vector<Owner> &group,
                       const std::vector<std::string> &claims) const {
    const std::string &layout = survey_.layout.name();
    if (!slot.refused.empty()) return slot.refused;
    if (!slot.named.fits)
      return fmt::format("The name {} does not match the layout '{}'; {} is taken for the student's id.",
                         shown(slot.source), layout, shown(owner.student));
    if (roster_ && owner.row == nullptr) return fmt::format("{} is not on the roster.", owner.student);
    for (const std::string &claim : claims) {
      const std::string id = as_student(claim);
      const bool known = std::any_of(group.begin(), group.end(), [&](const Owner &member) {
        return folded(member.student) == folded(id) ||
               (member.row != nullptr && roster_->has_id(*member.row, id));
      });
      const bool anothers = roster_ && roster_->find(id) != nullptr;
      if (!known && (anothers || survey_.layout.has_student_ids()))
        return fmt::format("It was handed in as {}'s, and a name in it says {}.", owner.student, id);
    }
    if (owner.twin.empty()) return "";
    return fmt::format("Something was handed in as {} too, which differs only in upper and lower case{}.",
                       shown(owner.twin),
                       owner.row == nullptr ? ", and is taken for another student's"
                                            : "; on the roster it is one student, and the latest counts");
  }

  const course::Assignment &assignment_;
  const TakeInOptions &options_;
  const std::function<void(Handin)> &each_;
  const Source &source_;
  Surveyed survey_;
  std::vector<Open> open_;                  // by slot
  std::vector<std::vector<Owner>> owners_;  // by slot
  std::optional<Roster> roster_;
  std::vector<const Roster::Row *> missing_;
};

}  // namespace

void take_in(const Source &source, const std::string &name, const course::Assignment &assignment,
             const TakeInOptions &options, const std::function<void(Handin)> &each) {
  Taking(source, name, assignment, options, each).run();
}

void take_in(const std::filesystem::path &submissions, const course::Assignment &assignment,
             const TakeInOptions &options, const std::function<void(Handin)> &each) {
  if (!std::filesystem::exists(submissions))
    throw std::runtime_error(fmt::format("{}: there is no such folder or archive", submissions.string()));
  const std::string name = std::filesystem::canonical(submissions).filename().string();
  take_in(*open_source(submissions), name, assignment, options, each);
}

}  // namespace warpgrade::batch
