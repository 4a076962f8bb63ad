// Ctrl-C as something to be asked about, so that work ends where it can be taken up again.
#pragma once

#include <optional>

namespace warpgrade {

/// While one lives, SIGINT, SIGTERM and SIGHUP only make its descriptor readable. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;
  int descriptor() const;
  std::optional<int> signal() const;  ///< that came first
};

}  // namespace warpgrade
