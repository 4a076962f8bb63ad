// fmt's one function that the simulator calls, compiled into the library: a libfmt.so would allocate with the
// program's operator new what we free with ours, and programs may bring their own (AddressSanitizer does).
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace {

using Format = std::string (*)(fmt::string_view, fmt::format_args);
[[gnu::used]] const Format kept = &fmt::vformat;

}  // namespace
