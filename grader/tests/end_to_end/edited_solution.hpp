// A solution in a folder of its own, with some of its text replaced.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/scratch.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {

class EditedSolution {
 public:
  using Edits =
      std::vector<std::pair<std::string, std::string>>;  ///< a text that is there, and what replaces it
  EditedSolution(const std::string &assignment, const std::string &file, const Edits &edits) {
    std::string text = read_whole(std::filesystem::path(place::root) / "solutions" / assignment / file);
    for (const auto &[from, to] : edits) {
      const std::size_t at = text.find(from);
      if (at == std::string::npos)
        ADD_FAILURE() << file << " has no '" << from << "'";
      else
        text.replace(at, from.size(), to);
    }
    write_whole(folder_.path() / file, text);
  }
  std::string folder() const { return folder_.path().string(); }

 private:
  Scratch folder_;
};

}  // namespace warpgrade::tests
