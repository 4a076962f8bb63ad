// The page that uploads files, and what it sends.
#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "service/api_error.hpp"
#include "service/pages.hpp"
#include "service/upload.hpp"

namespace warpgrade::service {

using report::PageField;
using report::PageSection;
using report::ServicePage;

ApiResponse Pages::upload_form(const Visit &visit, const std::string &assignment) {
  ServicePage p = page(&visit, "Upload");
  for (const auto &[name, served] : shared_.courses) {
    if (!assignment.empty() && name != assignment) continue;
    std::vector<std::string> files;
    for (const course::Step &step : served.assignment.steps)
      if (!step.beyond)
        for (const std::string &file : step.files()) files.push_back(file);
    PageSection section{
        name + ": " + served.assignment.title,
        {fmt::format("Its files: {}. Choose one or more, or the archive that './grade package' writes.",
                     fmt::join(files, ", "))},
        {}};
    if (const std::string why = why_closed(served.policy(), shared_.now()); !why.empty())
      section.sentences.push_back(why);
    section.forms.push_back({"/upload",
                             "Submit for " + name,
                             {{PageField::Kind::hidden, "assignment", "", name},
                              {PageField::Kind::file, "files", "Files of " + name, ""}}});
    p.sections.push_back(std::move(section));
  }
  return shown(p);
}

ApiResponse Pages::upload(const Visit &visit) {
  const ServedCourse &served = course(visit.field("assignment"));
  // A browser sends names without folders.
  std::map<std::string, std::string> whole_names, files;
  for (const course::Step &step : served.assignment.steps) {
    if (step.beyond) continue;
    whole_names.emplace(step.path().filename().string(), step.path().string());
    for (const std::string &header : step.headers)
      whole_names.emplace(std::filesystem::path(header).filename().string(), header);
  }
  for (const auto &[name, bytes] : visit.request.files) {
    if (name.empty() && bytes.empty()) continue;  // what a browser sends when no file was chosen
    const auto known = whole_names.find(name);
    if (!files.emplace(known == whole_names.end() ? name : known->second, bytes).second)
      throw ApiError{400, "bad_request", fmt::format("{} appears twice.", for_terminal(name.substr(0, 100)))};
  }
  const std::vector<StepText> steps = steps_of_files(served.assignment, files);
  const Receipt receipt = submit(shared_, jobs_, served, visit.person, steps);
  return go_to(fmt::format("/submissions/{}", receipt.submission));
}

}  // namespace warpgrade::service
