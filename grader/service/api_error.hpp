// How a request ends that cannot be answered. Internal to service.
#pragma once

#include <cstdint>
#include <string>

namespace warpgrade::service {

/// Ends a request with an error. `message` is a sentence for the person at the other end.
struct ApiError {
  int status;
  std::string code, message;
  std::int64_t retry_after = 0;  ///< seconds; 0: not said
};

struct Shared;
/// Of a token or a session that is nobody's. Throws ApiError when too many came from this address.
void note_wrong_token(Shared &, const std::string &peer);

}  // namespace warpgrade::service
