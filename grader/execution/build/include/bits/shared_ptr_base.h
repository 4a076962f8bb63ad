// The C++ library writes __attribute__((__noinline__)), where __noinline__ is a macro of CUDA C++.
#pragma once
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
