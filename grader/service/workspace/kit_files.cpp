// All files of an assignment at once: given out with the drafts in place of the starter's files, and taken back from the
// machine on which they were edited.
#include <fmt/format.h>

#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/zip.hpp"
#include "build/files.hpp"
#include "service/api_error.hpp"
#include "service/pages.hpp"
#include "service/workspace/workspace.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;

namespace {

/// As the assignment names it: a browser sends names without folders. Empty: it has no such file.
std::string file_named(const std::vector<std::string> &files, const std::string &name) {
  for (const std::string &file : files)
    if (file == name || fs::path(file).filename() == name) return file;
  return "";
}

}  // namespace

std::vector<std::string> Workspace::editable_files(const course::Assignment &a) {
  std::vector<std::string> files;
  for (const course::Step &step : a.steps) {
    if (!can_be_edited(step)) continue;
    files.push_back(step.path().string());
    files.insert(files.end(), step.headers.begin(), step.headers.end());
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

ApiResponse Workspace::all_files(const Visit &visit, const std::string &name) {
  const Opened opened = open(visit, name);
  const fs::path starter =
      opened.own ? opened.own->starter() : opened.served.root / "starter" / opened.served.assignment.name;
  std::vector<ZipEntry> entries;
  for (const std::string &file : editable_files(opened.served.assignment)) {
    const auto draft = drafts_.current({visit.person.id, name, file});
    entries.push_back({file, draft ? draft->text : read_or_empty(starter / file)});
  }
  for (const fs::path &file : build::support_files(starter))
    if (std::none_of(entries.begin(), entries.end(),
                     [&](const ZipEntry &e) { return e.path == file.string(); }))
      entries.push_back({file.string(), read_or_empty(starter / file)});
  ApiResponse r{200, "application/zip", zip(entries), {}};
  r.headers.emplace_back("Content-Disposition",
                         fmt::format("attachment; filename=\"{}.zip\"", path_part(name)));
  return r;
}

ApiResponse Workspace::take_files(const Visit &visit, const std::string &name) {
  const Opened opened = open(visit, name);
  const std::vector<std::string> known = editable_files(opened.served.assignment);
  std::map<std::string, std::string> taken;
  const auto take = [&](const std::string &file, const std::string &bytes) {
    if (!taken.emplace(file, text_of_upload(opened.served.assignment, file, bytes)).second)
      throw ApiError{400, "bad_request", fmt::format("{} appears twice. Nothing was saved.", file)};
  };
  for (const auto &[sent, bytes] : visit.request.files) {
    if (sent.empty() && bytes.empty()) continue;  // what a browser sends when no file was chosen
    const std::string shown = for_terminal(sent.substr(0, 100));
    if (sent.ends_with(".zip")) {
      const auto entries = stored_entries(bytes);
      if (!entries)
        throw ApiError{400, "unreadable_archive",
                       fmt::format("{} is compressed, or no archive from here. Choose the files in it "
                                   "themselves. Nothing was saved.",
                                   shown)};
      for (const ZipEntry &entry :
           *entries)  // headers of the course and a Makefile come along, and stay as they are
        if (std::binary_search(known.begin(), known.end(), entry.path)) take(entry.path, entry.content);
      continue;
    }
    const std::string file = file_named(known, sent);
    if (file.empty())
      throw ApiError{400, "unknown_file",
                     fmt::format("{} is not a file of {}, whose files are: {}. Nothing was saved.", shown,
                                 name, fmt::join(known, ", "))};
    take(file, bytes);
  }
  if (taken.empty())
    throw ApiError{400, "bad_request", "No file was chosen that the assignment has. Nothing was saved."};
  std::vector<std::string> saved, same;
  {
    const std::lock_guard writing(shared_.writing);
    for (const auto &[file, text] : taken) {
      const DraftOf of{visit.person.id, name, file};
      const auto before = drafts_.current(of);
      if (before && before->text == text) {
        same.push_back(file);
        continue;
      }
      drafts_.save(of, text, {before ? before->id : 0, true, true, ""}, shared_.now());
      saved.push_back(file);
    }
  }
  std::string remark;
  if (!saved.empty())
    remark = fmt::format("Saved: {}. What was there before is in the history of each file.",
                         fmt::join(saved, ", "));
  if (!same.empty())
    remark += fmt::format("{}As it was here already: {}.", saved.empty() ? "" : " ", fmt::join(same, ", "));
  return overview(visit, remark);
}

}  // namespace warpgrade::service
