// What a worker's end and its bytes mean. The bytes are hostile. Internal to record/.
#pragma once

#include "record/recorder.hpp"
#include "record/server_protocol.hpp"

namespace warpgrade::record {

/// Never throws for what the worker wrote: a Recording with a plan that keeps the promises of
/// plan/decode.hpp, or with the reason why there is none.
Recording read_answer(const ServerAnswer &, const plan::CallRequest &, const Limits &);

}  // namespace warpgrade::record
