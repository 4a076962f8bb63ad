// What a process of ours does to itself before it looks at hostile bytes, so that whatever they make of it
// can compute, and read and write the descriptors that it was given, and nothing else.
#pragma once

#include <cstdint>

namespace warpgrade::sandbox {

enum class Threads : bool { none, some };

/// Closes all descriptors but 0 to 2 and these; -1 names none.
void close_all_but(int one, int other = -1);

/// Limits this process to `bytes` beyond the address space that it has. Where the kernel cannot count them
/// (under a sanitizer), `exceeded` is called instead, and must end the process.
void limit_memory(std::uint64_t bytes, void (*exceeded)());

/// Installs a system call filter: memory, time, what is open already, the end, and threads where they are
/// wanted. Everything else fails with EPERM. Returns false when the kernel does not take it.
bool only_compute(Threads = Threads::none);

}  // namespace warpgrade::sandbox
