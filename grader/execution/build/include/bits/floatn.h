// glibc's, which since 2.41 takes every clang to know __float128. In device code, clang 17 and 18 do not. Older releases of
// glibc leave it out of all CUDA C++.
#pragma once
#ifdef __x86_64__
#include <features.h>
#pragma push_macro("__GNUC_PREREQ")
#pragma push_macro("__glibc_clang_prereq")
#undef __GNUC_PREREQ
#undef __glibc_clang_prereq
#define __GNUC_PREREQ(major, minor) 0
#define __glibc_clang_prereq(major, minor) 0
#include_next <bits/floatn.h>
#pragma pop_macro("__GNUC_PREREQ")
#pragma pop_macro("__glibc_clang_prereq")
#else
#include_next <bits/floatn.h>
#endif
