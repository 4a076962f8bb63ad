// Pages of the docs, kept true: they quote what the programs print today.
//
// In docs/stages/*.md and docs/ta.md an indented block that begins with "$ COMMAND" is run, in a folder that
// looks like the root of the repository, one block after the other. What follows each command has to be what
// it printed:
// "..." alone on a line stands for any lines, "…" within one for any text. A page on
// stages says in its second paragraph, "Folders: `ptx/`, `build/`.", which stages it is about. README.md's sample is held
// to its command's output as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include "tests/end_to_end/repository_root.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
const fs::path repository = place::root;

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line); lines.push_back(line))
    if (line.ends_with('\r')) line.pop_back();
  return lines;
}

std::vector<std::string> pages() {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(repository / "docs/stages"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// A command of a page with the lines that it is said to print.
struct Quote {
  std::string command;
  std::vector<std::string> prints;
};

std::vector<Quote> quotes_of(const std::string &page) {
  std::vector<Quote> quotes;
  bool open = false;
  for (const std::string &line : lines_of(page)) {
    const bool indented = line.starts_with("    ");
    if (!indented && !line.empty()) open = false;
    if (line.starts_with("    $ ")) {
      quotes.push_back({line.substr(6), {}});
      open = true;
    } else if (open) {
      quotes.back().prints.push_back(indented ? line.substr(4) : line);
    }
  }
  for (Quote &q : quotes) {  // "\" at the end of a line continues it on the next
    while (q.command.ends_with("\\") && !q.prints.empty()) {
      q.command.pop_back();
      q.command +=
          q.prints.front().substr(std::min(q.prints.front().find_first_not_of(' '), q.prints.front().size()));
      q.prints.erase(q.prints.begin());
    }
    while (!q.prints.empty() && q.prints.back().empty()) q.prints.pop_back();
  }
  return quotes;
}

/// A line against one in which "…" matches any text.
bool same_line(std::string_view said, std::string_view printed) {
  constexpr std::string_view any = "…";
  const std::size_t at = said.find(any);
  if (at == std::string_view::npos) return said == printed;
  if (!printed.starts_with(said.substr(0, at))) return false;
  for (std::size_t skip = at; skip <= printed.size(); ++skip)
    if (same_line(said.substr(at + any.size()), printed.substr(skip))) return true;
  return false;
}

bool same_lines(std::vector<std::string>::const_iterator said,
                std::vector<std::string>::const_iterator said_end,
                std::vector<std::string>::const_iterator printed,
                std::vector<std::string>::const_iterator printed_end) {
  if (said == said_end) return printed == printed_end;
  if (*said == "...") {
    for (auto from = printed;; ++from) {
      if (same_lines(said + 1, said_end, from, printed_end)) return true;
      if (from == printed_end) return false;
    }
  }
  return printed != printed_end && same_line(*said, *printed) &&
         same_lines(said + 1, said_end, printed + 1, printed_end);
}

class Page : public ::testing::TestWithParam<std::string> {};

std::vector<Quote> quotes_of_page(const std::string &name) {
  return quotes_of(text_of(repository / "docs" / (name + ".md")));
}

TEST_P(Page, QuotesCommands) {
  EXPECT_FALSE(quotes_of_page(GetParam()).empty());
}

#ifdef WARPGRADE_WITH_NVCC  // what is quoted is printed where there is nvcc
TEST_P(Page, QuotesWhatTheProgramsPrint) {
  const RepositoryRoot root;
  for (const Quote &q : quotes_of_page(GetParam())) {
    const std::string output = shell(q.command, root.path).output;
    const std::vector<std::string> printed = lines_of(output);
    EXPECT_TRUE(same_lines(q.prints.begin(), q.prints.end(), printed.begin(), printed.end()))
        << "docs/" << GetParam() << ".md says that this prints something else:\n$ " << q.command << "\n"
        << output;
  }
}
#endif

#ifdef WARPGRADE_WITH_NVCC
TEST(Readme, ShowsWhatItsCommandPrints) {
  const RepositoryRoot root;
  const std::string readme = text_of(repository / "README.md"), opening = "<!-- terminal: ";
  const std::size_t at = readme.find(opening);
  ASSERT_NE(at, std::string::npos);
  const std::size_t command = at + opening.size(), begin = readme.find("```\n", command) + 4;
  const CommandResult r = shell(readme.substr(command, readme.find(" -->", command) - command), root.path);
  if (r.output.find("no NVIDIA driver on this machine") == std::string::npos) {
    EXPECT_EQ(r.status, 0) << r.output;  // on a GPU, the same command succeeds with other figures
    return;
  }
  std::vector<std::string> shown = lines_of(readme.substr(begin, readme.find("```", begin) - begin));
  shown.erase(shown.begin());  // "$ COMMAND"
  for (std::string &line : shown)
    if (line.starts_with("  build ")) line.replace(line.find(','), line.find(" s,") - line.find(','), ", …");
  const std::vector<std::string> printed = lines_of(r.output);
  EXPECT_TRUE(same_lines(shown.begin(), shown.end(), printed.begin(), printed.end())) << r.output;
}
#endif

std::vector<std::string> checked_pages() {
  std::vector<std::string> names = {"ta"};
  for (const std::string &name : pages()) names.push_back("stages/" + name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Docs, Page, ::testing::ValuesIn(checked_pages()),
                         [](const auto &page) { return page.param.substr(page.param.find('/') + 1); });

TEST(StagePages, HaveOneForEachRoom) {
  std::multiset<std::string> described;
  for (const std::string &name : pages())
    for (const std::string &line : lines_of(text_of(repository / "docs/stages" / (name + ".md"))))
      if (line.starts_with("Folders: "))
        for (std::size_t at = 0; (at = line.find('`', at)) != std::string::npos;) {
          const std::size_t end = line.find("/`", at);
          ASSERT_NE(end, std::string::npos) << name << ".md: " << line;
          described.insert(line.substr(at + 1, end - at - 1));
          at = end + 2;
        }
  std::multiset<std::string> folders;
  const std::string layers =
      text_of(repository / "tools/layers");  // the lists of rooms: "floor": ["room", "room"],
  const std::size_t begin = layers.find("HOUSES = {"), end = layers.find("SOURCES = ");
  ASSERT_LT(begin, end);
  for (const std::string &line : lines_of(layers.substr(begin, end - begin)))
    for (std::size_t at = line.find('[');
         at != std::string::npos && (at = line.find('"', at)) != std::string::npos;) {
      const std::size_t close = line.find('"', at + 1);
      folders.insert(line.substr(at + 1, close - at - 1));
      at = close + 1;
    }
  EXPECT_EQ(described, folders);
}

TEST(StagePages, AreNamedByTheArchitecture) {
  const std::string architecture = text_of(repository / "docs/architecture.md");
  for (const std::string &name : pages())
    EXPECT_NE(architecture.find("(stages/" + name + ".md)"), std::string::npos) << name;
}

TEST(StagePages, StayWithinTheirLines) {
  const std::vector<std::string> printed = {"a 12 b", "x", "end"};
  const auto holds = [&](const std::vector<std::string> &said) {
    return same_lines(said.begin(), said.end(), printed.begin(), printed.end());
  };
  EXPECT_TRUE(holds({"a … b", "...", "end"}));
  EXPECT_TRUE(holds({"...", "end"}));
  EXPECT_FALSE(holds({"a … c", "...", "end"}));
  EXPECT_FALSE(holds({"a 12 b", "x"}));
  EXPECT_FALSE(holds({"a 12 b", "end"}));
}

}  // namespace
}  // namespace warpgrade::tests
