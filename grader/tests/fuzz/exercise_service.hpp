// What the fuzzer of the service does with one input; the tests repeat it with everything that it once found.
#pragma once

#include <cstddef>
#include <span>

namespace warpgrade::fuzz {

/// The bytes that a client sends over one connection, to a service of its own with a student, a TA and an
/// instructor. "@T1@" to "@T3@" stand for their tokens, "@C1@" to "@C3@" for what their forms carry, "@H@"
/// for the hash of an empty policy, "@L@" for the length of the body. The answer has to be one response: no
/// failure of the service, no header of the client's, no markup of the client's in a page. Aborts otherwise.
void exercise_service(std::span<const std::byte>);

}  // namespace warpgrade::fuzz
