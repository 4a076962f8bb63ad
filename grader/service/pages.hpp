// The service in a browser: pages made here, without scripts; a form for everything that changes something.
// A browser identifies itself with a cookie that only the pages look at, and every form carries a value that
// pages of other sites cannot know.
#pragma once

#include <string>
#include <string_view>

#include "report/service_page.hpp"
#include "service/api.hpp"
#include "service/disputes/dispute_pages.hpp"
#include "service/exams.hpp"
#include "service/glance/glance_pages.hpp"
#include "service/orders.hpp"

namespace warpgrade::service {

/// The session in a Cookie header; empty: there is none.
std::string session_in(std::string_view cookies);
/// The answer that has a browser read this page.
ApiResponse go_to(const std::string &path);
ApiResponse page_response(const report::ServicePage &, int status = 200);
/// A file for a spreadsheet. name  "course.csv"
ApiResponse csv_response(const std::string &name, std::string text);
/// What every form of this session carries.
std::string csrf_of(const std::string &session);
/// As a part of a path.
std::string path_part(std::string_view);
/// What a form for points by hand orders. points: empty to withdraw them. Throws ApiError.
Order points_order(const ServedCourse &, const std::string &student, const std::string &step,
                   const std::string &points, const std::string &reason);

class Pages {
 public:
  Pages(Shared &shared, ServiceStore &store, Jobs &jobs, People &people)
      : shared_(shared),
        store_(store),
        jobs_(jobs),
        people_(people),
        orders_(store),
        exams_(store),
        disputes_(shared, store, jobs, people),
        glance_(shared, store, jobs, people) {}

  /// Whether a path is a page's; the others are for programs.
  static bool has(const std::string &path);
  /// Errors are pages too. Throws batch::StoreError.
  ApiResponse answer(const ApiRequest &);
  /// Of a page of a class as it is now; changes with what it shows. `topic`: "hw6/leaderboard.html". Throws
  /// ApiError.
  std::string version_of(const std::string &topic);

 private:
  struct Visit {
    const ApiRequest &request;
    Person person;
    bool staff() const { return person.role != Role::student; }
    std::string field(const char *name) const { return request.field(name); }
  };
  ApiResponse visit(const ApiRequest &);
  ApiResponse log_in(const ApiRequest &);
  ApiResponse change(const Visit &);
  ApiResponse upload(const Visit &);
  ApiResponse give_points(const Visit &);
  ApiResponse regrade(const Visit &);
  ApiResponse announce(const Visit &);
  ApiResponse tokens(const Visit &);
  ApiResponse consent(const Visit &);
  ApiResponse change_policy(const Visit &);

  ApiResponse history(const Visit &, const Person &whose);
  ApiResponse submission(const Visit &, const std::string &rest);
  /// rest: "hw6/exam", an assignment and a step of `kind: viva`.
  ApiResponse exam(const Visit &, const std::string &rest);
  ApiResponse exam_of_student(const Visit &, const ServedCourse &, const course::Step &);
  ApiResponse exam_of_class(const Visit &, const ServedCourse &, const course::Step &);
  ApiResponse change_exam(const Visit &, const std::string &rest);
  ApiResponse reopen_exam(const Visit &, const ServedCourse &, const course::Step &);
  std::pair<const ServedCourse &, const course::Step &> exam_at(const std::string &rest) const;
  ApiResponse workspace(const Visit &);
  ApiResponse disputes(const Visit &);
  ApiResponse queue(const Visit &);
  /// rest: "hw6", or a file of it: "hw6/handout", "hw6/kit".
  ApiResponse variant(const Visit &, const std::string &rest);
  ApiResponse upload_form(const Visit &, const std::string &assignment);
  ApiResponse staff(const Visit &);
  void health(report::ServicePage &);
  ApiResponse class_page(const Visit &, const std::string &rest);
  ApiResponse class_before_grading(const Visit &, const ServedCourse &, bool board);
  ApiResponse policy(const Visit &);
  /// made_from: the hash of the text that the form begins with, so that no other change is lost.
  ApiResponse policy_page(const Visit &, const std::string &text, const std::string &made_from,
                          const std::string &mistake);
  ApiResponse rescore_form(const Visit &);
  ApiResponse rescore_preview(const Visit &);
  /// rest: "hw6" or "hw6/list.csv"; empty: all assignments.
  ApiResponse regrading(const Visit &, const std::string &rest);
  ApiResponse change_regrading(const Visit &, const std::string &rest);
  /// name: of a file of the assignment's folder thresholds/, which then has this text.
  ApiResponse apply_thresholds(const Visit &, const ServedCourse &, const std::string &name,
                               const std::string &text);

  /// A page of a class, drawn again when it is old and something changed.
  Shared::Drawn drawn(const ServedCourse &, bool board);
  /// Sections of a person's own page; nothing where they would be empty.
  std::optional<report::PageSection> name_on_leaderboards(const Person &);
  /// Of a student on the leaderboard that students see; empty: there is none.
  std::string pseudonym(const ServedCourse &, const std::string &student) const;
  std::optional<report::PageSection> points_given(const Person &);

  std::optional<report::PageSection> variants_of(const Person &) const;

  /// The frame that all pages share.
  report::ServicePage page(const Visit *, const std::string &title);
  ApiResponse shown(const report::ServicePage &, int status = 200) const;
  const ServedCourse &course(const std::string &name) const;
  Person named(const std::string &id);
  std::vector<std::string> course_names() const;
  void need(const Visit &, Role least) const;

  Shared &shared_;
  ServiceStore &store_;
  Jobs &jobs_;
  People &people_;
  Orders orders_;
  Exams exams_;
  DisputePages disputes_;
  GlancePages glance_;
};

}  // namespace warpgrade::service
