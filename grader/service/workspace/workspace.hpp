// The workspace: a step's file in an editor, which runs on the simulator and is handed in from a browser. Everything works
// without a script by forms; the script saves what is typed and shows results without loading the page again.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "report/service_page.hpp"
#include "service/api.hpp"
#include "service/workspace/drafts.hpp"
#include "service/workspace/trials.hpp"

namespace warpgrade::service {

struct WorkspaceFacts;  // workspace/facts.hpp

class Workspace {
 public:
  struct Visit {
    const ApiRequest &request;
    const Person &person;
    const report::ServicePage &frame;  ///< what all pages share, without title and sections
  };
  Workspace(Shared &shared, ServiceStore &store, Jobs &jobs)
      : shared_(shared), jobs_(jobs), drafts_(store), trials_(store) {}

  static bool has(const std::string &path) { return path == "/workspace" || path.starts_with("/workspace/"); }
  /// The scripts and the style, which need no session; nothing for other paths.
  static std::optional<ApiResponse> asset(const ApiRequest &);
  /// Whether errors are for a script.
  static bool for_script(const ApiRequest &);
  /// Throws ApiError, batch::StoreError.
  ApiResponse answer(const Visit &);

 private:
  /// An assignment whose workspace is open to somebody, and their variant of it.
  struct Opened {
    const ServedCourse &served;
    std::string variant;                   ///< empty: the files as they are
    std::shared_ptr<const OwnCourse> own;  ///< its course; null likewise
  };
  /// Throws ApiError when there is no such assignment, or it is not open.
  Opened open(const Visit &, const std::string &assignment) const;
  /// A step of an assignment, and the file of it that is shown.
  struct StepAt {
    const ServedCourse &served;
    std::string variant;                   ///< of the person; empty: the files as they are
    std::shared_ptr<const OwnCourse> own;  ///< its course; null likewise
    const course::Step &step;
    std::string file;
    std::string page() const;     ///< the address of the step's page, and of what is below it
    std::string address() const;  ///< the same, with the file
  };
  StepAt place_at(const Visit &, const std::string &assignment, const std::string &step) const;
  DraftOf draft_of(const Visit &, const StepAt &) const;
  std::string starter_text(const StepAt &, const std::string &file) const;
  /// What is graded: the current text of each file of the step.
  /// text: of the file that is shown, if it is not the saved one
  std::vector<StepText> files_now(const Visit &, const StepAt &, const std::string *text);
  /// What is run of it: marked with the variant by which it is graded.
  std::string bytes_now(const Visit &, const StepAt &, const std::string *text);
  std::int64_t run_now(const Visit &, const StepAt &, TrialKind, const std::string &bytes);

  static bool can_be_edited(const course::Step &);
  static std::vector<std::string> editable_files(const course::Assignment &);
  /// What was sent as the text of a file, with line feeds. Throws ApiError when it is too large, or not text.
  static std::string text_of_upload(const course::Assignment &, const std::string &file,
                                    const std::string &bytes);
  ApiResponse overview(const Visit &, const std::string &remark = "");
  ApiResponse page(const Visit &, const StepAt &, const std::string &text, std::int64_t based_on,
                   const std::string &remark);
  ApiResponse page_now(const Visit &, const StepAt &);
  ApiResponse change(const Visit &, const StepAt &);
  ApiResponse history(const Visit &, const StepAt &);
  ApiResponse download(const Visit &, const StepAt &);
  ApiResponse report(const Visit &, const StepAt &);
  ApiResponse player(const Visit &, const StepAt &);
  ApiResponse handout(const Visit &, const StepAt &);
  /// Of an assignment, as a kit has them: what is saved, and else the starter's.
  ApiResponse all_files(const Visit &, const std::string &assignment);
  ApiResponse take_files(const Visit &, const std::string &assignment);

  WorkspaceFacts facts(const Visit &, const StepAt &);
  Trial own_trial(const Visit &, const StepAt &, TrialKind);

  Shared &shared_;
  Jobs &jobs_;
  Drafts drafts_;
  Trials trials_;
};

}  // namespace warpgrade::service
