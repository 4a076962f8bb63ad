// What the end of a build means: whose failure it is, and in which words.
#include <fmt/format.h>

#include "base/files.hpp"
#include "build/beginners.hpp"
#include "build/log.hpp"
#include "build/recipe.hpp"
#include "build/sandboxed.hpp"
#include "build/source_text.hpp"
#include "build/symbols.hpp"
#include "plan/signature.hpp"

namespace warpgrade::build {
namespace fs = std::filesystem;
namespace {

using sandbox::Outcome;

// A machine with less than this to give, at any moment of a build, may have stopped it.
constexpr std::uint64_t little_memory = std::uint64_t{512} << 20, little_space = std::uint64_t{128} << 20;

/// Why the machine may have stopped a build; empty when it had enough of everything.
std::string shortage(const Outcome::Machine &machine, bool on_disk) {
  if (machine.killed_for_memory) return "it had no memory left, and the kernel killed processes";
  if (machine.least_memory < little_memory)
    return fmt::format("it had {} MiB of memory left", machine.least_memory >> 20);
  if (on_disk && machine.least_space < little_space)
    return fmt::format("the folder for temporary files (TMPDIR) had room for {} MiB",
                       machine.least_space >> 20);
  return "";
}

void blame_machine(const Request &request, const std::string &why, Build &build) {
  build.reason = Reason::our_failure;
  build.try_again = true;
  build.message = fmt::format(
      "this machine stopped the build of {}, which says nothing about the file: {}. Grade it again when the "
      "machine has recovered",
      request.file, why);
}

std::string with_words(const std::string &sentence, const std::string &words) {
  return words.empty() ? sentence : sentence + ". " + words;
}

}  // namespace

Build refuse_header(const Request &request, const std::string &header, int line, const std::string &log) {
  Build build;
  build.reason = Reason::compile_error;
  build.message = fmt::format("{} includes <{}>, which belongs to a library", request.file, header);
  build.log = fmt::format("{}{}: error: <{}> belongs to a library; only kernels of your own may be used\n{}",
                          request.file, line > 0 ? fmt::format(":{}", line) : "", header, log);
  return build;
}

// Where nothing bounds what a build writes, it does not begin on a disk that it could fill.
bool SandboxedFrontEnd::refuse_full_disk(const Request &request, const fs::path &scratch,
                                         Build &build) const {
  std::error_code unknown;
  const Outcome::Machine machine{.least_space = fs::space(scratch, unknown).available};
  if (unknown || sandbox_.bounds_space() || shortage(machine, true).empty()) return false;
  blame_machine(request, shortage(machine, true), build);
  return true;
}

// What the sandbox's end means.
void SandboxedFrontEnd::judge(const Request &request, const Outcome &outcome, const fs::path &work,
                              Build &build) const {
  build.charged_seconds = outcome.cpu_seconds;
  build.log = with_hints(readable_log(outcome.output, work.string(), outcome.truncated));
  const fs::path made = work / results;
  const auto end = [&](Reason reason, std::string message) {
    build.reason = reason;
    build.message = std::move(message);
  };
  if (outcome.starved)
    return blame_machine(request,
                         fmt::format("it was too busy to give it {:g} s of a processor within {:.0f} s",
                                     limits_.wall_seconds / 2, outcome.seconds),
                         build);
  if (outcome.end == Outcome::End::wall_limit || outcome.end == Outcome::End::cpu_limit)
    return end(Reason::limit, beyond("time", request));
  if (outcome.end == Outcome::End::memory_limit) return end(Reason::limit, beyond("memory", request));
  if (outcome.end == Outcome::End::signalled)
    return blame_machine(request, fmt::format("something killed it (signal {})", outcome.code), build);
  if (outcome.end != Outcome::End::exited)
    return end(Reason::our_failure, "the compiler could not be started");
  if (refuse_headers(request, made, build)) return;
  const bool failed = outcome.code >= compile_failed && outcome.code <= link_failed;
  if (failed && judge_stop(request, outcome, made, build)) return;
  switch (outcome.code) {
    case compiled:
      break;
    case compile_failed:
      build.log += second_opinion(request, work, build.log);
      return end(Reason::compile_error,
                 with_words(request.file + " does not compile",
                            in_plain_words(build.log,
                                           text_of(read_regular(work / request.file, limits_.source_bytes)),
                                           request.file)));
    case link_failed:
      return judge_link(request, made, build);
    case merge_failed:
    case objcopy_failed:
      return end(Reason::compile_error, request.file + " compiles to an object that cannot be linked");
    case results_lost:
      return blame_machine(request, "the folder for temporary files (TMPDIR) has no room for what was built",
                           build);
    default:
      return end(Reason::our_failure, fmt::format("the build ended with exit status {}", outcome.code));
  }
  read_resources(request, outcome.output, build);
  take_device_code(request, made, build);
  if (build.fatbin.empty()) return;
  build.ok = true;
  build.reason = Reason::none;
  read_device_code(build, request.file, request.arch, limits_);
}

bool SandboxedFrontEnd::refuse_headers(const Request &request, const fs::path &made, Build &build) const {
  const std::string list = text_of(read_regular(made / "headers", most_headers + 1));
  if (list.size() > most_headers) {
    build.reason = Reason::limit;
    build.message =
        fmt::format("the names of what {} includes take more than {} MiB", request.file, most_headers >> 20);
    return true;
  }
  const std::optional<std::string> header = library_header("\n" + headers_in(list));
  if (!header) return false;
  int line = 0;
  for (const Include &include : includes_of(text_of(read_regular(request.source, limits_.source_bytes))))
    if (line == 0 && is_library_header(include.name)) line = include.line;
  build = refuse_header(request, *header, line, build.log);
  return true;
}

// Whether a build failed because something stopped it: a limit, which is the file's doing when the machine
// had all of it to give, or the machine.
bool SandboxedFrontEnd::judge_stop(const Request &request, const Outcome &outcome, const fs::path &made,
                                   Build &build) const {
  const std::string linker = text_of(read_regular(made / "link.log", limits_.file_bytes));
  const std::optional<Sign> sign = sign_in(outcome.output + linker);
  const bool on_disk = !sandbox_.bounds_space();
  const std::string lacking = shortage(outcome.machine, on_disk);
  // What was cut may have been a sign, and a linker whose disk is full cannot write one down.
  const bool explained = linker.find("undefined reference") != std::string::npos ||
                         linker.find("relocation truncated") != std::string::npos;
  const bool wordless = outcome.truncated || (outcome.code != compile_failed && !explained);
  if (!sign && (lacking.empty() || !wordless)) return false;
  const auto limit = [&](const char *which) {
    build.reason = Reason::limit;
    build.message = beyond(which, request);
  };
  if (sign == Sign::file_size) {
    limit("size");
  } else if (sign == Sign::time) {
    limit("time");
  } else if (sign == Sign::space && !on_disk) {
    limit("space");  // it has a file system of its own
  } else if (!lacking.empty()) {
    blame_machine(request, lacking, build);
  } else if (sign == Sign::memory) {
    limit("memory");
  } else if (sign == Sign::stopped) {
    blame_machine(request, "something killed the compiler, or a disk quota is used up", build);
  } else if (sign == Sign::crash) {
    build.reason = Reason::compiler_crash;
    build.try_again = true;
    build.message = request.file + " makes the compiler crash";
  } else {
    return false;  // the disk had room: a file said so
  }
  return true;
}

std::string SandboxedFrontEnd::beyond(const std::string &limit, const Request &request) const {
  if (limit == "memory") {
    return fmt::format("the compiler needs more than {} MiB of memory for {}", limits_.memory_bytes >> 20,
                       request.file);
  }
  if (limit == "size")
    return fmt::format("the compiler writes more than {} MiB for {}", limits_.file_bytes >> 20, request.file);
  if (limit == "space")
    return fmt::format("the compiler writes more than {} MiB for {}, all files together",
                       limits_.scratch_bytes >> 20, request.file);
  return fmt::format("compiling {} took longer than {} s", request.file, limits_.wall_seconds);
}

void SandboxedFrontEnd::judge_link(const Request &request, const fs::path &made, Build &build) const {
  const plan::Signature signature(request.parameters);
  const Symbols symbols = read_symbols(text_of(read_regular(made / "symbols", limits_.file_bytes)));
  if (!defines(symbols, plan::mangled_entry(signature, request.entry))) {
    build.reason = Reason::missing_entry;
    build.message =
        missing_entry(symbols, request.file, request.entry, plan::declaration(signature, request.entry));
    return;
  }
  constexpr std::size_t most = 20;
  const std::string linker = text_of(read_regular(made / "link.log", limits_.file_bytes));
  const std::vector<std::string> undefined = undefined_functions(linker, most);
  for (const std::string &name : undefined) {
    build.log +=
        fmt::format("{}: error: {} is not defined here, and no library but the CUDA runtime may be used\n",
                    request.file, name);
  }
  build.reason = Reason::compile_error;
  if (!undefined.empty()) {
    build.message = request.file + " uses functions that it may not use or that do not exist";
  } else if (linker.find("relocation truncated to fit") != std::string::npos) {
    build.message = request.file + " has more static data than a program can hold (2 GiB)";
  } else {
    build.message = request.file + " compiles to an object that cannot be linked";
  }
}

std::optional<std::vector<std::byte>> SandboxedFrontEnd::device_code(const Request &request,
                                                                     const fs::path &file,
                                                                     Build &build) const {
  auto bytes = read_regular(file, limits_.device_code_bytes);
  if (bytes && !bytes->empty()) return bytes;
  std::error_code none;
  const bool large = !bytes && fs::is_regular_file(fs::symlink_status(file, none));
  build.reason = large ? Reason::limit : Reason::our_failure;
  build.message = large ? fmt::format("the device code of {} is larger than {} MiB", request.file,
                                      limits_.device_code_bytes >> 20)
                        : "the compiler kept no device code where the Makefile should put it";
  return std::nullopt;
}

}  // namespace warpgrade::build
