// The guides, kept true: every command of ours that a block of README.md or docs/*.md shows is run as it
// stands, page by page, where a class is ready to be graded and another (hw6-autumn, DIR) has been. It must
// not be a mistake (exit status 2) or a failure (3). A command that cannot be run here says why, in a line
// "<!-- not run: REASON -->" in front of its block; then its command and its options must be known.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "tests/end_to_end/repository_root.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
const fs::path repository = place::root;

struct Shown {
  int line = 0;
  std::string command;
  std::string why_not;  ///< it is not run; empty: it is
};

std::string trimmed(const std::string &text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

bool is_ours(const std::string &line) {
  return line.starts_with("./grade ") || line.starts_with("./gradebook ") || line.starts_with("./simt ");
}

/// Of blocks that are fenced or indented by four columns. "\" at the end of a line continues it on the next.
std::vector<Shown> commands_of(const std::string &page) {
  std::vector<Shown> commands;
  const std::string opening = "<!-- not run: ", closing = " -->";
  std::string why_not;
  bool fenced = false, indented = false, goes_on = false, used = false;
  int number = 0;
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) {
      fenced = !fenced;
      if (!fenced) why_not.clear();
      continue;
    }
    const bool now = !fenced && line.starts_with("    ");
    if (indented && !now && !line.empty() && used) why_not.clear();  // a block ends where text continues
    if (line.starts_with(opening) && line.ends_with(closing)) {
      why_not = line.substr(opening.size(), line.size() - opening.size() - closing.size());
      used = false;
    }
    if (!line.empty()) indented = now;
    if (!fenced && !now) continue;
    std::string text = trimmed(line);
    if (goes_on) {
      commands.back().command += " " + text;
    } else {
      if (text.starts_with("$ ")) text = text.substr(2);
      if (!is_ours(text)) continue;
      used = true;
      commands.push_back({number, text, why_not});
    }
    std::string &command = commands.back().command;
    goes_on = command.ends_with("\\");
    if (goes_on) command.pop_back();
  }
  return commands;
}

std::vector<std::string> words_of(const std::string &command) {
  std::vector<std::string> words;
  std::istringstream in(command.substr(0, command.find(" #")));
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// A class of two, and the files that the guides speak of.
class Scene {
 public:
  Scene() {
    for (const char *student : {"20261234", "20261235"})
      for (const char *folder : {"submissions", "SUBMISSIONS"}) {
        const fs::path own = root.path / folder / student;
        fs::create_directories(own);
        std::ofstream(own / "step0_naive.cu")
            << text_of(repository / "solutions/hw6/step0_naive.cu") << "// by " << student << "\n";
      }
    write("class.csv",
          "student,name\n20261234,First Student\n20261235,Second Student\n20261236,Third Student\n");
    write("exported.csv",
          "Student,ID,SIS User ID,SIS Login ID,Section,Homework 6 (7)\n"
          "    Points Possible,,,,,100\n"
          "\"Student, First\",1,20261234,first,S,\n\"Student, Second\",2,20261235,second,S,\n");
    write("worksheet.csv",
          "Identifier,ID number,Email address,Grade,Last modified (grade),Feedback comments\n"
          "Participant 1,20261234,first@example.edu,,-,\nParticipant 2,20261235,second@example.edu,,-,\n");
    write("lti.yaml",
          "client_id: c\ntoken_url: https://lms.example.edu/token\nkey: lti.pem\n"
          "line_items: {hw6: https://lms.example.edu/5}\n");
    static const std::string key = run("openssl genrsa 2048 2>/dev/null").output;
    write("lti.pem", key);
    fs::permissions(root.path / "lti.pem", fs::perms(0600));
  }
  CommandResult run(const std::string &command) const { return shell(command, root.path); }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(root.path / name) << text;
  }
  RepositoryRoot root;
};

/// Where instructor.md has come to when a class is graded.
const Scene &graded() {
  static const Scene scene;
  static const CommandResult ran =
      scene.run("./gradebook run submissions --assignment hw6 --roster class.csv --out hw6-autumn");
  if (ran.status != 0) throw std::runtime_error("the class of the guides was not graded:\n" + ran.output);
  return scene;
}

/// The stages' pages and ta.md are run by Docs/Page where a line begins with "$"; adding-an-assignment.md as
/// a whole by Adding.
std::vector<std::string> pages() {
  std::vector<std::string> names = {"README"};
  for (const auto &entry : fs::directory_iterator(repository / "docs"))
    if (entry.path().extension() == ".md") names.push_back("docs/" + entry.path().stem().string());
  std::sort(names.begin(), names.end());
  std::erase_if(names, [](const std::string &name) {
    const auto commands = commands_of(text_of(repository / (name + ".md")));
    return name == "docs/adding-an-assignment" || commands.empty();
  });
  return names;
}

class Guide : public ::testing::TestWithParam<std::string> {};

TEST_P(Guide, ShowsCommandsThatRunUnchanged) {
  const Scene scene;
  const std::string page = text_of(repository / (GetParam() + ".md"));
  for (const char *file :
       {"class.csv", "exported.csv", "worksheet.csv", "lti.yaml"})  // a reader has those that it names
    if (page.find(file) == std::string::npos) fs::remove(scene.root.path / file);
  for (const char *folder : {"hw6-autumn", "DIR"})
    fs::copy(graded().root.path / "hw6-autumn", scene.root.path / folder, fs::copy_options::recursive);
  for (const Shown &shown : commands_of(page)) {
    const std::string place = GetParam() + ".md:" + std::to_string(shown.line) + ": " + shown.command;
    if (shown.why_not.empty()) {
      const CommandResult r = scene.run(shown.command);
      EXPECT_TRUE(r.status == 0 || r.status == 1) << place << "\nends with " << r.status << "\n" << r.output;
      continue;
    }
    const std::vector<std::string> words = words_of(shown.command);
    const bool named =
        words.size() > 1 && words[1].find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
    const CommandResult help = scene.run(words[0] + (named ? " " + words[1] : "") + " --help");
    EXPECT_EQ(help.status, 0) << place << "\n" << help.output;
    for (const std::string &word : words) {
      if (!word.starts_with("--")) continue;
      EXPECT_NE(help.output.find(word), std::string::npos) << place << " has no " << word;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Docs, Guide, ::testing::ValuesIn(pages()), [](const auto &page) {
  std::string name = page.param.substr(page.param.find('/') + 1);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Guides, HaveTheirCommandsFoundInEveryKindOfBlock) {
  const std::vector<Shown> found = commands_of(
      "./grade prose\n\n    $ ./grade one   # remark\n    output\n\n    ./gradebook two \\\n      --out "
      "X\n\ntext\n\n"
      "<!-- not run: no GPU -->\n\n    ./grade three\n    ./simt four\n\ntext\n\n    ./grade "
      "five\n\n```sh\n./simt six\n```\n");
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].command, "./grade one   # remark");
  EXPECT_EQ(words_of(found[0].command), (std::vector<std::string>{"./grade", "one"}));
  EXPECT_EQ(found[1].command, "./gradebook two  --out X");
  EXPECT_EQ(found[2].why_not, "no GPU");
  EXPECT_EQ(found[3].why_not, "no GPU");
  EXPECT_EQ(found[4].why_not, "");
  EXPECT_EQ(found[5].command, "./simt six");
  EXPECT_EQ(found[5].line, 21);
}

}  // namespace
}  // namespace warpgrade::tests
