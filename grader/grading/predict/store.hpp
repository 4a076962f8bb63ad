// Predictions kept from one run to the next: the same build, size and GPU are predicted once. Takes what was asked, as
// bytes, and gives the prediction that was kept for exactly these; anything that cannot be read counts as missing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "build/answers.hpp"
#include "predict/step.hpp"

namespace warpgrade::predict {

/// What depends on the kernel. The rest of a StepPrediction is found anew each time: it is read from files.
struct Kept {
  Prediction prediction;
  bool too_long = false;
};

class Store {
 public:
  /// folder   made when something is kept; need not be writable
  explicit Store(std::filesystem::path folder) : answers_(std::move(folder)) {}

  std::optional<Kept> find(std::span<const std::byte> asked) const;
  /// The least recently used ones make room.
  void keep(std::span<const std::byte> asked, const Kept &) const;

 private:
  build::Answers answers_;
};

}  // namespace warpgrade::predict
