#include "build/nvcc.hpp"

#include <algorithm>

#include "build/files.hpp"
#include "build/log.hpp"

namespace warpgrade::build {
namespace fs = std::filesystem;
namespace {

std::string version_in(const std::string &text) {  // "... release 13.0, V13.0.88"
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
      nvcc_(fs::canonical(files.nvcc)) {
  const std::string words = ask_once({nvcc_.string(), "--version"}, nvcc_);
  const std::string version = version_in(words);
  if (version.empty())
    throw std::runtime_error(nvcc_.string() + " --version does not say which it is: " + words);
  identify("nvcc " + version, words, {nvcc_});
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
  return {"PATH=/usr/bin:/bin:" + nvcc_.parent_path().string(), "CLANG=", "NVCC=" + nvcc_.string(),
          "SASS=" + request.sass};
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

void Nvcc::read_resources(const Request &request, const std::string &log, Build &build) const {
  if (request.sass.empty()) return;
  const Resources resources = build::read_resources(log);
  build.registers = resources.registers;
  build.spill_bytes = resources.spill_bytes;
}

void Nvcc::take_device_code(const Request &request, const fs::path &made, Build &build) const {
  const std::string stem = fs::path(request.file).stem().string();
  if (auto bytes = device_code(request, made / (stem + ".fatbin"), build)) build.fatbin = std::move(*bytes);
}

}  // namespace warpgrade::build
