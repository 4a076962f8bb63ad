// A gradebook that is killed at any moment and started again ends where an undisturbed one does: nothing is
// lost, nothing is done twice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "batch/database.hpp"
#include "batch/store.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"
#include "tests/scale.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;

constexpr int kills_wanted = repetitions(100, 10), students = 14;

std::uint32_t seed_of_this_run() {
  const char *given = std::getenv("WARPGRADE_SEED");
  return given ? static_cast<std::uint32_t>(std::stoul(given)) : std::random_device()();
}

/// gradebook run as a process of ours.
pid_t start_gradebook(const SmallCourse &course, const std::string &out) {
  const std::string temporary = (course / ("tmp-" + out)).string(),
                    cache = (course / ("cache-" + out)).string();
  fs::create_directories(temporary);
  fs::permissions(temporary, fs::perms(01777));
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::chdir(course.root().c_str()) != 0) ::_exit(99);
  ::setenv("TMPDIR", temporary.c_str(), 1);
  ::setenv("WARPGRADE_CACHE", cache.c_str(), 1);
  const int log = ::open(("log-" + out).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  ::dup2(log, 1);
  ::dup2(log, 2);
  const char *const words[] = {place::gradebook, "run",      "class", "--assignment", "hw6", "--out",
                               out.c_str(),      "--device", "sim",   "--seed",       "7",   nullptr};
  ::execv(place::gradebook, const_cast<char *const *>(words));
  ::_exit(98);
}

/// Its exit status, 128 + a signal, or nothing while it runs.
std::optional<int> ended(pid_t pid, bool wait) {
  int status = 0;
  if (::waitpid(pid, &status, wait ? 0 : WNOHANG) != pid) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<pid_t> children_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; in >> child;) children.push_back(child);
  return children;
}

/// Each result with everything about it, by its id.
std::map<std::int64_t, std::string> results_in(const fs::path &folder) {
  std::map<std::int64_t, std::string> results;
  if (!fs::exists(folder / "gradebook.db")) return results;
  try {
    batch::Database database(folder / "gradebook.db", batch::Database::Mode::read);
    batch::Statement rows = database.prepare(
        "SELECT id, grading || file || verdict || hex(record) || seconds || counts || graded FROM result");
    while (rows.step()) results[rows.integer_at(0)] = rows.text_at(1);
  } catch (const batch::StoreError &e) {
    // Killed before its tables were made.
    EXPECT_NE(std::string(e.what()).find("no such table"), std::string::npos) << e.what();
  }
  return results;
}

/// A report without what no two runs share: how long the compiler took.
nlohmann::json report_without_times(const fs::path &file) {
  nlohmann::json report = nlohmann::json::parse(text_of(file));
  for (nlohmann::json &step : report["steps"]) step["build"].erase("seconds");
  return report;
}

class Killer {
 public:
  Killer(const SmallCourse &course, std::uint32_t seed) : course_(course), random_(seed) {}

  /// Starts gradebook and kills it, or one of its processes, at a random moment. Gives the status of one that
  /// came to its end.
  std::optional<int> once(std::size_t done, std::size_t total) {
    const pid_t pid = start_gradebook(course_, "killed");
    // Short lives while results come faster than kills, so that the class lasts for all of them.
    const bool ahead = done * kills_wanted >= total * static_cast<std::size_t>(kills + 1);
    const int longest = ahead ? 250 : 1500;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::uniform_int_distribution(0, longest)(random_)));
    const std::vector<pid_t> coordinator = children_of(pid);
    const int whom = std::uniform_int_distribution(0, 9)(random_);
    if (whom == 0 && !coordinator.empty()) {
      // A worker dies: the run continues, and is killed a little later.
      if (const auto workers = children_of(coordinator.front()); !workers.empty())
        ::kill(workers.front(), SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution(0, 300)(random_)));
    }
    const std::optional<int> before = ended(pid, false);
    if (before) return before;
    const pid_t victim = whom == 1 && !coordinator.empty() ? coordinator.front() : pid;
    ::kill(victim, SIGKILL);
    const std::optional<int> status = ended(pid, true);
    if (status == 128 + SIGKILL || (victim != pid && status == 3)) {
      ++kills;
      return std::nullopt;
    }
    return status;
  }

  int kills = 0;

 private:
  const SmallCourse &course_;
  std::mt19937 random_;
};

/// One class from its beginning to its end, killed until there were kills enough or it was done.
void kill_until_graded(const SmallCourse &course, Killer &killer, std::size_t total) {
  std::map<std::int64_t, std::string> known;
  std::optional<int> end;
  for (int attempt = 0; !end && attempt < 10 * kills_wanted; ++attempt) {
    if (killer.kills >= kills_wanted) {
      end = ended(start_gradebook(course, "killed"), true);
    } else {
      end = killer.once(known.size(), total);
    }
    const auto now = results_in(course / "killed");
    for (const auto &[id, result] : known)
      ASSERT_TRUE(now.contains(id) && now.at(id) == result) << "result " << id << " was lost or changed";
    known = now;
  }
  ASSERT_EQ(end, 0) << text_of(course / "log-killed");
  EXPECT_EQ(known.size(), total) << "a file was graded more than once, or not at all";
}

void expect_as_undisturbed(const SmallCourse &course) {
  EXPECT_EQ(text_of(course / "killed/grades.csv"), text_of(course / "undisturbed/grades.csv"));
  EXPECT_NE(text_of(course / "killed/grades.csv").find("s100,0,50,50,100,graded"), std::string::npos);
  for (int i = 0; i < students; ++i) {
    const std::string report = "reports/s" + std::to_string(100 + i) + "/score.json";
    EXPECT_EQ(report_without_times(course / "killed" / report),
              report_without_times(course / "undisturbed" / report));
  }
  // Nothing is left over: neither half-written files nor folders of killed processes.
  for (const char *folder : {"killed", "tmp-killed"})
    for (const auto &entry : fs::recursive_directory_iterator(course / folder)) {
      EXPECT_NE(entry.path().extension(), ".new") << entry.path();
      EXPECT_FALSE(entry.path().filename().string().starts_with("warpgrade-")) << entry.path();
    }
}

TEST(Kill, AHundredKillsAtRandomMomentsNeitherLoseNorRepeatAnything) {
  const std::uint32_t seed = seed_of_this_run();
  std::printf("the same moments again: WARPGRADE_SEED=%u\n", seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const SmallCourse course;
  for (int i = 0; i < students; ++i)
    course.hand_in("s" + std::to_string(100 + i), std::to_string(i % (students - 2)));
  course.write("class/s100/step0_naive.cu", "this is no CUDA");
  fs::remove(course / "class/s101/step1_coalesced.cu");
  // Two pairs handed in the same; one file is broken, one missing.
  const std::size_t total = 2 * (students - 2) + 1;

  ASSERT_EQ(ended(start_gradebook(course, "undisturbed"), true), 0) << text_of(course / "log-undisturbed");
  Killer killer(course, seed);
  // A fast machine is through with a class before it has been killed so often: then once more from the start.
  int classes = 0;
  for (; killer.kills < kills_wanted && classes < 20; ++classes) {
    for (const char *left : {"killed", "tmp-killed"}) fs::remove_all(course / left);
    kill_until_graded(course, killer, total);
    if (::testing::Test::HasFatalFailure()) return;
    expect_as_undisturbed(course);
  }
  EXPECT_GE(killer.kills, kills_wanted) << "the class was graded too soon to be killed that often";
  std::printf("%d kills in %d classes of %zu results\n", killer.kills, classes, total);
}

}  // namespace
}  // namespace warpgrade::tests
