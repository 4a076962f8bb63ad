// Interprets how a worker ended and the bytes that it wrote. The bytes are hostile. Internal to record/.
#pragma once

#include <string_view>

#include "record/recorder.hpp"
#include "record/server_protocol.hpp"

namespace warpgrade::record {

/// Never throws because of what the worker wrote: a Recording with a plan that keeps the guarantees of
/// plan/decode.hpp, or with the reason why there is no plan.
Recording read_answer(const ServerAnswer &, const plan::CallRequest &, const Limits &);

/// The first line number of this file in the output of `addr2line -f`, a mangled name and then
/// "/somewhere/step0.cu:12 (discriminator 2)" for each place. The runtime's own templates (cudaMalloc<float>)
/// are left out: clang attributes lines of its precompiled header to the file. So are the host
/// stubs of kernels: the function that calls them contains the launch.
int line_in(std::string_view printed, const std::string &file);

}  // namespace warpgrade::record
