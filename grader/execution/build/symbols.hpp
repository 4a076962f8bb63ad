// The symbols of a student's object and the facts about the device code, for people and for the recorder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "build/build.hpp"

namespace warpgrade::build {

struct Symbol {
  std::string name;  ///< mangled
  char type = '?';   ///< as nm says: 'T' a function, 't' a local one, 'U' undefined
};
using Symbols = std::vector<Symbol>;

/// The output of `nm -P`; lines that do not look like it are left out.
Symbols read_symbols(std::string_view nm);
bool defines(const Symbols &, std::string_view function);

/// "step3.cu defines no `void step3(...)`. It defines `step3(int)`: ..."
std::string missing_entry(const Symbols &, const std::string &file, const std::string &entry,
                          const std::string &declaration);

/// Fills in module, machine_code, kernels, variables and static_shared_bytes from build.fatbin; on failure
/// the build is no longer ok.
void read_device_code(Build &, const std::string &file, const std::string &arch, const Limits &);

}  // namespace warpgrade::build
