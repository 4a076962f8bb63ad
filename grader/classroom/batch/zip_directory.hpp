// Checks of a zip that libarchive does not make: whether the archive is complete, and whether entries share
// bytes, which is how ten megabytes become many terabytes.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "batch/bytes.hpp"

namespace warpgrade::batch {

/// Throws Refused unless the archive ends where it says, its directory lists at most `most_entries`, no two
/// of them overlap, and no name continues after a NUL. Reads only headers; checks nothing else about names.
/// Returns the paths (parts_of, joined by /) of devices, FIFOs and sockets, which libarchive treats as files.
std::set<std::string> check_zip(const Bytes &, std::uint64_t most_entries);

}  // namespace warpgrade::batch
