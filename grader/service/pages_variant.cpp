// What an assignment asks of one student: their own variant with its points and thresholds, handout and kit.
#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "batch/scoring.hpp"
#include "grading/record_fields.hpp"
#include "judge/measure.hpp"
#include "report/text.hpp"
#include "service/api_error.hpp"
#include "service/pages.hpp"
#include "service/render.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;
using report::PageSection;
using report::PageTable;
using report::ServicePage;

namespace {

constexpr const char *handout_page = "/handout", *kit_file = "/kit";

fs::path written_handout(const ServedCourse &served) {
  return served.root / "build/handouts" / (served.assignment.name + ".html");
}

/// The kit that 'gradebook kit --roster' wrote for this student, if it is of this variant. Empty: there is none.
fs::path kit_of(const ServedCourse &served, const std::string &student, const std::string &variant) {
  const fs::path folder = served.root / "build/kit" / served.assignment.name;
  const CsvTable kits(read_or_empty(folder / "variants.csv"));
  for (std::size_t row = 1; row < kits.rows(); ++row)
    if (kits.cell(row, 0) == student && kits.cell(row, 1) == variant) {
      const fs::path kit = folder / (batch::folder_name(student) + ".tar.gz");
      return fs::is_regular_file(kit) ? kit : fs::path();
    }
  return {};
}

std::string threshold_in_words(const course::Threshold &t, const problem::Problem &p) {
  return t.of_library ? fmt::format("{:.0f} % of {}", 100 * t.value, problem::name_of(p.library()))
                      : fmt::format("{} {}", report::figure(t.value), p.rate_unit());
}

/// Rows "Step, for what, at what, points" of everything that gives points.
PageTable worth_of(const OwnCourse &own) {
  PageTable table{"What gives points", {{"Step"}, {"For"}, {"From"}, {"Points", "", true}}, {}, ""};
  for (const course::Step &step : own.assignment.steps) {
    if (step.beyond) continue;
    const auto add = [&](std::string what, std::string from, double worth) {
      if (worth > 0)
        table.rows.push_back({{step.id}, {std::move(what)}, {std::move(from)}, {points(worth), "", true}});
    };
    add(step.has_kernel() ? "correct results" : "correct answers", "", step.points.correct);
    for (const course::CounterCheck &check : step.counter_checks)
      add(std::string(judge::in_words(check.measure)),
          fmt::format("{} {}", check.at_least ? "at least" : "at most", report::figure(check.limit)),
          check.points);
    if (const course::StepThresholds *t = own.thresholds.find(step.id))
      add("speed",
          fmt::format("{}, in full from {}", threshold_in_words(t->pass, *step.problem),
                      threshold_in_words(t->full, *step.problem)),
          step.points.fast);
    else
      add("speed", "", step.points.fast);
    add("line and cause of the fault", "", step.points.answers);
    add("what is proved for all sizes", "", step.points.proof);
  }
  return table;
}

}  // namespace

ApiResponse Pages::variant(const Visit &visit, const std::string &rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string name = rest.substr(0, slash), part = rest.substr(slash);
  const auto found = shared_.courses.find(name);
  const std::string variant = found == shared_.courses.end() ? "" : found->second.variant_of(visit.person);
  if (variant.empty()) throw ApiError{404, "not_found", "You have no variant of such an assignment."};
  const ServedCourse &served = found->second;
  if (const Policy policy = served.policy(); opens_later(policy, shared_.now()))  // a variant is a student's
    throw ApiError{403, "closed", why_closed(policy, shared_.now())};
  const fs::path handout = written_handout(served), kit = kit_of(served, visit.person.id, variant);
  if (part == handout_page && fs::exists(handout))
    return {200, "text/html; charset=utf-8", served.variants->handout(variant, read_whole(handout)), {}};
  if (part == kit_file && !kit.empty())
    return {200,
            "application/gzip",
            read_whole(kit),
            {{"Content-Disposition", fmt::format("attachment; filename=\"{}.tar.gz\"", name)}}};
  if (!part.empty()) throw ApiError{404, "not_found", "There is no such page."};

  std::string gpu = "none";
  if (const std::string device = device_of(jobs_, name); !device.empty())
    if (const auto record = json::read<grading::DeviceRecord>(json::Json::parse(device)); record.gpu)
      gpu = record.name;
  const auto own = served.own_of(variant, gpu);
  ServicePage p = page(&visit, "Your variant of " + name);
  PageTable links{"Your files", {{"File"}, {"For"}}, {}, "The course hands out your handout and your kit."};
  const std::string here = "/variants/" + path_part(name);
  if (fs::exists(handout)) links.rows.push_back({{"Handout", here + handout_page}, {"a browser, or paper"}});
  if (!kit.empty())
    links.rows.push_back({{"Kit", here + kit_file}, {"your computer: the files to begin with, and ./grade"}});
  p.sections.push_back({own->assignment.title,
                        {served.variants->says(variant),
                         "Other students have other variants. What you submit is graded by yours."},
                        std::move(links)});
  p.sections.push_back({"Points", {}, worth_of(*own)});
  return shown(p);
}

std::optional<PageSection> Pages::variants_of(const Person &person) const {
  PageSection section{"Variants", {}, {}};
  for (const auto &[name, served] : shared_.courses)
    if (served.variants && !served.variants->wrong().empty())
      section.sentences.push_back(served.variants->wrong());
    else if (const std::string variant = served.variant_of(person); !variant.empty())
      section.sentences.push_back(fmt::format("{}: {}. {}", name, variant, served.variants->says(variant)));
  if (section.sentences.empty()) return std::nullopt;
  return section;
}

}  // namespace warpgrade::service
