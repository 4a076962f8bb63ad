#include <fmt/format.h>

#include <span>

#include "base/files.hpp"
#include "base/usage.hpp"
#include "program/program.hpp"
#include "ptx/fatbin.hpp"
#include "ptx/module.hpp"

namespace warpgrade::program {

ptx::Module read_module(const std::string &file) {
  const std::string bytes = read_whole(file);
  constexpr std::string_view fatbin_magic = "\x50\xed\x55\xba";
  if (!bytes.starts_with(fatbin_magic)) return ptx::parse(bytes);
  for (const ptx::Image &image : ptx::read_fatbin(std::as_bytes(std::span(bytes))))
    if (image.kind == ptx::Image::Kind::ptx)
      return ptx::parse({reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size()});
  throw UsageError(
      fmt::format("{} contains no PTX: compile with -gencode arch=compute_80,code=compute_80", file));
}

void list(const std::string &file) {
  const ptx::Module module = read_module(file);
  fmt::print("{}: PTX {}.{} for sm_{}\n", file, module.version_major, module.version_minor, module.sm);
  for (const ptx::KernelFacts &k : module.kernels) {
    fmt::print("  {}\n    {} bytes of arguments, {} bytes shared{}", ptx::demangle(k.name), k.argument_bytes,
               k.static_shared_bytes, k.uses_dynamic_shared ? " and dynamic" : "");
    if (k.local_bytes > 0) fmt::print(", {} bytes local a thread", k.local_bytes);
    if (k.line > 0) fmt::print(", {}:{}", k.file, k.line);
    fmt::print("\n");
  }
}

}  // namespace warpgrade::program
