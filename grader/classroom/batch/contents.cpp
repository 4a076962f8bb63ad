#include "batch/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/wire.hpp"
#include "batch/bundle.hpp"
#include "batch/names.hpp"

namespace warpgrade::batch {

namespace {

double mebi(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

std::string join(const std::string &folder, const std::vector<std::string> &parts) {
  std::string path = folder;
  for (const std::string &part : parts) path += (path.empty() ? "" : "/") + part;
  return path;
}

}  // namespace

bool Contents::is_wanted(std::string_view file) const {
  return std::any_of(assignment_.steps.begin(), assignment_.steps.end(), [&](const course::Step &s) {
    return s.file == file || std::find(s.headers.begin(), s.headers.end(), file) != s.headers.end();
  });
}

void Contents::count(std::uint64_t unpacked) {
  const course::ArchiveLimits &limits = assignment_.archive_limits;
  unpacked_ += std::min(unpacked, UINT64_MAX - unpacked_);
  if (unpacked_ > limits.unpacked_bytes)
    throw Refused(
        fmt::format("Unpacked, it has more than {:g} MiB, which is the limit. Hand in only the step files.",
                    mebi(limits.unpacked_bytes)));
  if (packed_ != 0 && unpacked_ > limits.ratio_from_bytes &&
      static_cast<double>(unpacked_) > limits.ratio * static_cast<double>(packed_))
    throw Refused(fmt::format(
        "Unpacked, it has more than {:g} times the size of the archive, as in one that is made to "
        "fill a disk. Hand in only the step files.",
        limits.ratio));
}

void Contents::add(const Entry &entry, const ReadContent &read) {
  add_file(entry, "", read, 0);
}

void Contents::add_archive(const Bytes &bytes, const std::string &name) {
  const std::uint64_t most = assignment_.archive_limits.packed_bytes;
  if (bytes.size() > most)
    throw Refused(fmt::format("{} has {:.1f} MiB, at most {:g} are accepted. Hand in only the step files.",
                              shown(name), mebi(bytes.size()), mebi(most)));
  packed_ += bytes.size();
  open(bytes, name, "", 1);
}

void Contents::open(const Bytes &bytes, const std::string &name, const std::string &folder,
                    std::uint64_t depth) {
  const course::ArchiveLimits &limits = assignment_.archive_limits;
  if (depth > limits.depth)
    throw Refused(fmt::format(
        "{} is an archive in an archive, more than {} deep. Hand in one archive with the step files.",
        shown(name), limits.depth));
  read_archive(bytes, name, {limits.entries, limits.name_bytes},
               [&](const Entry &entry, const ReadContent &read) {
                 count(entry.size);
                 add_file(entry, folder, read, depth);
               });
}

void Contents::add_file(const Entry &entry, const std::string &folder, const ReadContent &read,
                        std::uint64_t depth) {
  const course::ArchiveLimits &limits = assignment_.archive_limits;
  if (++entries_ > limits.entries)
    throw Refused(
        fmt::format("It has more than {} files and folders. Hand in only the step files.", limits.entries));
  const std::vector<std::string> parts = parts_of(entry.path);
  // The one name with a control character that a system gives by itself; it is looked at no further.
  const bool icon = entry.kind == Entry::Kind::file && !parts.empty() && parts.back() == "Icon\r";
  if (!icon) check_entry(entry, limits.name_bytes);
  if (entry.kind == Entry::Kind::folder || parts.empty()) return;
  const std::string path = join(folder, parts);
  if (!seen_.insert(folded(path)).second)
    throw Refused(
        fmt::format("{} occurs in it twice, perhaps in different case. Nothing of the submission is read; "
                    "pack the step files again and hand them in.",
                    shown(path)));
  if (is_clutter(parts)) return;

  const auto counted = [&](std::uint64_t most) {
    std::optional<std::string> bytes = read(most);
    const std::uint64_t declared = depth == 0 ? 0 : entry.size;
    if (const std::uint64_t size = bytes ? bytes->size() : most; size > declared) count(size - declared);
    return bytes;
  };
  const std::string &file = parts.back();
  if (is_wanted(file)) {
    std::optional<std::string> content = counted(limits.source_bytes);
    steps_[file].push_back({path, content.value_or(""), !content});
  } else if (is_archive_name(file) && (depth > 0 || open_loose_archives_)) {
    std::optional<std::string> bytes = counted(limits.packed_bytes);
    nested_.push_back({path, bytes.value_or(""), depth + 1, !bytes});
  } else if (!is_analysis(file)) {
    others_.push_back(path);
  }
}

void Contents::open_nested() {
  while (steps_.empty() && !nested_.empty()) {
    const std::vector<Nested> level = std::move(nested_);
    nested_.clear();
    for (const Nested &archive : level) {
      if (archive.too_large)
        throw Refused(
            fmt::format("{} has more than {:g} MiB, which is the limit. Hand in only the step files.",
                        shown(archive.path), mebi(assignment_.archive_limits.packed_bytes)));
      if (archive.depth == 1) packed_ += archive.bytes.size();
      open(MemoryBytes(archive.bytes), archive.path, archive.path, archive.depth);
    }
  }
  for (const Nested &archive : nested_) others_.push_back(archive.path);
}

std::optional<std::string> Contents::only_one(const std::string &file, const std::vector<Found> &found,
                                              Result &result) const {
  const bool alike = std::all_of(found.begin(), found.end(), [&](const Found &f) {
    return f.content == found[0].content && f.too_large == found[0].too_large;
  });
  if (!alike) {
    std::string where;
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 3); ++i)
      where += (i == 0 ? "" : ", ") + shown(found[i].path);
    if (found.size() > 3) where += fmt::format(" and {} more", found.size() - 3);
    result.notes.push_back(
        fmt::format("{} occurs {} times with different text: {}. None of them is graded; hand in one.", file,
                    found.size(), where));
    return std::nullopt;
  }
  if (found[0].too_large) {
    result.notes.push_back(fmt::format("{} has more than {:g} KiB and is not read.", file,
                                       mebi(assignment_.archive_limits.source_bytes) * 1024));
    return std::nullopt;
  }
  for (const Found &f : found)
    if (const auto parts = parts_of(f.path); parts.size() > 1) result.top_folders.push_back(parts[0]);
  return found[0].content;
}

void Contents::take(const course::Step &step, const std::vector<Found> &found, Result &result) const {
  std::optional<std::string> file = only_one(step.file, found, result);
  if (!file) return;
  std::map<std::string, std::string> headers;
  for (const std::string &name : step.headers) {
    const auto header = steps_.find(name);
    if (header == steps_.end()) {
      result.notes.push_back(
          fmt::format("{} is missing; {} is compiled with the starter's.", name, step.file));
      continue;
    }
    std::optional<std::string> text = only_one(name, header->second, result);
    if (!text) return;  // which one was meant? Then what it is compiled with is not known either
    headers[name] = std::move(*text);
  }
  result.files.push_back({step.path().generic_string(), bundle(step, std::move(*file), headers)});
}

/// A name that is nearly that of a missing step is what went wrong; of the rest, the number is enough.
void Contents::note_others(const std::vector<const course::Step *> &missing, Result &result) const {
  std::set<std::string> named;
  for (const course::Step *step : missing) {
    const std::string *nearest = nullptr;
    std::size_t least = step->file.size() / 3 + 1;
    for (const std::string &path : others_)
      if (const std::size_t d = edit_distance(folded(last_part(path)), folded(step->file));
          d < least && !named.contains(path)) {
        least = d;
        nearest = &path;
      }
    if (nearest == nullptr) continue;
    named.insert(*nearest);
    result.notes.push_back(fmt::format("{} is not a file of {} and is not graded. Was {} meant?",
                                       shown(*nearest), assignment_.name, step->file));
  }
  std::vector<std::string> rest;
  for (const std::string &path : others_)
    if (!named.contains(path)) rest.push_back(path);
  if (rest.empty()) return;
  constexpr std::size_t most = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(rest.size(), most); ++i)
    names += (i == 0 ? "" : ", ") + shown(rest[i]);
  if (rest.size() > most) names += fmt::format(" and {} more", rest.size() - most);
  result.notes.push_back(
      fmt::format("{} is not used, since only the step files of {} are: {}.",
                  rest.size() == 1 ? "One other file" : fmt::format("Each of {} other files", rest.size()),
                  assignment_.name, names));
}

Contents::Result Contents::finish() {
  open_nested();
  Result result;
  std::vector<const course::Step *> missing;
  std::set<std::string> taken;  // steps may share a file
  for (const course::Step &step : assignment_.steps) {
    if (!taken.insert(step.file).second) continue;
    if (const auto found = steps_.find(step.file); found != steps_.end())
      take(step, found->second, result);
    else
      missing.push_back(&step);
  }
  if (steps_.empty()) {
    std::vector<std::string> wanted;
    for (const course::Step &step : assignment_.steps)
      if (!step.beyond && std::find(wanted.begin(), wanted.end(), step.file) == wanted.end())
        wanted.push_back(step.file);
    result.notes.push_back(
        fmt::format("It contains no file of {}. Expected: {}.", assignment_.name, fmt::join(wanted, ", ")));
  }
  note_others(missing, result);
  std::sort(result.files.begin(), result.files.end(),
            [](const HandedFile &a, const HandedFile &b) { return a.name < b.name; });
  return result;
}

std::string Contents::Result::pack() const {
  Writer out;
  out.put(std::uint64_t{files.size()});
  for (const HandedFile &file : files) out.put_string(file.name).put_string(file.content);
  for (const auto *list : {&notes, &top_folders}) {
    out.put(std::uint64_t{list->size()});
    for (const std::string &line : *list) out.put_string(line);
  }
  return out.text();
}

Contents::Result Contents::Result::unpack(std::string_view bytes) {
  Reader in(std::as_bytes(std::span(bytes)));
  Result result;
  for (std::uint64_t n = in.get_count(16); n > 0; --n) {
    std::string name = in.get_string();
    result.files.push_back({std::move(name), in.get_string()});
  }
  for (auto *list : {&result.notes, &result.top_folders})
    for (std::uint64_t n = in.get_count(8); n > 0; --n) list->push_back(in.get_string());
  return result;
}

}  // namespace warpgrade::batch
