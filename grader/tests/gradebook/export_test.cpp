// What an export of a class says about the service that grades it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gradebook/gradebook.hpp"
#include "setup/files.hpp"
#include "tests/batch/a_class.hpp"

namespace warpgrade::gradebook {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A class of hw6 in which s1 to s3 handed nothing in.
class ExportOfAService : public ::testing::Test {
 protected:
  ExportOfAService() {
    fs::current_path(WARPGRADE_ROOT);
    batch::Store store(folder / "hw6", batch::Store::Access::create);
    store.begin({"hw6", 42});
    for (const char *student : {"s1", "s2", "s3"}) store.take_in(tests::handin(student, "", ""));
    store.finish_taking_in();
  }
  ~ExportOfAService() override { fs::current_path(before); }
  /// The table; what was said on standard error is in `said`.
  std::string exported(const FromService &service) {
    ExportOptions w;
    w.folder = (folder / "hw6").string();
    w.format = "csv";
    w.out = (folder / "grades.csv").string();
    w.service = service;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(export_grades(w), 0);
    said = ::testing::internal::GetCapturedStderr();
    ::testing::internal::GetCapturedStdout();
    return read_whole(w.out);
  }
  const fs::path before = fs::current_path();
  tests::Folder folder;
  std::string said;
};

TEST_F(ExportOfAService, NamesStudentsWhosePointsAreNotAppliedYetAndHasTheAnswers) {
  const std::string table =
      exported({{{"s2", {"Dispute 1 (step0), answer: See slide 12."}}}, {"s1", "s3"}, ""});
  EXPECT_THAT(table, HasSubstr("Dispute 1 (step0), answer: See slide 12."));
  EXPECT_THAT(said,
              HasSubstr("s1, s3: points given by hand on the service's pages are not applied yet: wait a "
                        "few seconds, or start the service, then run this command again\n"));
  EXPECT_THAT(said, Not(HasSubstr("cannot be checked")));
}

TEST_F(ExportOfAService, GoesOnWithoutTheServicesStoreAndSaysWhy) {
  const std::string whole = exported({});
  EXPECT_THAT(said, AllOf(Not(HasSubstr("not applied yet")), Not(HasSubstr("cannot be checked"))));
  EXPECT_EQ(exported({{}, {}, "/srv/service.db: it cannot be opened"}), whole);
  EXPECT_THAT(said,
              HasSubstr("answers to disputes, and points that the service has not applied yet, cannot be "
                        "checked, so they may be missing from the export: /srv/service.db: it cannot be "
                        "opened\n"));
}

}  // namespace
}  // namespace warpgrade::gradebook
