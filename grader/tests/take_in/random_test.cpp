// Random submissions: the same files must be accepted whatever they are packed in, and random damage must
// never do more than refuse. Seeds are printed; WARPGRADE_SEED repeats one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "make_archive.hpp"

namespace warpgrade::batch {
namespace {

std::uint64_t first_seed() {
  const char *given = std::getenv("WARPGRADE_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 20260301;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  template <class T>
  const T &of(const std::vector<T> &all) {
    return all[below(all.size())];
  }
  std::string bytes(std::size_t size) {
    std::string out;
    while (out.size() < size) out += static_cast<char>(engine_());
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

/// Files in random folders, steps and others, no two of a name in any case, one text a name now and then.
std::vector<Item> random_submission(Random &random) {
  std::vector<std::string> names = {"Makefile",  "notes.txt",        "step2_share.cu",
                                    ".DS_Store", "._step0_naive.cu", "\xea\xb3\xbc\xec\xa0\x9c.txt",
                                    "a b.pdf"};
  for (const course::Step &step : hw6().steps) names.push_back(step.file);
  const std::vector<std::string> folders = {"", "hw6/", "hw6/src/", "__MACOSX/", "old copy/", "hw6/beyond/"};
  std::set<std::string> taken;
  std::vector<Item> items;
  for (std::size_t i = 0, n = 1 + random.below(12); i < n; ++i) {
    const std::string path = random.of(folders) + random.of(names);
    if (taken.insert(path).second) items.push_back({path, "// " + std::to_string(random.below(3)) + "\n"});
  }
  return items;
}

/// What should come of it, worked out from the rules alone: a step's file counts where all files of that name
/// that are no clutter agree.
std::map<std::string, std::string> expected(const std::vector<Item> &items) {
  std::map<std::string, std::string> files;
  for (const course::Step &step : hw6().steps) {
    std::set<std::string> texts;
    for (const Item &item : items) {
      const std::filesystem::path path = item.path;
      if (path.filename() == step.file && *path.begin() != "__MACOSX") texts.insert(item.content);
    }
    if (texts.size() == 1) files[(step.beyond ? "beyond/" : "") + step.file] = *texts.begin();
  }
  return files;
}

std::map<std::string, std::string> files_of(const Handin &handin) {
  std::map<std::string, std::string> files;
  for (const HandedFile &file : handin.files) files[file.name] = file.content;
  return files;
}

TEST(RandomSubmission, IsTheSameInEveryArchiveAndInAFolder) {
  for (std::uint64_t seed = first_seed(), last = seed + 60; seed < last; ++seed) {
    SCOPED_TRACE("WARPGRADE_SEED=" + std::to_string(seed));
    Random random(seed);
    const std::vector<Item> items = random_submission(random);
    const auto wanted = expected(items);
    const Scratch scratch;
    std::vector<std::string> notes;
    for (const std::string format : {"zip", "tar", "tar.gz", "7z", "zip in a zip", "folder"}) {
      SCOPED_TRACE(format);
      std::filesystem::path class_folder = scratch.path() / format;
      const std::string student = "20261234_HW6";
      if (format == "folder")
        scratch.write_all(format + "/" + student, items);
      else if (format == "zip in a zip")
        scratch.write(format + "/" + student + ".zip", pack("zip", {{"hw6.zip", pack("zip", items)}}));
      else
        scratch.write(format + "/" + student + "." + format, pack(format, items));
      scratch.write_all(format + "/20265678_HW6", all_steps());
      const Handin handin = taken(class_folder).of("20261234");
      EXPECT_EQ(handin.refused, "");
      EXPECT_EQ(files_of(handin), wanted);
    }
  }
}

TEST(RandomDamage, OnlyRefusesAndNeverAffectsTheNeighbour) {
  for (std::uint64_t seed = first_seed(), last = seed + 300; seed < last; ++seed) {
    SCOPED_TRACE("WARPGRADE_SEED=" + std::to_string(seed));
    Random random(seed);
    const std::vector<Item> items = all_steps();
    std::string archive =
        pack(random.of(std::vector<std::string>{"zip", "tar", "tar.gz", "tar.xz", "7z"}), items);
    for (std::size_t i = 0, n = 1 + random.below(4); i < n; ++i) {
      const std::size_t at = random.below(archive.size());
      switch (random.below(4)) {
        case 0:
          archive.resize(at + 1);
          break;
        case 1:
          archive.insert(at, random.bytes(1 + random.below(20)));
          break;
        default:
          archive[at] = random.bytes(1)[0];
      }
    }
    const Scratch scratch;
    scratch.write("class/20261234_HW6.zip", archive);
    scratch.write("class/20265678_HW6.zip", pack("zip", items));
    const Taken all = taken(scratch.path() / "class", {.apart = false});
    ASSERT_EQ(all.handins.size(), 2u);
    EXPECT_EQ(all.of("20265678").files.size(), 5u);
    const Handin &damaged = all.of("20261234");
    EXPECT_TRUE(damaged.refused.empty() || damaged.files.empty());
    EXPECT_EQ(std::distance(std::filesystem::recursive_directory_iterator(scratch.path()), {}), 3);
  }
}

TEST(RandomNames, EveryEntryOfAClassIsARowOrARemark) {
  for (std::uint64_t seed = first_seed(), last = seed + 100; seed < last; ++seed) {
    SCOPED_TRACE("WARPGRADE_SEED=" + std::to_string(seed));
    Random random(seed);
    const Scratch scratch;
    std::set<std::string> names;
    for (std::size_t i = 0; i < 8; ++i) {
      std::string name = random.below(2) == 0 ? "2026" + std::to_string(random.below(20)) + "_HW6"
                                              : random.bytes(1 + random.below(12));
      std::erase_if(name, [](char c) { return c == '/' || c == '\\' || c == '\0'; });
      if (name.empty() || name == "." || name == "..") continue;
      names.insert(name + ".zip");
    }
    for (const std::string &name : names) scratch.write("class/" + name, pack("zip", all_steps()));
    const Taken all = taken(scratch.path() / "class", {.apart = false});
    EXPECT_EQ(all.handins.size(), names.size());
    for (const Handin &handin : all.handins)
      EXPECT_EQ(handin.files.size(), 5u) << handin.source << handin.refused;
  }
}

}  // namespace
}  // namespace warpgrade::batch
