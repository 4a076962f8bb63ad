// The C++ library's. What it has for __float128 does not compile in device code with clang 17 and 18.
#pragma once
#include_next <bits/c++config.h>
#undef _GLIBCXX_USE_FLOAT128
