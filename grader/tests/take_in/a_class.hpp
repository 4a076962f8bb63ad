// A small class in every shape in which one arrives, for tests of taking in.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "make_archive.hpp"

namespace warpgrade::batch {

inline constexpr const char *steps[] = {"step0_naive.cu", "step1_coalesced.cu", "step2_shared.cu",
                                        "step3_blocktile.cu", "step4_nonsquare.cu"};

inline std::vector<std::string> students(const Taken &all) {
  std::vector<std::string> ids;
  for (const Handin &handin : all.handins) ids.push_back(handin.student);
  return ids;
}

inline std::vector<Item> below(const std::string &folder, std::vector<Item> items) {
  for (Item &item : items) item.path = folder + item.path;
  return items;
}

inline std::vector<Item> operator+(std::vector<Item> a, const std::vector<Item> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Item zip(const std::string &name, const std::string &text, std::int64_t modified = 1'772'366'400) {
  return {name, pack("zip", all_steps("", text)), 0100644, {}, modified};
}

/// The same class as a folder, as a zip and as a tar, each with and without a folder around it.
class EveryShape : public ::testing::TestWithParam<std::string> {
 protected:
  Taken take(const std::vector<Item> &items, TakeInOptions options = {}) {
    const bool wrapped = GetParam().ends_with("wrapped");
    const std::vector<Item> all = wrapped ? below("assignment_77_export/", items) : items;
    if (GetParam().starts_with("folder")) return taken(scratch_.write_all("class", all), options);
    const std::string format = GetParam().substr(0, GetParam().find('_'));
    return taken(scratch_.write("class." + format, pack(format == "tgz" ? "tar.gz" : format, all)), options);
  }
  Scratch scratch_;
};

}  // namespace warpgrade::batch
