#include "runtime/journal/program.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "base/files.hpp"
#include "ptx/fatbin.hpp"

namespace warpgrade::cuda {
namespace {

using Bytes = std::span<const std::byte>;

template <class T>
std::optional<T> read(Bytes from, std::uint64_t at) {
  if (at > from.size() || from.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}

Bytes part(Bytes of, std::uint64_t at, std::uint64_t size) {
  if (at > of.size() || size > of.size() - at) return {};
  return of.subspan(at, size);
}

std::string text_at(Bytes strings, std::uint64_t at) {
  if (at >= strings.size()) return {};
  const auto *first = reinterpret_cast<const char *>(strings.data()) + at;
  return std::string(first, ::strnlen(first, strings.size() - at));
}

constexpr auto this_machine =
#if defined(__aarch64__)
    EM_AARCH64;
#else
    EM_X86_64;
#endif

void read_dynamic(Bytes dynamic, Bytes strings, Program &program) {
  for (std::uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
    const auto entry = read<Elf64_Dyn>(dynamic, at);
    if (!entry || entry->d_tag == DT_NULL) return;
    if (entry->d_tag == DT_NEEDED) program.needed.push_back(text_at(strings, entry->d_un.d_val));
    if (entry->d_tag == DT_RPATH) program.fixed_path = true;
  }
}

/// Whether machine code holds a function: nvcc leaves empty files in programs without kernels.
bool has_function(const ptx::Image &image) {
  const std::string_view bytes(reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size());
  return bytes.find(".text.") != std::string_view::npos;
}

void read_device_code(Bytes fatbins, Program &program) {
  program.has_device_code = true;
  try {
    for (const ptx::Image &image : ptx::read_fatbin(fatbins)) {
      if (image.kind == ptx::Image::Kind::ptx)
        program.has_ptx = true;
      else if (has_function(image))
        program.machine_code_sm = image.sm;
    }
  } catch (const ptx::FormatError &) {
    program.has_ptx = true;  // the runtime will say what is wrong with it
  }
}

}  // namespace

Program inspect(const std::filesystem::path &file) {
  const std::string content = read_whole(file);
  const Bytes elf = std::as_bytes(std::span(content));
  Program program;
  const auto header = read<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      (header->e_type != ET_EXEC && header->e_type != ET_DYN))
    return program;
  program.kind = Program::Kind::other_machine;
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != this_machine) return program;
  program.kind = Program::Kind::executable;
  const auto section = [&](std::uint64_t i) {
    return read<Elf64_Shdr>(elf, header->e_shoff + i * sizeof(Elf64_Shdr));
  };
  const auto names = section(header->e_shstrndx);
  const Bytes name_bytes = names ? part(elf, names->sh_offset, names->sh_size) : Bytes{};
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one) break;
    const Bytes bytes = part(elf, one->sh_offset, one->sh_size);
    const std::string name = text_at(name_bytes, one->sh_name);
    if (one->sh_type == SHT_DYNAMIC)
      if (const auto strings = section(one->sh_link))
        read_dynamic(bytes, part(elf, strings->sh_offset, strings->sh_size), program);
    // The second holds the code of objects that were compiled separately (-rdc=true), with their PTX.
    if ((name == ".nv_fatbin" || name == "__nv_relfatbin") && !bytes.empty())
      read_device_code(bytes, program);
  }
  return program;
}

namespace {

/// Libraries that bring machine code, by how their names begin.
constexpr std::string_view machine_code_libraries[] = {
    "libcublas",   "libcufft",   "libcurand",  "libcusparse", "libcusolver", "libcudnn",
    "libcutensor", "libcudss",   "libnpp",     "libnvjpeg",   "libnccl",     "libnvinfer",
    "libcuvs",     "libnvgraph", "libcufftMp", "libcufile",   "libnvshmem"};

bool is_machine_code_library(std::string_view library) {
  return std::any_of(std::begin(machine_code_libraries), std::end(machine_code_libraries),
                     [library](std::string_view one) { return library.starts_with(one); });
}

}  // namespace

std::string obstacle(const Program &p, const std::string &name) {
  if (p.kind == Program::Kind::no_program)
    return fmt::format(
        "{} is not a program (an ELF executable); name the program that nvcc made, not a source or a script",
        name);
  if (p.kind == Program::Kind::other_machine)
    return fmt::format("{} is a program for another kind of machine", name);
  std::string runtime;
  for (const std::string &library : p.needed)
    if (library.starts_with("libcudart.so.")) runtime = library;
  if (runtime.empty() && p.has_device_code)
    return fmt::format(
        "{} has the CUDA runtime built into it (nvcc's default), so the simulator cannot take its place; "
        "build it with the shared runtime: nvcc -cudart shared -lineinfo ...",
        name);
  if (!runtime.empty() && runtime != "libcudart.so.12" && runtime != "libcudart.so.13")
    return fmt::format("{} needs {}; the simulator stands in for the runtimes of CUDA 12 and 13", name,
                       runtime);
  std::string libraries;
  for (const std::string &library : p.needed)
    if (is_machine_code_library(library)) libraries += (libraries.empty() ? "" : ", ") + library;
  if (!libraries.empty())
    return fmt::format(
        "{} needs {}: machine code without PTX, which the simulator cannot run; replace its calls by kernels "
        "of "
        "your own (or Thrust, CUB, cuRAND's device API, which are headers), or run the program on a GPU",
        name, libraries);
  if (p.machine_code_sm > 0 && !p.has_ptx)
    return fmt::format(
        "{} contains machine code for sm_{} and no PTX, which the simulator needs; compile with "
        "-arch=sm_80, or "
        "with -gencode arch=compute_80,code=compute_80",
        name, p.machine_code_sm);
  return {};
}

}  // namespace warpgrade::cuda
