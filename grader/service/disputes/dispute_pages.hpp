// Disputes in a browser. A student opens one below a submission's report, about a finding or a line, and reads the answer where
// it was opened, in the report, and on a page of the dispute. The staff have an inbox, with the command that repeats each case,
// and decide on the page of a dispute: answer, points by hand, fault of the grader, a note for everybody with the finding.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "report/service_page.hpp"
#include "service/api.hpp"
#include "service/disputes/disputes.hpp"
#include "service/orders.hpp"
#include "service/render.hpp"

namespace warpgrade::service {

struct Reported;  // disputes/reported.hpp

/// Sentences for the report of a submission: the answers to its disputes, then notes on its findings.
std::vector<std::string> remarks_on(ServiceStore &, const Submission &, const Rendered &);

class DisputePages {
 public:
  struct Visit {
    const ApiRequest &request;
    const Person &person;
    const report::ServicePage &frame;  ///< what all pages share, without title and sections
    bool staff() const { return person.role != Role::student; }
  };
  DisputePages(Shared &shared, ServiceStore &store, Jobs &jobs, People &people)
      : shared_(shared), store_(store), jobs_(jobs), people_(people), disputes_(store) {}

  static bool has(const std::string &path);
  /// Throws ApiError, batch::StoreError.
  ApiResponse answer(const Visit &);

  // Parts of other pages.

  /// A student who has disputed nothing needs none.
  std::optional<report::PageCell> menu(const Person &);
  /// Answers that the reader has not seen; nothing if there are none.
  std::optional<report::PageSection> unread(const Person &);
  /// For the staff: how many are open, and how many showed that the grader was wrong.
  std::string counted();
  /// Below the report of a submission that is graded: findings with the notes on them, disputes, and forms.
  void put_on(report::ServicePage &, const ApiRequest &, const Person &reader, const Submission &,
              const Rendered &);

 private:
  /// Somebody else's looks like none.
  Dispute dispute_at(const Visit &, const std::string &number);
  Submission submission_of(const Visit &, const std::string &number);
  Reported reported_of(const Submission &);
  /// "20261234, A Name"
  std::string person_in_words(const std::string &id);

  ApiResponse of_student(const Visit &);
  ApiResponse inbox(const Visit &);
  ApiResponse inbox_as_csv(const Visit &);
  ApiResponse page(const Visit &, const Dispute &);
  /// similar: to the dispute, open or not
  void put_decisions(report::ServicePage &, const Dispute &, const std::vector<Dispute> &similar);
  ApiResponse files(const Visit &, const Dispute &);
  report::PageSection notes(const std::vector<FindingNote> &, const std::string &heading);

  ApiResponse open(const Visit &);
  ApiResponse change(const Visit &, const Dispute &);
  /// For similar ones too, as the page of the form had them, where the form says so.
  ApiResponse decide(const Visit &, const Dispute &, DisputeKind);
  ApiResponse give_points(const Visit &, const Dispute &);
  ApiResponse change_notes(const Visit &);

  Shared &shared_;
  ServiceStore &store_;
  Jobs &jobs_;
  People &people_;
  Disputes disputes_;
};

}  // namespace warpgrade::service
