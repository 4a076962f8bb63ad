// Whether this is a build with AddressSanitizer: `make test-asan` and `make fuzz`. It maps terabytes of
// address space for itself and makes everything several times slower.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define WARPGRADE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPGRADE_SANITIZED 1
#endif
#endif

namespace warpgrade::sandbox {

#if defined(WARPGRADE_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace warpgrade::sandbox
