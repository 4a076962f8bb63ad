// What the fuzzer of archives does with one input; the tests repeat it with everything the fuzzer once found.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace warpgrade::fuzz {

/// Takes the bytes in, once as what one student handed in and once as what a class did. The first byte says
/// what they are: 'z' and 't' a list of entries to make a zip or a tar of, with every checksum right,
/// anything else an archive behind that byte. Aborts when a Handin breaks its promises.
void exercise_archive(std::span<const std::byte>);

/// The archive that an input represents.
std::string archive_of(std::span<const std::byte>);

}  // namespace warpgrade::fuzz
