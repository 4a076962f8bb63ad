#include "base/did_you_mean.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace warpgrade {
namespace {

const std::vector<std::string> commands = {"explain", "bench", "roofline", "tune",
                                           "report",  "plan",  "package"};

TEST(DidYouMean, FindsAMissingAnExtraAWrongAndASwappedLetter) {
  EXPECT_EQ(nearest("expain", commands), "explain");
  EXPECT_EQ(nearest("bennch", commands), "bench");
  EXPECT_EQ(nearest("roofkine", commands), "roofline");
  EXPECT_EQ(nearest("repotr", commands), "report");
}

TEST(DidYouMean, SuggestsNothingThatIsNotNear) {
  EXPECT_EQ(nearest("grade", commands), "");
  EXPECT_EQ(nearest("x", commands), "");
  EXPECT_EQ(nearest("", commands), "");
  EXPECT_EQ(nearest(std::string(100000, 'x'), commands), "");
}

TEST(DidYouMean, SuggestsNothingIfSeveralAreEquallyNear) {
  EXPECT_EQ(nearest("step9", {"step0", "step1", "step2"}), "");
  EXPECT_EQ(nearest("stepp2", {"step0", "step1", "step2"}), "step2");
}

class Folder {
 public:
  explicit Folder(const std::vector<std::string> &files) {
    std::string name = (std::filesystem::temp_directory_path() / "names-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
    for (const std::string &file : files) std::ofstream(path_ / file) << "x";
  }
  Folder(const Folder &) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path &path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(MisnamedFile, IsFoundInEverySpellingThatAnEditorOrABrowserMakes) {
  for (const char *file : {"Step2_Shared.cu", "step2-shared.cu", "step2_shared.cu.txt", "step2_shared (1).cu",
                           "step2_shared - Copy.cu", "step2_shard.cu"})
    EXPECT_EQ(misnamed_file(Folder({file, "step1_coalesced.cu", "notes.txt"}).path(), "step2_shared.cu"),
              file);
}

TEST(MisnamedFile, IsNeitherAnotherStepNorOneOfTwo) {
  EXPECT_EQ(misnamed_file(Folder({"k1.cu", "k3.cu"}).path(), "k2.cu"), "");
  EXPECT_EQ(misnamed_file(Folder({"K2.cu", "k2 (1).cu"}).path(), "k2.cu"), "");
  EXPECT_EQ(misnamed_file("/nowhere", "k2.cu"), "");
}

}  // namespace
}  // namespace warpgrade
