// How a process of ours confines itself before it reads hostile bytes, so that even if they take it over, it
// can only compute, and read and write the descriptors that it was given.
#pragma once

#include <cstdint>

namespace warpgrade::sandbox {

enum class Threads : bool { none, some };

/// Closes all descriptors except 0 to 2 and these; -1 names none.
void close_all_but(int one, int other = -1);

/// Limits this process to `bytes` beyond its current address space. Where the kernel cannot count it (under a
/// sanitizer), `exceeded` is called instead, and must end the process.
void limit_memory(std::uint64_t bytes, void (*exceeded)());

/// Installs a system call filter that allows memory, time, open descriptors, exit and, if requested, threads.
/// Everything else fails with EPERM. Returns false if the kernel does not accept the filter.
bool only_compute(Threads = Threads::none);

}  // namespace warpgrade::sandbox
