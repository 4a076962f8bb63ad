// What libarchive does not look at in a zip: whether the archive is all there, and whether entries share
// bytes, which is how ten megabytes become many terabytes.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "batch/bytes.hpp"

namespace warpgrade::batch {

/// Throws Refused unless the archive ends where it says, its directory lists at most `most_entries`, no two
/// of them overlapping, and no name goes on behind a NUL. Reads headers alone; says nothing else about names.
/// Gives the paths (parts_of, joined by /) of devices, FIFOs and sockets, which libarchive takes for files.
std::set<std::string> check_zip(const Bytes &, std::uint64_t most_entries);

}  // namespace warpgrade::batch
