#include "build/log.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "sandbox/sandbox.hpp"

namespace warpgrade::build {
namespace {

template <typename Each>
void each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    each(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

// The number that ends right before `what`: "  12 bytes spill stores".
std::optional<std::uint64_t> number_before(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t first = at;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
  std::uint64_t number = 0;
  const auto result = std::from_chars(line.data() + first, line.data() + at, number);
  if (result.ec != std::errc() || first == at) return std::nullopt;
  return number;
}

void replace_all(std::string &text, std::string_view what, std::string_view with) {
  if (what.empty()) return;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

// "/tmp/ccdbpSEt.s:4: Error: ..." comes from assembly inside the student's file; the name is another every
// time.
void hide_temporary_names(std::string &text) {
  constexpr std::string_view prefix = "/tmp/cc";
  constexpr std::size_t random = 6;
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos; ++at) {
    if (text.compare(at + prefix.size() + random, 2, ".s") == 0)
      text.replace(at, prefix.size() + random + 2, "assembly");
  }
}

// The word between `before` and the next quote: "use of undeclared identifier 'cudaFoo'".
std::optional<std::string> word_after(std::string_view line, std::string_view before) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t first = at + before.size(), end = line.find('\'', first);
  if (end == std::string_view::npos || end - first > 80) return std::nullopt;
  return std::string(line.substr(first, end - first));
}

bool starts_with_one_of(std::string_view word, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return word.starts_with(beginning); });
}

bool is_toolkit_header(std::string_view name) {
  static constexpr std::string_view beginnings[] = {"cooperative_groups",
                                                    "cuda",
                                                    "cub/",
                                                    "thrust/",
                                                    "cublas",
                                                    "curand",
                                                    "cufft",
                                                    "cusparse",
                                                    "cusolver",
                                                    "cudnn",
                                                    "cute/",
                                                    "cutlass",
                                                    "nv/",
                                                    "nvtx",
                                                    "nvToolsExt",
                                                    "nvrtc",
                                                    "nvml.h",
                                                    "npp",
                                                    "sm_",
                                                    "crt/",
                                                    "device_functions",
                                                    "texture_",
                                                    "surface_",
                                                    "math_constants",
                                                    "vector_",
                                                    "device_",
                                                    "common_functions"};
  return starts_with_one_of(name, beginnings);
}

bool is_cuda_name(std::string_view name) {
  static constexpr std::string_view beginnings[] = {
      "__",      "cuda",   "CUDA", "atomic", "tex1D",  "tex2D", "tex3D", "surf1D", "surf2D",
      "surf3D",  "__half", "half", "nv_",    "nvcuda", "wmma",  "make_", "cg",     "cooperative_groups",
      "CUDART_", "norm",   "rnorm"};
  return starts_with_one_of(name, beginnings);
}

bool is_math_of_nvcc(std::string_view name) {
  static constexpr std::string_view names[] = {"tgamma", "tgammaf", "lgamma", "lgammaf", "j0",  "j0f", "j1",
                                               "j1f",    "jn",      "jnf",    "y0",      "y0f", "y1",  "y1f",
                                               "yn",     "ynf",     "remquo", "remquof", "nan"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// What to say behind a line of clang's; empty for most.
std::string note_on(std::string_view line) {
  constexpr std::string_view missing_file = " file not found", quoted = "fatal error: '";
  if (line.ends_with(missing_file)) {
    const auto header = word_after(line, quoted);
    if (!header || !is_toolkit_header(*header)) return "";
    if (is_library_header(*header))
      return "note: <" + *header + "> belongs to a library; only kernels of your own may be used";
    return "note: the clang front end has no <" + *header + ">; nvcc has it (docs/front-ends.md)";
  }
  for (const std::string_view before :
       {"error: use of undeclared identifier '", "error: unknown type name '", "error: no type named '",
        "error: no template named '", "error: no member named '"})
    if (const auto name = word_after(line, before); name && is_cuda_name(*name))
      return "note: the clang front end has no " + *name +
             "; if it is CUDA's, nvcc has it (docs/front-ends.md)";
  for (const std::string_view before :
       {"error: reference to __host__ function '", "error: no matching function for call to '"})
    if (const auto host = word_after(line, before); host && is_math_of_nvcc(*host))
      return "note: the clang front end has no " + *host +
             " for device code; nvcc has it (docs/front-ends.md)";
  return "";
}

}  // namespace

Resources read_resources(std::string_view log) {
  Resources most;
  each_line(log, [&](std::string_view line) {
    if (line.starts_with("ptxas info")) {
      if (const auto registers = number_before(line, " registers"); registers && *registers < 1024) {
        most.registers = std::max(most.registers.value_or(0), static_cast<int>(*registers));
      }
    }
    const auto stores = number_before(line, " bytes spill stores"),
               loads = number_before(line, " bytes spill loads");
    if (stores && loads) most.spill_bytes = std::max(most.spill_bytes.value_or(0), *stores + *loads);
  });
  return most;
}

std::string readable_log(std::string_view log, const std::string &work, bool truncated) {
  std::string text;
  each_line(log, [&](std::string_view line) {
    const bool figures =
        line.starts_with("ptxas info") || line.find(" bytes stack frame, ") != std::string_view::npos;
    if (figures || line.starts_with("make: ") || line.starts_with("make[")) return;
    text.append(line);
    text += '\n';
  });
  replace_all(text, work + "/", "");
  replace_all(text, std::string(sandbox::inside_directory) + "/", "");
  hide_temporary_names(text);
  if (truncated) text += "... (the rest is left out)\n";
  return text;
}

std::vector<std::string> undefined_functions(std::string_view linker, std::size_t most) {
  constexpr std::string_view sign = "undefined reference to `";
  constexpr std::size_t longest = 512;
  std::vector<std::string> names;
  each_line(linker, [&](std::string_view line) {
    const std::size_t at = line.find(sign), end = line.rfind('\'');
    if (at == std::string_view::npos || end == std::string_view::npos || end <= at + sign.size()) return;
    const std::string name(line.substr(at + sign.size(), std::min(longest, end - at - sign.size())));
    if (names.size() < most && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  });
  return names;
}

std::optional<std::string> library_header(std::string_view preprocessed) {
  constexpr std::array libraries = {"cublas",   "cub/",     "thrust/",   "cutlass",  "cute/",
                                    "cusparse", "cusolver", "cufft",     "curand",   "cudnn",
                                    "nvrtc",    "npp",      "nvjpeg",    "cutensor", "nvblas",
                                    "cudss",    "nvfatbin", "nvJitLink", "cufile"};
  constexpr std::string_view directory = "/include/", nested = "cccl/";
  std::optional<std::string> found;
  // A line marker: # 1 "/usr/local/cuda/include/cublas_v2.h" 1
  for (std::size_t at = 0; !found && (at = preprocessed.find("\n# ", at)) != std::string_view::npos; ++at) {
    const std::string_view line = preprocessed.substr(at + 1, preprocessed.find('\n', at + 1) - at - 1);
    const std::size_t first = line.find('"'), last = line.rfind('"');
    if (first == std::string_view::npos || last <= first) continue;
    std::string_view name = line.substr(first + 1, last - first - 1);
    const std::size_t include = name.rfind(directory);
    if (include == std::string_view::npos) continue;
    name.remove_prefix(include + directory.size());
    if (name.starts_with(nested)) name.remove_prefix(nested.size());
    for (const std::string_view library : libraries) {
      if (name.starts_with(library)) found = std::string(name);
    }
  }
  return found;
}

bool is_library_header(const std::string &name) {
  return library_header("\n# 1 \"/include/" + name + "\"").has_value();
}

std::string clang_says(std::string_view clang, std::string_view nvcc, const std::string &file) {
  // "FILE(12): error: ..." and "FILE:12:7: error: ..."
  const auto first_error = [&](std::string_view log, char after) {
    std::pair<int, std::string> found{0, ""};
    each_line(log, [&](std::string_view line) {
      if (found.first != 0 || !line.starts_with(file + after) ||
          line.find(" error: ") == std::string_view::npos)
        return;
      const char *number = line.data() + file.size() + 1;
      std::from_chars(number, line.data() + line.size(), found.first);
      found.second = line;
    });
    return found;
  };
  const auto [nvccs, words] = first_error(nvcc, '(');
  const auto [clangs, line] = first_error(clang, ':');
  const bool syntax = line.find(" error: expected ") != std::string::npos;
  if (!syntax || nvccs == 0 || clangs == 0 || clangs >= nvccs) return "";
  return "clang says: " + line + "\n";
}

std::string markers_of(std::string_view dependencies) {
  std::string markers;
  std::size_t at = 0;
  while ((at = dependencies.find_first_not_of(" \t\n\\", at)) != std::string_view::npos) {
    const std::size_t end = std::min(dependencies.find_first_of(" \t\n", at), dependencies.size());
    markers += "\n# 1 \"";
    markers += dependencies.substr(at, end - at);
    markers += '"';
    at = end;
  }
  return markers;
}

std::string explain_missing(std::string_view log) {
  std::string text;
  each_line(log, [&](std::string_view line) {
    if (line.find(" generated when compiling for ") != std::string_view::npos) return;
    text.append(line);
    text += '\n';
    if (const std::string note = note_on(line); !note.empty()) text += note + '\n';
  });
  return text;
}

std::optional<Sign> sign_in(std::string_view log) {
  // In this order: a program that got no memory often crashes then, and a driver tells of both.
  constexpr std::pair<const char *, Sign> signs[] = {
      {"No space left on device", Sign::space},
      {"Disk quota exceeded", Sign::stopped},
      {"out of memory", Sign::memory},
      {"memory exhausted", Sign::memory},
      {"std::bad_alloc", Sign::memory},
      {"annot allocate memory", Sign::memory},
      {"memory allocation failure", Sign::memory},
      {"File size limit exceeded", Sign::file_size},
      {"File too large", Sign::file_size},
      {"signal 25", Sign::file_size},
      {"CPU time limit exceeded", Sign::time},
      {"signal 24", Sign::time},
      // Of make, a shell, clang, g++ and nvcc.
      {"] Killed", Sign::stopped},
      {"Error 137", Sign::stopped},
      {"unable to execute command: Killed", Sign::stopped},
      {"Killed signal terminated program", Sign::stopped},
      {"died due to signal 9", Sign::stopped},
      {"died with signal 9", Sign::stopped},
      // The same of a machine that ends processes politely: a user-space watcher of memory, a batch system.
      {"] Terminated", Sign::stopped},
      {"Error 143", Sign::stopped},
      {"unable to execute command: Terminated", Sign::stopped},
      {"Terminated signal terminated program", Sign::stopped},
      {"died due to signal 15", Sign::stopped},
      {"died with signal 15", Sign::stopped},
      {"unable to execute command: ", Sign::crash},
      {"signal terminated program", Sign::crash},
      {"died due to signal", Sign::crash},
      {"internal compiler error", Sign::crash},
      {"PLEASE submit a bug report", Sign::crash},
      {"] Segmentation fault", Sign::crash},
      {"] Aborted", Sign::crash},
      {"] Bus error", Sign::crash},
  };
  for (const auto &[words, sign] : signs)
    if (log.find(words) != std::string_view::npos) return sign;
  // All that dash says of a compiler that was its child.
  bool killed = false;
  each_line(log, [&](std::string_view line) { killed = killed || line == "Killed" || line == "Terminated"; });
  return killed ? std::optional(Sign::stopped) : std::nullopt;
}

}  // namespace warpgrade::build
