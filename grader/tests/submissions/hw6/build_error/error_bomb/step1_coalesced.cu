// Includes itself until the compiler refuses, with an error in each round.
// Verdict: build_error, its messages are cut.
#include "gemm.h"
#error "a line that appears two hundred times, and is long enough to fill a page: ---------------------------------------"
#include "step1_coalesced.cu"

this is no C++ either;
