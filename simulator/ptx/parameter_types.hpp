// The types of a kernel's parameters, as its compiled name or its source says them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::ptx {

/// Of "void tile<char>(char*, int)", as demangle() gives it: {"char*", "int"}; aliases and template parameters are
/// resolved. Nothing if the name says none, as that of an extern "C" kernel.
std::optional<std::vector<std::string>> parameter_types(std::string_view demangled);

/// Bytes of a value of a built-in type, a vector or half type of CUDA, or a pointer: "const float", "uint4", "T*". 0: the
/// type is another one, such as a struct.
std::uint32_t bytes_of_type(std::string_view type);

bool is_integer_type(std::string_view type);
bool is_pointer_type(std::string_view type);
/// What a pointer points to; of one to arrays, "float (*)[4]", the type of an element.
std::string pointed_to(std::string_view type);

}  // namespace warpgrade::ptx
