// Ends what a program started when `simt run` itself is killed and can no longer do so.
#pragma once

#include <filesystem>
#include <string>

#include "base/descriptor.hpp"
#include "base/process.hpp"

namespace warpgrade::program {

/// A process that outlives this one. If this one is killed, the keeper kills every process whose environment
/// contains `mark`, whoever its parent is by then, and removes `folder`.
class Keeper {
 public:
  /// Does nothing where no process can be started.
  Keeper(std::string mark, std::filesystem::path folder);
  ~Keeper();  ///< the program has ended: the keeper ends too
  Keeper(const Keeper &) = delete;
  Keeper &operator=(const Keeper &) = delete;

 private:
  Descriptor alive_;
  Child process_;
};

}  // namespace warpgrade::program
