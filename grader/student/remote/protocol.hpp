// What client and service must agree on. docs/server.md describes the interface; the service serves it as
// OpenAPI.
#pragma once

namespace warpgrade::remote {

/// Sent by both sides in the header Warpgrade-Api. A service refuses a client with another number, in words.
inline constexpr int api_version = 1;

}  // namespace warpgrade::remote
