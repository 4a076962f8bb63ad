// A class without a GPU, with each policy of `without_gpu`: what it says everywhere, and that it does not change
// unless somebody says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two students: all right, and step1 wrong. step1 has 50 points and 10 for speed.
class ClassWithoutGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    course_.write("assignments/hw6/thresholds/nvidia-t4.yaml",
                  "gpu: nvidia-t4\nsteps:\n  step1: {size: 512, pass: 1, full: 2}\n");
    course_.hand_in("good", "one");
    course_.hand_in("partly", "one");
    course_.write("class/partly/step1_coalesced.cu", "this is no CUDA");
  }
  void policy(const std::string &name) const {
    const std::string file = "assignments/hw6/assignment.yaml";
    std::string text = text_of(course_ / file);
    if (const std::size_t at = text.find("without_gpu:"); at != std::string::npos) text.erase(at);
    course_.write(file, text + "without_gpu: " + name + "\npredict_for: nvidia-t4\n");
  }
  CommandResult run(const std::string &words) const {
    return shell(std::string("'") + place::gradebook + "' " + words, course_.root());
  }
  nlohmann::json report(const std::string &student) const {
    return nlohmann::json::parse(text_of(course_ / ("out/reports/" + student + "/score.json")));
  }
  SmallCourse course_;
};

const std::string graded_here = "run class --assignment hw6 --out out --device sim";

TEST_F(ClassWithoutGpu, RescaledPointsAreMarkedWhereverTheyAre) {
  policy("rescale");
  ASSERT_EQ(run(graded_here).status, 0);
  EXPECT_EQ(text_of(course_ / "out/grades.csv"),
            "student,step0,step1,score,max_score,status,late,without_gpu\r\n"
            "good,40,60,100,100,graded,,rescale\r\npartly,40,0,40,100,graded,,rescale\r\n");
  const nlohmann::json good = report("good");
  EXPECT_EQ(good.at("without_gpu"), "rescale");
  EXPECT_THAT(good.at("notes").front(), HasSubstr("(without_gpu: rescale)"));
  EXPECT_EQ(good.at("steps").at(1).at("without_gpu").at("policy"), "rescale");
  EXPECT_EQ(good.at("steps").at(1).at("ungraded_points"), 0);
  EXPECT_FALSE(good.at("steps").at(0).contains("without_gpu"));  // nothing there is for speed
  const CommandResult exported = run("export out --format csv --out all.csv");
  EXPECT_EQ(exported.status, 0) << exported.output;
  EXPECT_THAT(exported.output, HasSubstr("(without_gpu: rescale)"));
  EXPECT_THAT(text_of(course_ / "all.csv"), HasSubstr("(without_gpu: rescale)"));
  ASSERT_EQ(run("report out").status, 0);
  for (const char *page : {"class.html", "leaderboard.html"})
    EXPECT_THAT(text_of(course_ / "out" / page), HasSubstr("(without_gpu: rescale)")) << page;
  EXPECT_THAT(text_of(course_ / "out/reports/good/report.html"),
              AllOf(HasSubstr("50 of 50 points for everything else count as 60 of 60"),
                    Not(HasSubstr("Points for speed wait for a GPU"))));
}

TEST_F(ClassWithoutGpu, KeepsItsPolicyUntilSomebodyConfirmsAnother) {
  policy("leave");
  ASSERT_EQ(run(graded_here).status, 0);
  EXPECT_THAT(text_of(course_ / "out/grades.csv"), HasSubstr("good,40,50,90,100,graded,\r\n"));
  policy("rescale");
  for (const std::string &words :
       {graded_here, std::string("rescore out"), std::string("regrade out good")}) {
    const CommandResult r = run(words);
    EXPECT_EQ(r.status, 2) << words;
    EXPECT_THAT(r.output,
                HasSubstr("this class is graded with 'without_gpu: leave', but assignment.yaml now says "
                          "'rescale'. To change everybody's points, add --without-gpu rescale"));
  }
  const CommandResult exported = run("export out --format csv --out all.csv --partial");
  EXPECT_THAT(exported.output, HasSubstr("This class is graded with 'without_gpu: leave'"));
  EXPECT_THAT(text_of(course_ / "all.csv"), HasSubstr("good,graded,90,100,10,"));
  EXPECT_THAT(run("regrade out good --without-gpu rescale").output,
              HasSubstr("use regrade --all, or rescore"));
  EXPECT_THAT(run("rescore out --without-gpu predicted").output,
              HasSubstr("assignment.yaml says 'without_gpu: rescale'; change it there first"));
  const CommandResult rescored = run("rescore out --without-gpu rescale");
  EXPECT_EQ(rescored.status, 0) << rescored.output;
  EXPECT_THAT(rescored.output, HasSubstr("step1 50 -> 60"));
  EXPECT_EQ(run("rescore out").status, 0);  // it is the class's own now
  EXPECT_THAT(text_of(course_ / "out/grades.csv"), HasSubstr("good,40,60,100,100,graded,,rescale"));
}

TEST_F(ClassWithoutGpu, PredictedRatesEarnPointsAndSayWhatTheyAre) {
  policy("predicted");
  const CommandResult r = run(graded_here);
  ASSERT_EQ(r.status, 0) << r.output;
  // Any kernel of this kind is above 2 GFLOPS on a T4.
  EXPECT_THAT(text_of(course_ / "out/grades.csv"), HasSubstr("good,40,60,100,100,graded,,predicted"));
  const nlohmann::json step = report("good").at("steps").at(1);
  EXPECT_EQ(step.at("without_gpu").at("policy"), "predicted");
  EXPECT_EQ(step.at("without_gpu").at("points"), 10);
  EXPECT_THAT(step.at("without_gpu").at("reason"),
              AllOf(HasSubstr("GFLOPS predicted for NVIDIA T4 at m=n=k=512"), HasSubstr("not measured")));
  EXPECT_TRUE(step.at("performance").is_null());
  EXPECT_THAT(run("export out --format csv --out all.csv").output,
              HasSubstr("predicted rates earn the points for speed (without_gpu: predicted)"));
  // Other rates of the same GPU would be a mixture: they are predicted again.
  course_.replace("assignments/hw6/thresholds/nvidia-t4.yaml", "size: 512", "size: 256");
  EXPECT_THAT(run(graded_here).output, HasSubstr("step1: prediction changed"));
}

TEST_F(ClassWithoutGpu, StudentsSeeTheSamePoints) {
  policy("predicted");
  const CommandResult r =
      shell(std::string("'") + place::grade +
                "' step1 --assignment hw6 --submission class/good --device sim --json s.json",
            course_.root());
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, AllOf(HasSubstr("Score: 60/60"), HasSubstr("(without_gpu: predicted)"),
                              Not(HasSubstr("A prediction gives no points"))));
  const nlohmann::json said = nlohmann::json::parse(text_of(course_ / "s.json"));
  EXPECT_EQ(said.at("without_gpu"), "predicted");
  EXPECT_TRUE(said.at("steps").at(0).at("prediction").at("gives_points"));
}

}  // namespace
}  // namespace warpgrade::tests
