// What the workspace knows of a step besides its text: the latest run, its findings by line, what was handed in.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "service/jobs.hpp"
#include "service/render.hpp"
#include "service/workspace/trials.hpp"
#include "service/workspace/workspace.hpp"

namespace warpgrade::service {

struct WorkspaceFacts {
  std::string address;                 ///< of the step's page
  std::optional<Trial> trial, player;  ///< the latest ones
  std::optional<Trial> layout;         ///< of the file that is shown: its text, laid out
  int ahead = 0;                       ///< runs before the trial
  std::string why_waiting;             ///< why nothing is run now; empty: it is

  // Of a trial that is done.
  std::string verdict, reason;
  bool accepted = false, changed_since_trial = false;
  double points = 0, most_points = 0;
  std::vector<report::Fault> faults;  ///< what has to be mended first
  /// Figures by line of the file, as the margin has them: "31 % of the traffic, 16 sectors a request, 4 at best".
  std::vector<std::pair<int, std::string>> margin;
  std::string why_no_margin;
  void read_record(const ServedCourse &, const std::string &variant, const std::string &file,
                   const std::string &device);

  std::optional<Submission> handed_in;
  Part handed_in_part;
  bool same_as_handed_in = false;
  std::optional<Place> handed_in_place;  ///< in the queue
  std::string why_handed_in_waits;

  std::string trial_in_words() const;      ///< for people; empty: nothing was run
  std::string handed_in_in_words() const;  ///< likewise
  bool pending() const;                    ///< something will change by itself
  nlohmann::ordered_json to_json() const;
};

/// A trial that is done, as a report of one step. variant  of its person; empty: the files as they are
Rendered rendered_trial(const ServedCourse &, const std::string &variant, const Trial &,
                        const std::string &device);
/// "accepted", "running", ...
std::string verdict_in_words(const Trial &);
/// The handout that was made for the course; empty: there is none.
std::filesystem::path handout_file(const ServedCourse &);

}  // namespace warpgrade::service
