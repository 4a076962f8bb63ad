// The kit that students get: what is in it, what is not, and that it works where nothing else of ours is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "course/assignment.hpp"
#include "sandbox/sanitized.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const fs::path repository = fs::path(place::root).lexically_normal();

class Kit : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "kit-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    const CommandResult made = pack("first");
    ASSERT_EQ(made.status, 0) << made.output;
    const CommandResult unpacked = shell("tar xzf first/hw6.tar.gz", folder_);
    ASSERT_EQ(unpacked.status, 0) << unpacked.output;
  }
  void TearDown() override { fs::remove_all(folder_); }

  CommandResult pack(const std::string &out, const std::string &more = "") const {
    return shell(std::string("'") + place::gradebook + "' kit hw6 --out '" + (folder_ / out).string() +
                     "' --handouts '" + (folder_ / "handouts").string() + "' " + more,
                 repository);
  }
  CommandResult in_kit(const std::string &command) const { return shell(command, folder_ / "hw6"); }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto &entry : fs::recursive_directory_iterator(folder_ / "hw6"))
      if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(folder_ / "hw6").string());
    return names;
  }
  /// For this machine, within the kit.
  static std::string program() {
    utsname here;
    ::uname(&here);
    return std::string("bin/") + here.machine + "/grade";
  }
  fs::path folder_;
};

std::string last_line(const std::string &text) {
  const std::string trimmed = text.substr(0, text.find_last_not_of('\n') + 1);
  return trimmed.substr(trimmed.rfind('\n') + 1);
}

std::string trimmed(const std::string &line) {
  const std::size_t from = line.find_first_not_of(" \t"), to = line.find_last_not_of(" \t\r");
  return from == std::string::npos ? "" : line.substr(from, to - from + 1);
}

/// Lines that only a solution has, long enough to be unique.
std::set<std::string> lines_of_solutions() {
  std::set<std::string> lines;
  std::string starters;
  for (const auto &entry : fs::recursive_directory_iterator(repository / "starter"))
    if (entry.is_regular_file()) starters += text_of(entry.path());
  for (const auto &entry : fs::recursive_directory_iterator(repository / "solutions")) {
    if (entry.path().extension() != ".cu") continue;
    std::istringstream in(text_of(entry.path()));
    for (std::string line; std::getline(in, line);)
      if (const std::string t = trimmed(line);
          t.size() >= 25 && !t.starts_with("//") && starters.find(t) == std::string::npos)
        lines.insert(t);
  }
  return lines;
}

TEST_F(Kit, HoldsTheseFilesAndNoOthers) {
  std::set<std::string> all = files();
  EXPECT_EQ(all.erase(program()), 1u);
  EXPECT_TRUE(all.contains("cuda/cuda_runtime.h"));
  for (const std::string &name : files())  // the headers for clang, whichever they are
    if (name.starts_with("cuda/")) {
      all.erase(name);
      EXPECT_EQ(text_of(folder_ / "hw6" / name),
                text_of(repository / "grader/execution/build/include" / name.substr(5)))
          << name;
    }
  for (const auto &gpu : fs::directory_iterator(repository / "assignments/gpus"))
    EXPECT_EQ(all.erase("assignments/hw6/thresholds/" + gpu.path().filename().string()), 1u) << gpu.path();
  EXPECT_EQ(all, (std::set<std::string>{".clangd",
                                        ".devcontainer/devcontainer.json",
                                        ".vscode/launch.json",
                                        ".vscode/tasks.json",
                                        "Makefile",
                                        "README.md",
                                        "assignments/hw6/assignment.yaml",
                                        "assignments/hw6/library/nvidia-h100-sxm.json",
                                        "assignments/hw6/library/nvidia-h200.json",
                                        "assignments/hw6/thresholds/default.yaml",
                                        "gemm.h",
                                        "grade",
                                        "hw6.ipynb",
                                        "starter/hw6/Makefile",
                                        "starter/hw6/gemm.h",
                                        "starter/hw6/step0_naive.cu",
                                        "starter/hw6/step1_coalesced.cu",
                                        "starter/hw6/step2_shared.cu",
                                        "starter/hw6/step3_blocktile.cu",
                                        "starter/hw6/step4_nonsquare.cu",
                                        "step0_naive.cu",
                                        "step1_coalesced.cu",
                                        "step2_shared.cu",
                                        "step3_blocktile.cu",
                                        "step4_nonsquare.cu"}));
  for (const char *file : {"Makefile", "gemm.h", "step3_blocktile.cu"})
    EXPECT_EQ(text_of(folder_ / "hw6" / file), text_of(repository / "starter/hw6" / file)) << file;
  EXPECT_EQ(text_of(folder_ / "hw6/.clangd"), text_of(repository / "starter/.clangd"));
  for (const char *file : {".vscode/launch.json", ".devcontainer/devcontainer.json"})
    EXPECT_TRUE(nlohmann::json::parse(text_of(folder_ / "hw6" / file), nullptr, false, true).is_object())
        << file << " is JSON with comments";
}

TEST_F(Kit, ListsFreshFilesAsHandedOutAndAsksForAFileThatIsMisnamed) {
  const std::string fresh = in_kit("./grade list").output;
  EXPECT_THAT(fresh, HasSubstr("step2_shared.cu: as handed out"));
  EXPECT_THAT(fresh, Not(HasSubstr("changed")));
  EXPECT_THAT(fresh, Not(HasSubstr("missing")));
  fs::rename(folder_ / "hw6/step2_shared.cu", folder_ / "hw6/Step2_Shared.cu");
  EXPECT_THAT(in_kit("./grade list").output,
              HasSubstr("step2_shared.cu: missing; did you mean Step2_Shared.cu? Rename it to\n"));
  EXPECT_THAT(in_kit("COLUMNS=120 ./grade step2 --device sim --toolchain clang").output,
              HasSubstr("Step2_Shared.cu?"));
}

TEST_F(Kit, GivesPredictionsAsSharesOfCublasAndNoRatesOfSolutions) {
  const std::string rates = text_of(folder_ / "hw6/assignments/hw6/library/nvidia-h200.json");
  EXPECT_THAT(rates, HasSubstr("\"cublas_gflops\""));
  for (const char *of_solutions : {"\"gflops\"", "milliseconds", "of_cublas", "step"})
    EXPECT_THAT(rates, Not(HasSubstr(of_solutions)));
  const CommandResult r =
      in_kit("./grade predict step0 --submission '" + (repository / "solutions/hw6").string() +
             "' --toolchain clang --gpu nvidia-h200 --sizes 2048");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("% of cuBLAS"));
}

// The rules of nbformat's schema that concern what we write; `make test-notebook` executes it.
TEST_F(Kit, HoldsANotebookThatWritesEachFileAndGradesIt) {
  const nlohmann::json notebook = nlohmann::json::parse(text_of(folder_ / "hw6/hw6.ipynb"));
  EXPECT_EQ(notebook.at("nbformat"), 4);
  EXPECT_EQ(notebook.at("nbformat_minor"), 5) << "from which on cells have an id";
  EXPECT_EQ(notebook.at("metadata").at("kernelspec").at("name"), "python3");
  std::set<std::string> ids, written, commands;
  for (const auto &cell : notebook.at("cells")) {
    const std::string id = cell.at("id"), type = cell.at("cell_type");
    EXPECT_TRUE(std::regex_match(id, std::regex("[a-zA-Z0-9_-]{1,64}"))) << id;
    EXPECT_TRUE(ids.insert(id).second) << id;
    EXPECT_TRUE(cell.at("metadata").is_object());
    std::string text;
    for (const std::string line : cell.at("source")) {
      EXPECT_TRUE(text.empty() || text.ends_with('\n')) << id;
      text += line;
    }
    if (type == "markdown") {
      EXPECT_EQ(cell.size(), 4u);
      continue;
    }
    EXPECT_EQ(type, "code");
    EXPECT_EQ(cell.size(), 6u);
    EXPECT_TRUE(cell.at("execution_count").is_null());
    EXPECT_EQ(cell.at("outputs"), nlohmann::json::array());
    const std::string magic = "%%writefile ", first = text.substr(0, text.find('\n'));
    if (first.starts_with(magic)) {
      const std::string file = first.substr(magic.size());
      EXPECT_EQ(text.substr(first.size() + 1) + "\n", text_of(repository / "starter/hw6" / file));
      written.insert(file);
    } else {
      commands.insert(text);
    }
  }
  EXPECT_EQ(written, (std::set<std::string>{"step0_naive.cu", "step1_coalesced.cu", "step2_shared.cu",
                                            "step3_blocktile.cu", "step4_nonsquare.cu"}));
  for (const char *step : {"step0", "step1", "step2", "step3", "step4"})
    EXPECT_TRUE(commands.contains(std::string("!./grade ") + step)) << step;
}

TEST_F(Kit, IncludesTheHandoutOrSaysThatThereIsNone) {
  EXPECT_THAT(pack("second").output, HasSubstr("no handout hw6.html"));
  fs::create_directories(folder_ / "handouts");
  for (const char *name : {"hw6.html", "hw6.pdf", "other.pdf"})
    std::ofstream(folder_ / "handouts" / name) << "text";
  EXPECT_THAT(pack("second").output, Not(HasSubstr("no handout")));
  EXPECT_EQ(shell("tar tzf second/hw6.tar.gz | grep -c 'hw6/hw6[.][hp]\\|other'", folder_).output, "2\n");
}

TEST_F(Kit, IsTheSameBytesFromTheSameFiles) {
  pack("second");
  EXPECT_EQ(text_of(folder_ / "first/hw6.tar.gz"), text_of(folder_ / "second/hw6.tar.gz"));
  EXPECT_FALSE(
      std::regex_search(shell("tar tvzf first/hw6.tar.gz", folder_).output, std::regex(" 20[0-9][0-9]-")))
      << "no time of packing, whatever the century says";
}

TEST_F(Kit, HoldsNoLineOfASolution) {
  const std::set<std::string> lines = lines_of_solutions();
  ASSERT_GT(lines.size(), 100u) << "this test looks for nothing";
  for (const std::string &name : files()) {
    const std::string text = text_of(folder_ / "hw6" / name);
    for (const std::string &line : lines)
      EXPECT_EQ(text.find(line), std::string::npos) << name << ": " << line;
  }
}

TEST_F(Kit, RevealsNothingAboutHiddenCases) {
  const course::Assignment whole = course::read_assignment(repository / "assignments/hw6");
  const course::Assignment given = course::read_assignment(folder_ / "hw6/assignments/hw6");
  EXPECT_FALSE(given.has_hidden_cases);
  std::set<std::string> secret, known;
  for (const course::Step &step : given.steps)
    for (const course::Case &c : step.cases) known.insert(c.name);
  std::istringstream hidden(text_of(repository / "assignments/hw6/hidden.yaml"));
  for (std::string line; std::getline(hidden, line);)
    if (const std::size_t at = line.find("{m: "); at != std::string::npos)
      secret.insert(line.substr(at + 1, line.find_first_of(",}", line.find("k: ")) - at - 1));
  ASSERT_EQ(secret.size(), 11u) << "the cases of hidden.yaml, as they stand there";
  for (const course::Step &step : whole.steps)
    for (const course::Case &c : step.cases)
      if (!known.contains(c.name)) secret.insert(c.name);
  ASSERT_EQ(secret.size(), 22u) << "and as reports name them";
  for (const std::string &name : files()) {
    const std::string text = text_of(folder_ / "hw6" / name);
    // Whole sizes only: "m=n=k=61" is not a part of a text about m=n=k=610.
    for (const std::string &size : secret)
      for (std::size_t at = text.find(size); at != std::string::npos; at = text.find(size, at + 1))
        EXPECT_TRUE(at + size.size() < text.size() &&
                    std::isdigit(static_cast<unsigned char>(text[at + size.size()])))
            << name << ": " << size;
    if (name.starts_with("bin/")) continue;  // the program can read hidden cases, and says so
    for (const char *word : {"hidden", "solution", "Solution", "SOLUTION"})
      EXPECT_EQ(text.find(word), std::string::npos) << name << ": " << word;
  }
}

#if !defined(WARPGRADE_SANITIZED)  // such programs name their sources and need a library more
TEST_F(Kit, DoesNotRevealWhereItWasBuilt) {
  const std::string text = text_of(folder_ / "hw6" / program());
  for (const fs::path &secret : {repository, fs::path(place::gradebook).parent_path()})
    EXPECT_EQ(text.find(secret.string()), std::string::npos) << secret;
  for (const char *secret : {"/home/", "/root/"}) EXPECT_EQ(text.find(secret), std::string::npos) << secret;
}

TEST_F(Kit, DependsOnlyOnBaseLibraries) {
  const CommandResult r =
      in_kit("LC_ALL=C readelf -d " + program() + " | sed -n 's/.*(NEEDED).*\\[\\(.*\\)\\]/\\1/p'");
  std::istringstream in(r.output);
  std::size_t count = 0;
  for (std::string name; std::getline(in, name); ++count)
    EXPECT_TRUE(name == "libc.so.6" || name == "libm.so.6" || name == "libpthread.so.0" ||
                name == "libdl.so.2" || name.starts_with("ld-linux"))
        << name;
  EXPECT_GE(count, 1u) << r.output;
  EXPECT_THAT(in_kit("LC_ALL=C readelf -d " + program()).output, Not(HasSubstr("PATH")));
}

// Ubuntu 18.04 has glibc 2.27. The program also contains the libraries that it writes beside a student's program.
TEST_F(Kit, NamesNoVersionOfGlibcNewerThan227) {
  const CommandResult r = in_kit(
      "LC_ALL=C grep -ahoE 'GLIBC_2\\.[0-9]+' bin/*/* | sort -u | sed 's/GLIBC_2\\.//' | sort -n | tail -n "
      "1");
  ASSERT_FALSE(r.output.empty());
  EXPECT_LE(std::stoi(r.output), 27);
}
#endif

/// With a uname that says this.
CommandResult on(const std::string &system, const std::string &machine, const fs::path &kit) {
  fs::create_directories(kit / "tools");
  std::ofstream(kit / "tools/uname") << "#!/bin/sh\n[ \"$1\" = -m ] && echo " << machine << " || echo "
                                     << system << "\n";
  return shell("chmod +x tools/uname && PATH=$PWD/tools:$PATH ./grade --version", kit);
}

TEST_F(Kit, SaysWhatToDoOnAnUnsupportedMachine) {
  const CommandResult riscv = on("Linux", "riscv64", folder_ / "hw6");
  EXPECT_EQ(riscv.status, 2);
  EXPECT_THAT(riscv.output, HasSubstr("ask your course for a kit for riscv64"));
  const CommandResult mac = on("Darwin", "arm64", folder_ / "hw6");
  EXPECT_EQ(mac.status, 2);
  EXPECT_THAT(mac.output, HasSubstr("open it in a Linux container"));
}

TEST_F(Kit, HasAProgramForEachKindOfMachineAndStartsTheRightOne) {
  std::string arm = text_of(place::grade);
  ASSERT_EQ(arm.substr(18, 2), std::string("\x3e\0", 2)) << "kits are packed and tested on x86-64";
  arm[18] = '\xb7';  // its ELF header now says 64-bit Arm
  std::ofstream(folder_ / "arm") << arm;
  const std::string here = std::string("--program '") + place::grade + "'",
                    there = " --program '" + (folder_ / "arm").string() + "'";
  const CommandResult made = pack("both", here + there);
  ASSERT_EQ(made.status, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("For students with Linux on aarch64"));
  ASSERT_EQ(shell("tar xzf hw6.tar.gz", folder_ / "both").status, 0);
  EXPECT_EQ(text_of(folder_ / "both/hw6/bin/aarch64/grade"), arm);
  EXPECT_EQ(shell("./grade --version", folder_ / "both/hw6").status, 0);
  const CommandResult r = on("Linux", "aarch64", folder_ / "both/hw6");
  EXPECT_NE(r.status, 0);
  if (!fs::exists("/lib/ld-linux-aarch64.so.1")) {
    EXPECT_THAT(r.output, HasSubstr("this Linux has no glibc (/lib/ld-linux-aarch64.so.1 is missing)"));
  }
  EXPECT_EQ(pack("none", here + " " + here).status, 2) << "two for one kind of machine";
  EXPECT_EQ(pack("none", "--program /bin/sh.missing").status, 2);
}

TEST_F(Kit, StartsByALinkAndFromAPathWithSpaces) {
  fs::rename(folder_ / "hw6", folder_ / "my work");
  fs::create_symlink(folder_ / "my work/grade", folder_ / "link");
  EXPECT_EQ(shell("./link --version && 'my work/grade' --version", folder_).status, 0);
}

TEST_F(Kit, CompilesAndGradesTheStarter) {
  const CommandResult made = in_kit("make -s -j2");
  EXPECT_EQ(made.status, 0) << made.output;
  const CommandResult graded = in_kit("./grade step3 --device sim --annotations faults.txt");
  EXPECT_EQ(graded.status, 1) << graded.output;
  EXPECT_EQ(last_line(graded.output), "Score: 0/40") << graded.output;
  // The editor's tasks know the lines that point at a fault.
  const nlohmann::json tasks =
      nlohmann::json::parse(text_of(folder_ / "hw6/.vscode/tasks.json"), nullptr, true, true);
  const std::string faults = text_of(folder_ / "hw6/faults.txt");
  for (const auto &task : tasks.at("tasks")) {
    if (!task.at("problemMatcher").is_object()) continue;
    const nlohmann::json &pattern = task.at("problemMatcher").at("pattern");
    std::smatch found;
    std::string line = faults.substr(0, faults.find('\n'));
    ASSERT_TRUE(std::regex_match(line, found, std::regex(std::string(pattern.at("regexp"))))) << line;
    EXPECT_EQ(found[pattern.at("file").get<int>()], "step3_blocktile.cu");
    EXPECT_EQ(found[pattern.at("severity").get<int>()], "error");
    EXPECT_EQ(found[pattern.at("code").get<int>()], "not_implemented");
  }
  // From outside the student's files are found as well.
  EXPECT_EQ(last_line(shell("hw6/grade step0 --device sim", folder_).output), "Score: 0/10");
}

#ifdef WARPGRADE_CLANG
TEST_F(Kit, CompilesAndGradesWithClangAndItsOwnHeaders) {
  const CommandResult made = in_kit("make -s -j2 NVCC=/nonexistent CLANG=" WARPGRADE_CLANG);
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_TRUE(fs::exists(folder_ / "hw6/build/keep/step3_blocktile/step3_blocktile.ptx"));
  const CommandResult graded = in_kit("./grade step3 --device sim --toolchain clang");
  EXPECT_THAT(graded.output, HasSubstr("clang "));
  EXPECT_EQ(last_line(graded.output), "Score: 0/40") << graded.output;
}
#endif

/// Kits of assignments that ask questions; the answers of the solutions are handed in.
class KitWithQuestions : public Kit {
 protected:
  void SetUp() override {
    Kit::SetUp();
    const CommandResult made =
        shell(std::string("'") + place::gradebook + "' kit unroll ch6 banks --out '" + folder_.string() + "'",
              repository);
    ASSERT_EQ(made.status, 0) << made.output;
    EXPECT_THAT(made.output, Not(HasSubstr("by trying"))) << "no answer of ours can be found so";
    for (const char *name : {"unroll", "ch6", "banks"})
      ASSERT_EQ(shell(std::string("tar xzf ") + name + ".tar.gz", folder_).status, 0);
  }
  CommandResult grade(const std::string &name, const std::string &step, const std::string &more = "") const {
    return shell("./grade " + step + " --device sim " + more, folder_ / name);
  }
  void answer(const std::string &name, const std::string &file, const std::string &from = "",
              const std::string &to = "") const {
    std::string text = text_of(repository / "solutions" / name / file);
    if (!from.empty()) {
      const std::size_t at = text.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      text.replace(at, from.size(), to);
    }
    std::ofstream(folder_ / name / file) << text;
  }
};

TEST_F(KitWithQuestions, LeavesAnswersToTheCourseWhereTryingWouldFindThem) {
  for (const auto &[name, step, file, points] :
       {std::tuple("ch6", "accesses", "accesses.yaml", 18),
        std::tuple("banks", "predictions", "predictions.yaml", 28)}) {
    EXPECT_THAT(grade(name, step).output, HasSubstr("not_implemented")) << "of the starter";
    answer(name, file);
    const CommandResult r = grade(name, step, "--json s.json");
    EXPECT_EQ(r.status, 0) << r.output;
    EXPECT_THAT(r.output, HasSubstr("complete"));
    EXPECT_THAT(r.output, HasSubstr(std::to_string(points) + " points: graded by your course"));
    EXPECT_EQ(last_line(r.output), "Score: 0/" + std::to_string(points));
    const std::string json = text_of(folder_ / name / "s.json");
    EXPECT_THAT(json, HasSubstr("\"ungraded_points\": " + std::to_string(points)));
    EXPECT_THAT(json, HasSubstr("\"reason\": \"graded by your course\""));
    EXPECT_THAT(json, Not(HasSubstr("grader_error")));
  }
}

TEST_F(KitWithQuestions, SaysImmediatelyWhichAnswersAreMissingOrInvalid) {
  answer("ch6", "accesses.yaml", "A_coalescing: coalesced", "A_coalescing:");
  const CommandResult open = grade("ch6", "accesses");
  EXPECT_THAT(open.output, HasSubstr("17 of 18 answered; your course grades 17"));
  EXPECT_EQ(open.status, 1);
  answer("ch6", "accesses.yaml", "A_coalescing: coalesced", "A_coalescing: yes");
  const CommandResult wrong = grade("ch6", "accesses");
  EXPECT_THAT(wrong.output, HasSubstr("\"yes\" is not one of"));
  EXPECT_EQ(wrong.status, 1);
  answer("ch6", "accesses.yaml", "A_coalescing: coalesced", "A_coalesced: coalesced");
  EXPECT_THAT(grade("ch6", "accesses").output, HasSubstr("unknown key 'A_coalesced'"));
}

TEST_F(KitWithQuestions, TellsRightFormulasFromWrongOnesAndNotWhatWouldBeRight) {
  answer("unroll", "analysis.yaml");
  const CommandResult right = grade("unroll", "analysis");
  EXPECT_EQ(last_line(right.output), "Score: 15/15") << right.output;
  EXPECT_EQ(right.status, 0);
  std::ofstream(folder_ / "unroll/analysis.yaml") << "k1_flops: 3*P\nk1_accesses: 2*P +\n";
  const CommandResult wrong = grade("unroll", "analysis", "--json s.json --verbose");
  EXPECT_THAT(wrong.output, HasSubstr("3*P is not right"));
  for (const std::string &text : {wrong.output, text_of(folder_ / "unroll/s.json")}) {
    EXPECT_THAT(text, Not(HasSubstr("counts")));
    EXPECT_THAT(text, Not(HasSubstr("grader_error")));
  }
}

TEST_F(KitWithQuestions, HoldsNoAnswerInItsFiles) {
  for (const char *name : {"unroll", "ch6", "banks"}) {
    EXPECT_FALSE(fs::exists(folder_ / name / "assignments" / name / "facts.yaml"));
    const std::string sealed = text_of(folder_ / name / "assignments" / name / "sealed.yaml");
    EXPECT_THAT(sealed, HasSubstr(std::string("assignment: ") + name));
    const course::Assignment whole = course::read_assignment(repository / "assignments" / name);
    for (const course::Step &s : whole.steps)
      for (const course::Question &q : s.questions)
        EXPECT_EQ(sealed.find("  " + q.id + ": $y$") != std::string::npos, q.checked_in_kit) << q.id;
  }
}

TEST_F(Kit, IsNotPackedFromAStarterWithASolutionInIt) {
  const SmallCourse course;
  course.write("starter/hw6/step0_naive.cu", "// BEGIN SOLUTION\n// END SOLUTION\n");
  const CommandResult r = shell(std::string("'") + place::gradebook + "' kit hw6", course.root());
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_THAT(r.output, HasSubstr("starter/hw6/step0_naive.cu has 'BEGIN SOLUTION' in it"));
  EXPECT_FALSE(fs::exists(course / "build/kit/hw6.tar.gz"));
}

}  // namespace
}  // namespace warpgrade::tests
