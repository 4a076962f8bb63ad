#include "build/clang.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>

#include "base/files.hpp"
#include "build/log.hpp"
#include "ptx/architecture.hpp"
#include "ptx/fatbin.hpp"

namespace warpgrade::build {
namespace fs = std::filesystem;
namespace {

constexpr int oldest_release = 14, newest_tried = 30;

struct Version {
  int release = 0;
  std::string text;  // "14.0"
};

Version clang_version_in(const std::string &words) {  // "Debian clang version 14.0.6"
  constexpr std::string_view sign = "clang version ";
  const std::size_t at = words.find(sign);
  if (at == std::string::npos) return {};
  const std::size_t first = at + sign.size(), dot = words.find('.', first);
  const std::size_t end = words.find_first_not_of("0123456789", dot == std::string::npos ? first : dot + 1);
  Version version{0, words.substr(first, end - first)};
  std::from_chars(version.text.data(), version.text.data() + version.text.size(), version.release);
  return version;
}

std::vector<std::pair<std::string, std::vector<std::byte>>> files_below(const fs::path &folder) {
  std::vector<std::pair<std::string, std::vector<std::byte>>> files;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder))
    if (auto bytes = entry.is_regular_file() ? read_regular(entry.path(), 1 << 20) : std::nullopt)
      files.emplace_back(fs::relative(entry.path(), folder).string(), std::move(*bytes));
  std::sort(files.begin(), files.end());
  return files;
}

/// The newest GPU that this release compiles for and that is not newer than `arch`, "compute_90".
int target_of(const std::string &arch, int release) {
  const int wanted = ptx::Architecture(arch).capability;
  int best = 75;
  for (const int known : {75, 80, 86, 89, 90})
    if (known <= wanted && (known <= 86 || release >= 16)) best = known;
  return best;
}

}  // namespace

std::optional<fs::path> Clang::find(const std::string &path) {
  std::vector<std::string> names = {"clang++"};
  for (int release = newest_tried; release >= oldest_release; --release)
    names.push_back(fmt::format("clang++-{}", release));
  return find_on_path(path, names);
}

Clang::Clang(const sandbox::Sandbox &sandbox, Files files, const Limits &limits,
             std::optional<fs::path> cache)
    : SandboxedFrontEnd(sandbox, files.worker_library, limits, std::move(cache)),
      contained_(sandbox.mode() != sandbox::Sandbox::Mode::none),
      // The folder of the real program, which the sandbox shows; the name tells it that it is a C++ compiler.
      clang_(fs::canonical(files.clang).parent_path() / "clang++"),
      headers_(fs::canonical(files.headers)) {
  if (!fs::exists(clang_)) clang_ = files.clang;
  const std::string words =
      ask_once({"/bin/sh", "-c", "\"$0\" --version && \"$0\" -print-resource-dir", clang_.string()},
               fs::canonical(clang_));
  const Version version = clang_version_in(words);
  if (version.release < oldest_release)
    throw std::runtime_error(fmt::format("{} is not a clang of release {} or later: {}", clang_.string(),
                                         oldest_release, words.substr(0, words.find('\n'))));
  release_ = version.release;
  const std::size_t end = words.find_last_not_of('\n') + 1, begin = words.rfind('\n', end - 1) + 1;
  own_headers_ = fs::path(words.substr(begin, end - begin)) / "include";
  std::string identity = words;
  for (const auto &[name, bytes] : files_below(headers_)) identity += name + '\n' + text_of(bytes);
  identify("clang " + version.text, identity, {fs::canonical(files.clang)});
  key_ = fmt::format("{:016x}", std::hash<std::string>()(identity));
}

std::vector<fs::path> Clang::read_only() const {
  return {};
}

std::vector<std::string> Clang::variables(int target) const {
  return {"PATH=/usr/bin:/bin",
          "CLANG=" + clang_.string(),
          fmt::format("CUDA_HEADERS={}/include", inside_tools),
          "CLANG_HEADERS=" + own_headers_.string(),
          fmt::format("TARGET=sm_{}", target),
          fmt::format("PTX=ptx{}", target > 86 ? 78 : 71)};
}

// What is in the folder counts, not what could be made by now: the folder may be older.
std::vector<std::string> Clang::environment(const Request &request, const fs::path &tools) const {
  std::vector<std::string> all = variables(target_of(request.arch, release_));
  if (fs::exists(tools / "host.pch")) {  // the last of them to be copied
    all.emplace_back("DEVICE_START=-Xclang -include-pch -Xclang cuda/device.pch");
    all.emplace_back("HOST_START=-Xclang -include-pch -Xclang cuda/host.pch");
  }
  return all;
}

namespace {

constexpr const char *files_beforehand[] = {"build/device.pch", "build/host.pch"};

}  // namespace

// clang compares the time of a header with that of the one it has read.
void Clang::lay_out_headers(const fs::path &from, const fs::path &folder) {
  for (const auto &[name, bytes] : files_below(from)) {
    const fs::path to = folder / "include" / name;
    fs::create_directories(to.parent_path());
    write_scratch(to, bytes);
    fs::last_write_time(to, fs::file_time_type(std::chrono::seconds(0)));
  }
}

std::optional<fs::path> Clang::read_beforehand(int target) const {
  if (!contained_) return std::nullopt;
  return made_beforehand(
      fmt::format("headers-{}-{}", key_, target), files_beforehand, [&](const fs::path &work) {
        lay_out_headers(headers_, work / inside_tools);
        fs::create_directories(work / "build");
        std::vector<std::string> given = variables(target);
        given.insert(given.end(), {"BUILD=build", fmt::format("ARCH=compute_{}", target)});
        std::vector<std::string> make = {"/usr/bin/make", "-s", "-j2", "-f",
                                         fmt::format("{}/include/warpgrade/clang.mk", inside_tools)};
        make.insert(make.end(), std::begin(files_beforehand), std::end(files_beforehand));
        ask(make, work, given);
      });
}

void Clang::equip(const Request &request, const fs::path &folder) const {
  lay_out_headers(headers_, folder);
  if (const auto made = read_beforehand(target_of(request.arch, release_)))
    for (const fs::path file : files_beforehand)
      fs::copy_file(*made / file.filename(), folder / file.filename());
}

std::string Clang::target(const Request &request) const {
  return std::to_string(target_of(request.arch, release_));
}

std::string Clang::why_not(const Request &request) const {
  if (!ptx::Architecture(request.arch).exact) return "";
  return fmt::format(
      "{} is compiled for {}, with instructions and headers that only the CUDA Toolkit has (tensor maps, "
      "wgmma): "
      "that needs nvcc of CUDA 12 or newer, but here is {}",
      request.file, request.arch, name());
}

std::string Clang::device_alone() const {
  return R"(make -s -f Makefile BUILD=build "build/$1.device" || exit 10)";
}

std::string Clang::list_headers() const {
  return R"(cat "build/keep/$1"/*.d)";
}

std::string Clang::headers_in(const std::string &list) const {
  return markers_of(list);
}

std::string Clang::with_hints(std::string log) const {
  return explain_missing(log);
}

std::string Clang::why_no_registers() const {
  return "clang generates no machine code: registers and spills are known only with nvcc";
}

void Clang::take_device_code(const Request &request, const fs::path &made, Build &build) const {
  const std::string stem = fs::path(request.file).stem().string();
  if (const auto ptx = device_code(request, made / (stem + ".ptx"), build))
    build.fatbin = ptx::wrap_ptx(*ptx, target_of(request.arch, release_));
}

}  // namespace warpgrade::build
