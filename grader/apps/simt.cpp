// ./simt: the simulator by itself, without any course.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <span>

#include "apps/command_line.hpp"
#include "apps/simt_run.hpp"
#include "ptx/fatbin.hpp"
#include "ptx/module.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"

namespace warpgrade::apps {
namespace {

/// PTX text, or the PTX inside a fat binary.
ptx::Module read_module(const std::string &file) {
  const std::string bytes = read_whole(file);
  constexpr std::string_view fatbin_magic = "\x50\xed\x55\xba";
  if (!bytes.starts_with(fatbin_magic)) return ptx::parse(bytes);
  for (const ptx::Image &image : ptx::read_fatbin(std::as_bytes(std::span(bytes))))
    if (image.kind == ptx::Image::Kind::ptx)
      return ptx::parse({reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size()});
  throw UsageError(
      fmt::format("{} holds no PTX: compile with -gencode arch=compute_80,code=compute_80", file));
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

int run(int argc, char **argv) {
  if (argc > 1 && std::string_view(argv[1]) == "run") return simt_run({argv + 2, argv + argc});
  CLI::App app("The SIMT simulator by itself.", "simt");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("warpgrade ") + WARPGRADE_VERSION);
  CLI::App *show = app.add_subcommand("list", "list the kernels of a .ptx or .fatbin file");
  app.add_subcommand("run", "run a program on the simulator: 'simt run --help'");
  std::vector<std::string> files;
  show->add_option("file", files, "as nvcc -ptx or nvcc -fatbin writes them")->required();
  if (const auto status = parse(app, {argv + 1, argv + argc})) return *status;
  for (const std::string &file : files) list(file);
  return full_score;
}

}  // namespace
}  // namespace warpgrade::apps

int main(int argc, char **argv) {
  try {
    return warpgrade::apps::run(argc, argv);
  } catch (const std::exception &e) {
    fmt::print(stderr, "simt: {}\n", e.what());
    return warpgrade::usage;
  }
}
