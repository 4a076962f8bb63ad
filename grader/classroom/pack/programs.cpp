#include "pack/programs.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/files.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::pack {

namespace fs = std::filesystem;

namespace {

struct Machine {
  std::string_view name;  ///< by `uname -m`
  int elf;
  std::string_view loader;  ///< is there where glibc is
};
constexpr Machine machines[] = {{"x86_64", EM_X86_64, "/lib64/ld-linux-x86-64.so.2"},
                                {"aarch64", EM_AARCH64, "/lib/ld-linux-aarch64.so.1"}};

constexpr std::string_view script = R"sh(#!/bin/sh
# Starts the program for this machine, which is in bin/.
here=$(dirname -- "$(readlink -f -- "$0" 2>/dev/null || echo "$0")")
system=$(uname -s) machine=$(uname -m)
case $system-$machine in
{cases}  Linux-*)
    echo "grade: this kit is for Linux on {names}, and this machine is $machine: ask your course for a kit for $machine, or work on a machine of your course." >&2
    exit 2 ;;
  *)
    echo "grade: this kit is for Linux, and this is $system: open it in a Linux container (.devcontainer/), or work on a machine of your course." >&2
    exit 2 ;;
esac
[ -e "$loader" ] || {
  echo "grade: this Linux has no glibc ($loader is missing): open the kit in a container (.devcontainer/), or work on a machine of your course." >&2
  exit 2
}
exec "$here/bin/$machine/grade" "$@"
)sh";

}  // namespace

std::string machine_of(std::string_view program) {
  Elf64_Ehdr header;
  if (program.size() < sizeof header || !program.starts_with(ELFMAG)) return "";
  std::memcpy(&header, program.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return "";
  for (const Machine &m : machines)
    if (header.e_machine == m.elf) return std::string(m.name);
  return "";
}

Program read_program(const fs::path &file) {
  if (!fs::is_regular_file(file))
    throw UsageError(fmt::format("{} is missing, or is not a file", file.string()));
  Program program{"", file, read_whole(file)};
  program.machine = machine_of(program.bytes);
  if (program.machine.empty())
    throw UsageError(fmt::format("{} is not a program for Linux on x86_64 or aarch64", file.string()));
  return program;
}

std::vector<Program> programs_beside(const fs::path &program) {
  std::vector<Program> all = {read_program(program)};
  for (const Machine &m : machines) {
    if (m.name == all.front().machine) continue;
    for (const char *below : {"", "build/arm"}) {
      const fs::path other = program.parent_path() / below / fmt::format("grade-{}", m.name);
      if (!fs::is_regular_file(other)) continue;
      all.push_back(read_program(other));
      if (all.back().machine != m.name)
        throw UsageError(fmt::format("{} is a program for {}", other.string(), all.back().machine));
      break;
    }
  }
  return all;
}

std::string start_script(const std::vector<Program> &programs) {
  std::string cases, names;
  for (const Machine &m : machines) {
    if (std::none_of(programs.begin(), programs.end(), [&](const Program &p) { return p.machine == m.name; }))
      continue;
    cases += fmt::format("  Linux-{}) loader={} ;;\n", m.name, m.loader);
    names += fmt::format("{}{}", names.empty() ? "" : " or ", m.name);
  }
  std::string text(script);
  for (const auto &[mark, value] : {std::pair<std::string_view, std::string &>{"{cases}", cases},
                                    std::pair<std::string_view, std::string &>{"{names}", names}})
    text.replace(text.find(mark), mark.size(), value);
  return text;
}

std::string glibc_of(const std::string &program) {
  constexpr std::string_view mark = "GLIBC_2.";
  int newest = -1;
  for (std::size_t at = program.find(mark); at != std::string::npos; at = program.find(mark, at + 1)) {
    int minor = -1;
    const char *from = program.data() + at + mark.size();
    std::from_chars(from, program.data() + program.size(), minor);
    newest = std::max(newest, minor);
  }
  return newest < 0 ? "" : fmt::format("2.{}", newest);
}

}  // namespace warpgrade::pack
