// Small answers kept from one run of the program to the next. An answer is found again by the question: the bytes of
// everything that it depends on. What cannot be read counts as missing, and what cannot be written is not kept.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "base/wire.hpp"

namespace warpgrade::build {

class Answers {
 public:
  /// folder   made when something is kept; need not be writable
  explicit Answers(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The answer that was kept for exactly this question.
  std::optional<std::vector<std::byte>> find(std::span<const std::byte> question) const;
  /// The least recently used ones make room.
  void keep(std::span<const std::byte> question, std::span<const std::byte> answer) const;

 private:
  std::filesystem::path folder_;
};

/// The name, size and time of a program: another build of it has another identity.
void put_identity(Writer &, const std::filesystem::path &program);

struct Build;
/// The program that asks, and what it asks about: the device code, the launcher and the compiler.
void put_identity(Writer &, const Build &);

}  // namespace warpgrade::build
