#include "build/nvcc.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "build/clang.hpp"
#include "build/log.hpp"
#include "ptx/fatbin.hpp"
#include "ptx/sass.hpp"
#include "sandbox/sandbox.hpp"

namespace warpgrade::build {
namespace fs = std::filesystem;
namespace {

std::string nvcc_version_in(const std::string &text) {  // "... release 13.0, V13.0.88"
  const std::size_t at = text.find("release ");
  return at == std::string::npos ? "" : text.substr(at + 8, text.find(',', at) - at - 8);
}

}  // namespace

std::optional<fs::path> Nvcc::find(const std::string &path, const std::string &cuda_home) {
  std::string places = path + ":/usr/local/cuda/bin";
  if (!cuda_home.empty()) places.insert(0, (fs::path(cuda_home) / "bin").string() + ":");
  const auto found = find_on_path(places, {"nvcc"});
  return found ? std::optional(fs::canonical(*found)) : std::nullopt;
}

Nvcc::Nvcc(const sandbox::Sandbox &sandbox, Files files, const Limits &limits, std::optional<fs::path> cache)
    : SandboxedFrontEnd(sandbox, files.worker_library, limits, std::move(cache)),
      nvcc_(fs::canonical(files.nvcc)),
      clang_(files.clang),
      clang_headers_(files.clang_headers) {
  const std::string words = ask_once({nvcc_.string(), "--version"}, nvcc_);
  const std::string version = nvcc_version_in(words);
  if (version.empty())
    throw std::runtime_error(nvcc_.string() + " --version does not say which it is: " + words);
  std::vector<fs::path> compilers = {nvcc_};
  if (!clang_.empty()) compilers.push_back(fs::canonical(clang_));
  identify("nvcc " + version, words, compilers);
}

// The toolkit's root when it lies outside what the sandbox shows of /usr anyway.
std::vector<fs::path> Nvcc::read_only() const {
  for (const char *shown : {"/usr/bin", "/usr/lib"}) {
    const fs::path prefix = shown;
    if (std::mismatch(prefix.begin(), prefix.end(), nvcc_.begin(), nvcc_.end()).first == prefix.end())
      return {};
  }
  return {nvcc_.parent_path().parent_path()};
}

std::vector<std::string> Nvcc::environment(const Request &request, const fs::path &) const {
  // Lines of the launcher, for messages about a call that it makes: a jump in place of a last call would hide
  // where it came from. With two threads, nvcc parses the file for the host and for the device side by side.
  return {"PATH=/usr/bin:/bin:" + nvcc_.parent_path().string(), "CLANG=", "NVCC=" + nvcc_.string(),
          "SASS=" + request.sass,
          "NVCC_APPEND_FLAGS=--threads 2 -Xcompiler -g1,-fno-optimize-sibling-calls,-fno-working-directory"};
}

// With --extended-lambda, cuda_runtime.h includes <functional>, and with it containers and algorithms, which each of
// nvcc's three parsers reads: a third of the time of a compilation. Without it, a marked lambda is an error, as is
// the use of what only <functional> brings; then the Makefile's own way decides, and its words are shown. Syntax
// errors are the same either way.
std::string Nvcc::try_first() const {
  return R"sh(grep -qs EXTENDED_LAMBDA Makefile || return 1
! grep -Eqs 'EXTENDED_LAMBDA|\][[:space:]]*(\([^()]*\))?[[:space:]]*__(device|host)__' "$1.cu" || return 1
if make -s -f Makefile BUILD=build EXTENDED_LAMBDA= "build/$1.o" > build/first.log 2>&1 ||
  { grep -qs ': error: expected ' build/first.log && ! grep ': error' build/first.log | grep -qv ': error: expected '; }; then
  cat build/first.log
  [ -e "build/$1.o" ] && return || exit 10
fi
rm -rf build/first.log "build/$1.o" "build/keep/$1"
mkdir -p "build/keep/$1"
return 1)sh";
}

// nvcc copies inline assembly into the PTX unread. Where no machine code is made, ptxas is asked whether it
// is PTX at all: garbage is the student's mistake and nothing that the simulator has to explain.
std::string Nvcc::after_make() const {
  return R"(if [ -z "$SASS" ] && grep -qs "begin inline asm" "build/keep/$1/$1.ptx"; then
  ptxas -O0 -arch "sm_${ARCH#compute_}" -o /dev/null "build/keep/$1/$1.ptx" || exit 10
fi
)";
}

std::string Nvcc::list_headers() const {
  return R"(grep -ahs "^# " "build/keep/$1"/*.ii)";
}

// nvcc names the line behind a missing semicolon.
std::string Nvcc::second_opinion(const Request &request, const fs::path &work, const std::string &log) const {
  if (clang_.empty() || log.find("error: expected ") == std::string::npos) return "";
  try {
    Clang::lay_out_headers(clang_headers_, work / "clang");
    const std::string script =
        "\"$0\" -x cuda -std=c++17 --cuda-host-only -fsyntax-only --cuda-gpu-arch=sm_80 "
        "--cuda-path=/nonexistent "
        "-nocudainc -nocudalib -nobuiltininc -isystem clang/include "
        "-isystem \"$(\"$0\" -print-resource-dir)/include\" -Xclang -target-sdk-version=11.5 "
        "-include cuda_runtime.h \"$1\"";
    return clang_says(words_of({"/bin/sh", "-c", script, clang_.string(), request.file}, work), log,
                      request.file);
  } catch (const std::exception &) {
    return "";  // nvcc's words are enough
  }
}

void Nvcc::read_resources(const Request &request, const std::string &log, Build &build) const {
  if (request.sass.empty()) return;
  const Resources resources = build::read_resources(log);
  build.registers = resources.registers;
  build.spill_bytes = resources.spill_bytes;
}

// What nvcc itself would make of this PTX, in a fifth of the time of another build.
Build Nvcc::with_machine_code(Build build, const std::string &sm) const try {
  const std::vector<ptx::Image> images = ptx::read_fatbin(build.fatbin);
  const auto text = std::find_if(images.begin(), images.end(),
                                 [](const ptx::Image &i) { return i.kind == ptx::Image::Kind::ptx; });
  if (!build.ok || text == images.end()) return build;
  const Scratch work;
  write_scratch(work.path() / "kernels.ptx", text->bytes);
  const auto log =
      run_tool({"ptxas", "-v", "--generate-line-info", "-arch=" + sm, "-o", "kernels.cubin", "kernels.ptx"},
               work.path(), {"PATH=/usr/bin:/bin:" + nvcc_.parent_path().string()});
  auto bytes = log ? read_regular(work.path() / "kernels.cubin", limits().file_bytes) : std::nullopt;
  if (!bytes) return build;
  const int number = std::stoi(sm.substr(sm.find_first_of("0123456789")));
  build.machine_code =
      ptx::read_machine_code({ptx::Image::Kind::elf, number, "kernels.cubin", std::move(*bytes)});
  const Resources resources = build::read_resources(*log);
  build.registers = resources.registers;
  build.spill_bytes = resources.spill_bytes;
  for (plan::KernelLayout &kernel : build.kernels)
    kernel.registers = static_cast<std::uint32_t>(resources.registers.value_or(0));
  return build;
} catch (const std::exception &) {
  return build;  // not for this GPU
}

void Nvcc::take_device_code(const Request &request, const fs::path &made, Build &build) const {
  const std::string stem = fs::path(request.file).stem().string();
  if (auto bytes = device_code(request, made / (stem + ".fatbin"), build)) build.fatbin = std::move(*bytes);
}

}  // namespace warpgrade::build
