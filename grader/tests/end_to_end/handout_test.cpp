// The commands of every handout, run as they are printed, in a kit in which the steps are solved: with a GPU
// where there is one, else without.
//
// A command is a line of a block between ``` that begins with "make" or "./". One whose comment begins with
// "on a GPU" (in German "auf einer GPU") may be refused where there is none, for that reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
const fs::path repository = fs::path(place::root).lexically_normal();

std::vector<std::string> commands_of(const std::string &handout) {
  std::vector<std::string> commands;
  std::istringstream in(handout);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```"))
      inside = !inside;
    else if (inside && (line.starts_with("make") || line.starts_with("./")))
      commands.push_back(line);
  }
  return commands;
}

class Handout : public ::testing::TestWithParam<std::string> {
 protected:
  Handout() {
    std::string name = (fs::temp_directory_path() / "handout-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder = name;
  }
  ~Handout() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  CommandResult gradebook(const std::string &words) const {
    return shell(std::string("'") + place::gradebook + "' " + words, repository);
  }
  fs::path folder;
};

TEST_P(Handout, PrintsCommandsThatWork) {
  const std::string page = GetParam(), name = page.substr(0, page.find('.'));  // hw6.de is of hw6
  const CommandResult filled = gradebook("handout " + page + " --out '" + folder.string() + "'");
  ASSERT_EQ(filled.status, 0) << filled.output;
  const CommandResult packed =
      gradebook("kit " + name + " --out '" + folder.string() + "' --handouts '" + folder.string() + "'");
  ASSERT_EQ(packed.status, 0) << packed.output;
  ASSERT_EQ(shell("tar xzf " + name + ".tar.gz", folder).status, 0);
  const fs::path kit = folder / name;
  for (const auto &entry : fs::directory_iterator(repository / "solutions" / name))
    if (entry.is_regular_file())
      fs::copy_file(entry.path(), kit / entry.path().filename(), fs::copy_options::overwrite_existing);

  const bool gpu = fs::exists("/dev/nvidiactl");
  const std::vector<std::string> commands = commands_of(text_of(folder / (page + ".md")));
  EXPECT_FALSE(commands.empty()) << "a handout says how to grade";
  for (const std::string &command : commands) {
    const CommandResult r = shell(command, kit);
    const bool for_gpus = command.find("# on a GPU") != std::string::npos ||
                          command.find("# auf einer GPU") != std::string::npos;
    const bool refused = r.status == 2 && r.output.find("there is no GPU here") != std::string::npos;
    EXPECT_TRUE(r.status == 0 || (gpu && r.status == 1) || (for_gpus && !gpu && refused))
        << command << "\nends with status " << r.status << ":\n"
        << r.output;
  }
}

std::vector<std::string> handouts() {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(repository / "handouts"))
    if (entry.path().extension() == ".md") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}
INSTANTIATE_TEST_SUITE_P(Every, Handout, ::testing::ValuesIn(handouts()), [](const auto &page) {
  std::string name = page.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace warpgrade::tests
