// A store that cannot be used says why, and loses nothing.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <functional>

#include "batch/content.hpp"
#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {
namespace {

using batch::Store;
using batch::StoreError;
using ::testing::HasSubstr;

struct Refusal {
  std::optional<StoreError::Kind> kind;
  std::string what;
};

Refusal refusal_of(const std::function<void()> &action) {
  try {
    action();
  } catch (const StoreError &e) {
    return {e.kind, e.what()};
  }
  return {};
}

Refusal refusal_to_open(const std::filesystem::path &folder, Store::Access access = Store::Access::create) {
  return refusal_of([&] { Store(folder, access); });
}

void begin_with(const std::filesystem::path &folder, int students) {
  Store store = begun(folder);
  for (int i = 0; i < students; ++i)
    store.take_in(handin("s" + std::to_string(i), "text " + std::to_string(i), ""));
  store.finish_taking_in();
}

/// Runs in a separate process, as nobody if we are root; returns its exit status.
int elsewhere(const std::filesystem::path &folder, const std::function<int()> &action) {
  if (::geteuid() == 0) std::filesystem::permissions(folder.parent_path(), std::filesystem::perms(0755));
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setresuid(nobody, nobody, nobody) != 0) ::_exit(99);
    int status = 98;
    try {
      status = action();
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StoreTrouble, AFolderWithoutAClassIsNamed) {
  const Folder folder;
  for (const auto access : {Store::Access::change, Store::Access::read}) {
    const Refusal r = refusal_to_open(folder.path(), access);
    EXPECT_EQ(r.kind, StoreError::Kind::unusable);
    EXPECT_THAT(r.what, HasSubstr("contains no class"));
  }
}

TEST(StoreTrouble, AReadOnlyFolderIsNamedAndNothingIsWritten) {
  const Folder above;
  const std::filesystem::path folder = above / "class";
  begin_with(folder, 1);
  std::filesystem::permissions(folder, std::filesystem::perms(0555));
  const int status = elsewhere(folder, [&] {
    const Refusal r = refusal_to_open(folder);
    const bool said =
        r.what.find(folder.string()) != std::string::npos && r.what.find("ermi") != std::string::npos;
    return r.kind == StoreError::Kind::unusable && said ? 0 : 1;
  });
  std::filesystem::permissions(folder, std::filesystem::perms(0755));
  EXPECT_EQ(status, 0);
}

TEST(StoreTrouble, AFolderThatCannotBeMadeIsNamed) {
  const Folder above;
  std::ofstream(above / "file") << "no folder";
  const Refusal r = refusal_to_open(above / "file" / "class");
  EXPECT_EQ(r.kind, StoreError::Kind::unusable);
  EXPECT_THAT(r.what, HasSubstr("cannot be created"));
}

TEST(StoreTrouble, AFullDiskUndoesTheCurrentWriteAndKeepsTheRest) {
  const Folder folder;
  begin_with(folder.path(), 1);
  const batch::Task task{"base", batch::hash_of("text 0")};
  {
    batch::Database database(folder / "gradebook.db", batch::Database::Mode::write);
    batch::Statement pages = database.prepare("PRAGMA page_count");
    pages.step();
    // What SQLite answers where the disk is full, without filling one.
    database.execute("PRAGMA max_page_count = " + std::to_string(pages.integer_at(0) + 2));
    grading::StepRecord big = record("base");
    std::uint32_t noise = 1;
    for (int i = 0; i < 100'000; ++i)
      big.printed += static_cast<char>('a' + ((noise = noise * 1664525 + 1013904223) >> 28));
    const Refusal r = refusal_of([&] {
      batch::Transaction transaction(database);
      database.prepare("UPDATE class SET assignment = 'changed'").run();
      database.prepare("INSERT INTO file (hash, content) VALUES ('x', ?)").blob(big.printed).run();
      transaction.commit();
    });
    EXPECT_EQ(r.kind, StoreError::Kind::failed);
    EXPECT_THAT(r.what, HasSubstr("the disk is full"));
    EXPECT_THAT(r.what, HasSubstr("continues where it stopped"));
  }
  Store store(folder.path(), Store::Access::change);
  EXPECT_EQ(store.info()->assignment, "hw");
  store.keep(task, record("base"), 1);
  EXPECT_TRUE(store.result(task));
}

TEST(StoreTrouble, ADamagedFileIsNamedAndLeftAsItIs) {
  const Folder folder;
  begin_with(folder.path(), 200);
  const std::filesystem::path file = folder / "gradebook.db";
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  ASSERT_GT(whole.size(), 20'000u);
  for (const std::size_t from : {std::size_t{0}, std::size_t{4096}, whole.size() / 2}) {
    std::string damaged = whole;
    damaged.replace(from, 4096, std::string(4096, '\x5a'));
    std::ofstream(file, std::ios::binary) << damaged;
    const Refusal r = refusal_to_open(folder.path(), Store::Access::change);
    EXPECT_EQ(r.kind, StoreError::Kind::failed) << from;
    EXPECT_THAT(r.what, HasSubstr("damaged")) << from;
    EXPECT_THAT(r.what, HasSubstr(file.string()));
    std::ifstream in(file, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), damaged) << from;
  }
}

TEST(StoreTrouble, AFileOfANewerVersionIsRefusedWithASentence) {
  const Folder folder;
  begin_with(folder.path(), 1);
  batch::Database(folder / "gradebook.db", batch::Database::Mode::write).execute("PRAGMA user_version = 99");
  for (const auto access : {Store::Access::create, Store::Access::read}) {
    const Refusal r = refusal_to_open(folder.path(), access);
    EXPECT_EQ(r.kind, StoreError::Kind::unusable);
    EXPECT_THAT(r.what,
                HasSubstr("was written by a newer gradebook (version 99 of the file, this one knows 8)"));
  }
}

TEST(StoreTrouble, ADatabaseOfAnotherProgramIsLeftAlone) {
  const Folder folder;
  batch::Database(folder / "gradebook.db", batch::Database::Mode::create).execute("CREATE TABLE theirs (x)");
  const Refusal r = refusal_to_open(folder.path());
  EXPECT_EQ(r.kind, StoreError::Kind::unusable);
  EXPECT_THAT(r.what, HasSubstr("another program"));
}

TEST(StoreTrouble, ASecondGradebookNamesTheRunningOneAndReadersAreAdmitted) {
  const Folder folder;
  Store first = begun(folder.path());
  const Refusal r = refusal_to_open(folder.path());
  EXPECT_EQ(r.kind, StoreError::Kind::unusable);
  EXPECT_THAT(r.what,
              HasSubstr("another gradebook is at work on this class (process " + std::to_string(::getpid())));
  EXPECT_EQ(Store(folder.path(), Store::Access::read).info(), first.info());
}

TEST(StoreTrouble, AKilledGradebookReleasesTheClass) {
  const Folder folder;
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Store store = begun(folder.path());
    store.take_in(handin("kept", "text", ""));
    store.finish_taking_in();
    store.take_in(handin("under way", "text", ""));
    [[maybe_unused]] const ssize_t said = ::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const Store store(folder.path(), Store::Access::create);
  EXPECT_EQ(store.students(), std::vector<std::string>{"kept"});
}

}  // namespace
}  // namespace warpgrade::tests
