// What a worker's end and its bytes mean. The bytes are hostile. Internal to record/.
#pragma once

#include <string_view>

#include "record/recorder.hpp"
#include "record/server_protocol.hpp"

namespace warpgrade::record {

/// Never throws for what the worker wrote: a Recording with a plan that keeps the promises of
/// plan/decode.hpp, or with the reason why there is none.
Recording read_answer(const ServerAnswer &, const plan::CallRequest &, const Limits &);

/// The first line number of this file in what `addr2line -f` printed, a mangled name and then
/// "/somewhere/step0.cu:12 (discriminator 2)" for each place. The runtime's own templates (cudaMalloc<float>)
/// are left out: clang calls the lines of what it has read beforehand lines of the file. So are the host
/// stubs of kernels: a launch is in the function that calls them.
int line_in(std::string_view printed, const std::string &file);

}  // namespace warpgrade::record
