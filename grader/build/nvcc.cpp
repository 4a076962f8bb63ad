#include "build/nvcc.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "build/files.hpp"
#include "build/log.hpp"
#include "build/symbols.hpp"
#include "plan/signature.hpp"
#include "plan/wire.hpp"
#include "ptx/fatbin.hpp"

namespace warpgrade::build {
namespace fs = std::filesystem;
namespace {

using sandbox::Outcome;

constexpr std::uint64_t our_files = std::uint64_t{256} << 20;  // no limit, but no accident either

// Everything that runs in the sandbox, in one start of it. $1 is the stem of the course's file name, $2 the
// mangled entry; both are the course's. The exit status says which step failed.
//   nvcc copies inline assembly into the PTX unread. Where no machine code is made, ptxas is asked whether
//   it is PTX at all: garbage is the student's mistake and nothing that the simulator has to explain.
//   ld -r merges COMDAT groups, so that objcopy can make every symbol but the entry local: a student's own
//   main, cudaMalloc or operator new then stays inside.
//   muldefs: objcopy leaves unique symbols (STB_GNU_UNIQUE, static members of library templates) global, and
//   std::to_string in the student's file then meets the worker library's. Either definition will do.
constexpr const char *recipe = R"(
make -s -f Makefile BUILD=build "build/$1.o" NVCC="$NVCC" ARCH="$ARCH" SASS="$SASS" || exit 10
if [ -z "$SASS" ] && grep -qs "begin inline asm" "build/keep/$1/$1.ptx"; then
  ptxas -O0 -arch "sm_${ARCH#compute_}" -o /dev/null "build/keep/$1/$1.ptx" || exit 10
fi
exec 2> build/link.log
ld -r --force-group-allocation -o build/merged.o "build/$1.o" || exit 11
objcopy --redefine-sym "$2=warpgrade_entry" --keep-global-symbol=warpgrade_entry build/merged.o build/entry.o || exit 12
g++ -static -fno-lto -s -Wl,-z,muldefs -o build/worker build/entry.o libwarpgrade_worker.a && exit 0
nm -P build/merged.o > build/symbols
exit 13
)";
constexpr const char *tools[] = {"/usr/bin/sh", "/usr/bin/make",    "/usr/bin/g++",
                                 "/usr/bin/ld", "/usr/bin/objcopy", "/usr/bin/nm"};
enum Status { compiled = 0, compile_failed = 10, merge_failed = 11, objcopy_failed = 12, link_failed = 13 };

std::string text_of(const std::optional<std::vector<std::byte>> &bytes) {
  return bytes ? std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size()) : std::string();
}

void put_identity(plan::Writer &to, const fs::path &tool) {
  struct stat facts {};
  to.put_string(tool.string());
  if (::stat(tool.c_str(), &facts) != 0) return;
  to.put<std::int64_t>(facts.st_size);
  to.put<std::int64_t>(facts.st_mtim.tv_sec);
  to.put<std::int64_t>(facts.st_mtim.tv_nsec);
}

Build failed(Reason reason, std::string message) {
  Build build;
  build.reason = reason;
  build.message = std::move(message);
  return build;
}

std::string version_in(const std::string &text) {  // "... release 13.0, V13.0.88"
  const std::size_t at = text.find("release ");
  return at == std::string::npos ? "" : text.substr(at + 8, text.find(',', at) - at - 8);
}

}  // namespace

/// Everything that goes into a build.
struct Nvcc::Inputs {
  std::vector<std::pair<std::string, std::vector<std::byte>>> files;  // the starter's
  std::optional<std::vector<std::byte>> source;
};

std::optional<fs::path> Nvcc::find(const std::string &path, const std::string &cuda_home) {
  std::vector<fs::path> places;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find(':', from), path.size());
    if (end > from) places.emplace_back(path.substr(from, end - from));
    from = end + 1;
  }
  if (!cuda_home.empty()) places.insert(places.begin(), fs::path(cuda_home) / "bin");
  places.emplace_back("/usr/local/cuda/bin");
  for (const fs::path &place : places) {
    std::error_code ignored;
    if (fs::is_regular_file(place / "nvcc", ignored)) return fs::canonical(place / "nvcc");
  }
  return std::nullopt;
}

Nvcc::Nvcc(const sandbox::Sandbox &sandbox, Files files, const Limits &limits, std::optional<fs::path> cache)
    : sandbox_(sandbox), files_(std::move(files)), limits_(limits) {
  files_.nvcc = fs::canonical(files_.nvcc);
  root_ = files_.nvcc.parent_path().parent_path();
  if (cache) cache_.emplace(*cache);
  const auto library = read_file(fs::canonical(files_.worker_library), our_files);
  if (!library) throw std::runtime_error("cannot read " + files_.worker_library.string());

  for (const char *tool : tools) {
    if (!fs::exists(tool))
      throw std::runtime_error(std::string(tool) + " is not there; `apt-get install build-essential`");
  }
  sandbox::Command command;
  command.arguments = {files_.nvcc.string(), "--version"};
  command.read_only = toolkit();
  const Outcome outcome = sandbox_.run(command);
  const std::string version = version_in(outcome.output);
  if (!outcome.ok() || version.empty()) {
    throw std::runtime_error(files_.nvcc.string() +
                             " --version does not run in the sandbox: " + outcome.output);
  }
  name_ = "nvcc " + version;

  plan::Writer identity;
  identity.put_string("warpgrade build 2");
  identity.put_string(outcome.output);
  identity.put_string(recipe);
  for (const fs::path &tool :
       {files_.nvcc, fs::path("/usr/bin/g++"), fs::path("/usr/bin/ld"), fs::path("/usr/bin/objcopy")}) {
    put_identity(identity, tool);
  }
  identity.put_bytes(*library);
  identity_ = identity.bytes();
}

// The toolkit's root when it lies outside what the sandbox shows of /usr anyway.
std::vector<fs::path> Nvcc::toolkit() const {
  for (const char *shown : {"/usr/bin", "/usr/lib"}) {
    const fs::path prefix = shown;
    if (std::mismatch(prefix.begin(), prefix.end(), files_.nvcc.begin(), files_.nvcc.end()).first ==
        prefix.end()) {
      return {};
    }
  }
  return {root_};
}

Nvcc::Inputs Nvcc::read_inputs(const Request &request) const {
  Inputs inputs;
  for (const fs::path &name : support_files(request.starter)) {  // in order: the cache compares them so
    auto bytes = read_file(fs::canonical(request.starter / name), our_files);
    if (bytes) inputs.files.emplace_back(name.string(), std::move(*bytes));
  }
  for (const auto &[name, path] : request.headers) {
    auto bytes = read_file(path, limits_.source_bytes);
    if (!bytes) continue;
    const auto same = std::find_if(inputs.files.begin(), inputs.files.end(),
                                   [&, &name = name](const auto &file) { return file.first == name; });
    if (same != inputs.files.end())
      same->second = std::move(*bytes);
    else
      inputs.files.emplace_back(name, std::move(*bytes));
  }
  inputs.source = read_file(request.source, limits_.source_bytes);
  return inputs;
}

// Everything that the result depends on.
std::vector<std::byte> Nvcc::cache_key(const Request &request, const Inputs &inputs,
                                       const std::string &entry) const {
  plan::Writer key;
  key.put_bytes(identity_);
  for (const std::string &text : {request.file, entry, request.arch, request.sass}) key.put_string(text);
  for (const std::uint64_t number : {limits_.memory_bytes, limits_.file_bytes, limits_.device_code_bytes,
                                     limits_.device_variable_bytes, limits_.log_bytes}) {
    key.put(number);
  }
  for (const auto &[name, bytes] : inputs.files) {
    key.put_string(name);
    key.put_bytes(bytes);
  }
  key.put_bytes(*inputs.source);
  return key.bytes();
}

// Why there is nothing to compile; nothing when there is.
std::optional<Build> Nvcc::refuse_inputs(const Request &request, const Inputs &inputs) const {
  if (plan::find_signature(request.problem) == nullptr) {
    return failed(Reason::our_failure, "no launcher is known for the problem " + request.problem);
  }
  const auto is_makefile = [](const auto &file) { return file.first == "Makefile"; };
  if (std::none_of(inputs.files.begin(), inputs.files.end(), is_makefile)) {
    return failed(Reason::our_failure, "the starter " + request.starter.string() + " has no Makefile");
  }
  if (inputs.source) return std::nullopt;
  std::error_code none;
  const bool large = fs::is_regular_file(fs::symlink_status(request.source, none)) &&
                     fs::file_size(request.source, none) > limits_.source_bytes;
  const bool other = fs::exists(fs::symlink_status(request.source, none));
  if (!large) {
    return failed(Reason::missing_file,
                  request.file + (other ? " is no regular file that can be read (a link or a folder?)"
                                        : " is not there"));
  }
  return failed(Reason::limit, fmt::format("{} is larger than {} bytes", request.file, limits_.source_bytes));
}

Build Nvcc::build_anew(const Request &request, const Inputs &inputs, const std::string &entry) const {
  const auto scratch = std::make_shared<sandbox::Scratch>();
  for (const auto &[name, bytes] : inputs.files) write_file(scratch->path() / name, bytes);
  write_file(scratch->path() / request.file, *inputs.source);
  fs::copy_file(files_.worker_library, scratch->path() / "libwarpgrade_worker.a");
  Build build;
  judge(request, compile(request, scratch->path(), entry), scratch->path(), build);
  if (build.ok) {
    build.worker = scratch->path() / "build" / "worker";
    build.keeps_worker = scratch;
  }
  return build;
}

Build Nvcc::build(const Request &request) const try {
  const auto start = std::chrono::steady_clock::now();
  const auto finish = [&](Build build) {
    build.front_end = name_;
    build.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return build;
  };
  const Inputs inputs = read_inputs(request);
  if (std::optional<Build> refused = refuse_inputs(request, inputs)) return finish(std::move(*refused));
  const std::string entry = plan::mangled_entry(*plan::find_signature(request.problem), request.entry);
  const std::vector<std::byte> key = cache_key(request, inputs, entry);
  if (std::optional<Build> cached = cache_ ? cache_->find(key) : std::nullopt) {
    if (cached->ok) read_device_code(*cached, request.arch, limits_);
    return finish(std::move(*cached));
  }
  Build build = build_anew(request, inputs, entry);
  const bool lasting =
      build.ok || build.reason == Reason::compile_error || build.reason == Reason::missing_entry;
  if (cache_ && lasting) cache_->keep(key, build);
  return finish(std::move(build));
} catch (const std::exception &e) {
  Build build = failed(Reason::our_failure, std::string("the build could not be run: ") + e.what());
  build.front_end = name_;
  return build;
}

Outcome Nvcc::compile(const Request &request, const fs::path &work, const std::string &entry) const {
  sandbox::Command command;
  command.arguments = {"/usr/bin/sh", "-c", recipe, "sh", fs::path(request.file).stem().string(), entry};
  command.environment = {"PATH=/usr/bin:/bin:" + files_.nvcc.parent_path().string(),
                         "LC_ALL=C",
                         "HOME=/nonexistent",
                         "NVCC=" + files_.nvcc.string(),
                         "ARCH=" + request.arch,
                         "SASS=" + request.sass};
  command.work = work;
  command.read_only = toolkit();
  command.limits.wall_seconds = limits_.wall_seconds;
  command.limits.cpu_seconds = static_cast<std::uint32_t>(limits_.wall_seconds) + 1;
  command.limits.memory_bytes = limits_.memory_bytes;
  command.limits.file_bytes = limits_.file_bytes;
  command.limits.processes = limits_.processes;
  command.limits.output_bytes = limits_.log_bytes;
  return sandbox_.run(command);
}

// What the sandbox's end means.
void Nvcc::judge(const Request &request, const Outcome &outcome, const fs::path &work, Build &build) const {
  build.log = readable_log(outcome.output, work.string(), outcome.truncated);
  const auto end = [&](Reason reason, std::string message) {
    build.reason = reason;
    build.message = std::move(message);
  };
  if (outcome.end == Outcome::End::wall_limit || outcome.end == Outcome::End::cpu_limit) {
    return end(Reason::limit, beyond("time", request));
  }
  if (outcome.end != Outcome::End::exited)
    return end(Reason::our_failure, "the compiler could not be started");
  if (const auto header = forbidden_header(work / "build" / "keep" / fs::path(request.file).stem())) {
    build.log = fmt::format("{}: error: <{}> belongs to a library; only kernels of your own may be used\n{}",
                            request.file, *header, build.log);
    return end(Reason::compile_error,
               fmt::format("{} includes <{}>, which belongs to a library", request.file, *header));
  }
  switch (outcome.code) {
    case compiled:
      break;
    case compile_failed:
      if (const auto limit = limit_in(build.log)) return end(Reason::limit, beyond(*limit, request));
      return end(Reason::compile_error, request.file + " does not compile");
    case link_failed:
      return judge_link(request, work, build);
    case merge_failed:
    case objcopy_failed:
      return end(Reason::compile_error, request.file + " compiles to an object that cannot be linked");
    default:
      return end(Reason::our_failure, fmt::format("the build ended with exit status {}", outcome.code));
  }
  const Resources resources = request.sass.empty() ? Resources{} : read_resources(outcome.output);
  build.registers = resources.registers;
  build.spill_bytes = resources.spill_bytes;
  take_products(request, work, build);
}

std::string Nvcc::beyond(const std::string &limit, const Request &request) const {
  if (limit == "memory") {
    return fmt::format("the compiler needs more than {} MiB of memory for {}", limits_.memory_bytes >> 20,
                       request.file);
  }
  if (limit == "size")
    return fmt::format("the compiler writes more than {} MiB for {}", limits_.file_bytes >> 20, request.file);
  return fmt::format("compiling {} took longer than {} s", request.file, limits_.wall_seconds);
}

std::optional<std::string> Nvcc::forbidden_header(const fs::path &kept) const {
  std::error_code none;
  for (const fs::directory_entry &entry : fs::directory_iterator(kept, none)) {
    if (entry.path().extension() != ".ii") continue;
    if (auto header = library_header(text_of(read_file(entry.path(), limits_.file_bytes)))) return header;
  }
  return std::nullopt;
}

void Nvcc::judge_link(const Request &request, const fs::path &work, Build &build) const {
  const plan::Signature &signature = *plan::find_signature(request.problem);
  const Symbols symbols = read_symbols(text_of(read_file(work / "build" / "symbols", limits_.file_bytes)));
  if (!defines(symbols, plan::mangled_entry(signature, request.entry))) {
    build.reason = Reason::missing_entry;
    build.message =
        missing_entry(symbols, request.file, request.entry, plan::declaration(signature, request.entry));
    return;
  }
  constexpr std::size_t most = 20;
  const std::string linker = text_of(read_file(work / "build" / "link.log", limits_.file_bytes));
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

void Nvcc::take_products(const Request &request, const fs::path &work, Build &build) const {
  const std::string stem = fs::path(request.file).stem().string();
  const fs::path fatbin = work / "build" / "keep" / stem / (stem + ".fatbin");
  auto bytes = read_file(fatbin, limits_.device_code_bytes);
  if (!bytes) {
    std::error_code none;
    const bool large = fs::is_regular_file(fs::symlink_status(fatbin, none));
    build.reason = large ? Reason::limit : Reason::our_failure;
    build.message = large ? fmt::format("the device code of {} is larger than {} MiB", request.file,
                                        limits_.device_code_bytes >> 20)
                          : "the compiler kept no fat binary where the Makefile should put it";
    return;
  }
  build.fatbin = std::move(*bytes);
  build.ok = true;
  build.reason = Reason::none;
  read_device_code(build, request.arch, limits_);
}

}  // namespace warpgrade::build
