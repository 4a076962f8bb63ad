#include "service/upload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "base/zip.hpp"
#include "batch/bundle.hpp"
#include "service/api_error.hpp"
#include "variants/variants.hpp"

namespace warpgrade::service {

namespace {

/// Whether an assignment has a file of this name.
bool is_file_of(const course::Assignment &a, const std::string &name) {
  return std::any_of(a.steps.begin(), a.steps.end(), [&](const course::Step &step) {
    return !step.beyond && (name == step.path().string() ||
                            std::find(step.headers.begin(), step.headers.end(), name) != step.headers.end());
  });
}

/// With what `./grade package` packed in place of its archive. What it adds to the steps' files is left out.
std::map<std::string, std::string> without_archives(const course::Assignment &a,
                                                    const std::map<std::string, std::string> &files) {
  std::map<std::string, std::string> all;
  for (const auto &[name, bytes] : files) {
    if (!name.ends_with(".zip")) {
      all.emplace(name, bytes);
      continue;
    }
    const auto entries = stored_entries(bytes);
    if (!entries)
      throw ApiError{
          400, "unreadable_archive",
          fmt::format("{} is not an archive that './grade package' wrote. Upload that archive as it is, "
                      "or the files themselves.",
                      for_terminal(name.substr(0, 100)))};
    for (const ZipEntry &entry : *entries)
      if (is_file_of(a, entry.path) &&
          (files.contains(entry.path) || !all.emplace(entry.path, entry.content).second))
        throw ApiError{400, "bad_request", fmt::format("{} appears twice.", entry.path)};
  }
  return all;
}

}  // namespace

std::vector<StepText> steps_of_files(const course::Assignment &a,
                                     const std::map<std::string, std::string> &uploaded) {
  const std::map<std::string, std::string> files = without_archives(a, uploaded);
  if (files.size() > most_files)
    throw ApiError{400, "bad_request", fmt::format("At most {} files are accepted.", most_files)};
  for (const auto &[name, bytes] : files)
    if (bytes.size() > a.archive_limits.source_bytes)
      throw ApiError{
          413, "file_too_large",
          fmt::format("{} has {} bytes, and a file may have at most {}.", for_terminal(name.substr(0, 100)),
                      bytes.size(), a.archive_limits.source_bytes)};
  std::vector<StepText> steps;
  std::set<std::string> used;
  std::vector<std::string> known;
  for (const course::Step &step : a.steps) {
    if (step.beyond) continue;
    known.push_back(step.file);
    const auto own = files.find(step.path().string());
    if (own == files.end()) continue;
    used.insert(own->first);
    std::map<std::string, std::string> headers;
    for (const std::string &header : step.headers)
      if (const auto found = files.find(header); found != files.end()) {
        headers.emplace(*found);
        used.insert(header);
      }
    steps.emplace_back(step.id,
                       variants::without_a_mark(batch::bundle(step, own->second, headers), step.file));
  }
  for (const auto &[name, bytes] : files)
    if (!used.contains(name))
      throw ApiError{400, "unknown_file",
                     fmt::format("{} is not a file of {}, whose files are: {}.",
                                 for_terminal(name.substr(0, 100)), a.name, fmt::join(known, ", "))};
  if (steps.empty()) throw ApiError{400, "bad_request", "It contains no file."};
  return steps;
}

Receipt submit(Shared &shared, Jobs &jobs, const ServedCourse &course, const Person &person,
               const std::vector<StepText> &as_handed_in) {
  const Policy policy = course.policy();
  if (const std::string why = why_closed(policy, shared.now()); !why.empty() && person.role == Role::student)
    throw ApiError{403, "closed", why};
  std::vector<StepText> steps = as_handed_in;
  if (const std::string variant = course.variant_of(person); !variant.empty())
    for (auto &[id, text] : steps)
      text = variants::marked(std::move(text), course.assignment.find_step(id)->file, variant);
  Receipt receipt;
  {
    const std::lock_guard writing(shared.writing);
    receipt = jobs.submit(person.id, course.assignment.name, steps, policy.quota, shared.now());
  }
  if (receipt.refusal)
    throw ApiError{429, receipt.refusal->code, receipt.refusal->message, receipt.refusal->retry_after};
  return receipt;
}

}  // namespace warpgrade::service
