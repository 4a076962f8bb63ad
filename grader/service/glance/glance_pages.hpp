// The start page of the staff: the course at a glance, a page for each assignment, the same as CSV, and on the page of a student
// what came of their runs and submissions. Names are those of the roster.
#pragma once

#include <optional>
#include <string>

#include "report/service_page.hpp"
#include "service/api.hpp"
#include "service/glance/glance.hpp"
#include "service/workspace/trials.hpp"

namespace warpgrade::service {

class GlancePages {
 public:
  struct Visit {
    const ApiRequest &request;
    const Person &person;
    const report::ServicePage &frame;  ///< what all pages share, without title and sections
  };
  GlancePages(Shared &shared, ServiceStore &store, Jobs &jobs, People &people)
      : shared_(shared), jobs_(jobs), people_(people), outcomes_(store), trials_(store) {}

  /// "/course", "/course.csv", "/course/hw6", "/course/hw6/stuck.csv"
  static bool has(const std::string &path) {
    return path == "/course" || path == "/course.csv" || path.starts_with("/course/");
  }
  /// For the staff alone; "/" is the first page. Throws ApiError, batch::StoreError.
  ApiResponse answer(const Visit &);
  /// On the page of a student.
  std::optional<report::PageSection> of_student(const Person &);

 private:
  ApiResponse start(const Visit &);
  ApiResponse assignment(const Visit &, const std::string &name);
  ApiResponse csv(const ServedCourse &, const std::string &which);
  Glance glance(const ServedCourse &);
  struct Overview {
    const ServedCourse *served;
    Glance glance;
    std::size_t whole;  ///< students with every step accepted, as submitted
    int waiting;        ///< in the queue
  };
  std::vector<Overview> overview();
  ApiResponse overview_csv();
  void catch_up(report::ServicePage *);
  /// Sentences; none: everything is graded, and run in the workspace.
  std::vector<std::string> why_nothing_runs(const std::string &name, const ServedCourse &);
  report::PageCell student_cell(const std::string &id);
  std::string name_of_student(const std::string &id);

  Shared &shared_;
  Jobs &jobs_;
  People &people_;
  Outcomes outcomes_;
  Trials trials_;
};

}  // namespace warpgrade::service
