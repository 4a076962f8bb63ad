// Locks between processes. The system releases a lock when its holder ends, however it ends.
#pragma once

namespace warpgrade {

enum class Lock { alone, shared };

/// Locks an open file until it is closed everywhere; waits up to `seconds`. False when others hold the lock
/// that long. Throws std::system_error when the file cannot be locked at all.
bool lock_file(int descriptor, Lock, double seconds);

}  // namespace warpgrade
