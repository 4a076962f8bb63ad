// What the fuzzer of messages does with one input; the tests repeat it with everything the fuzzer once found.
#pragma once

#include <cstddef>
#include <span>

namespace warpgrade::fuzz {

/// The first byte says what the others are: 'm' what a grading process sends to its gradebook, 's' and 'r'
/// the record of a step and of a submission as JSON, 'j' the journal that a program under `simt run` leaves
/// behind. A record that can be read has to come back the same; a journal has to give a report. Aborts
/// otherwise.
void exercise_message(std::span<const std::byte>);

}  // namespace warpgrade::fuzz
