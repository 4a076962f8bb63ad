#include "doctor/machine_facts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>

#include "build/clang.hpp"
#include "build/nvcc.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"

namespace warpgrade::doctor {

namespace fs = std::filesystem;

namespace {

Folder folder(std::string name, const fs::path &path) {
  Folder f{std::move(name), path.string()};
  f.writable = ::access(path.c_str(), W_OK) == 0;
  struct statvfs facts {};
  if (::statvfs(path.c_str(), &facts) != 0) return f;
  f.runs_programs = (facts.f_flag & ST_NOEXEC) == 0;
  f.free_bytes = static_cast<std::uint64_t>(facts.f_bavail) * facts.f_frsize;
  f.free_files =
      facts.f_files == 0 ? ~std::uint64_t{0} : facts.f_favail;  // some file systems do not count them
  return f;
}

void look_at_folders(MachineFacts &m) {
  std::error_code error;
  m.here = fs::current_path(error).string();
  m.folders.push_back(folder("this folder", error ? "." : m.here));
  const fs::path temporary = fs::temp_directory_path(error);
  if (!error) m.folders.push_back(folder("temporary files", temporary));
  if (const fs::path cache = cache_folder(); !cache.empty())
    m.folders.push_back(folder("kept builds", cache));
}

/// Where a driver is missing, what else there is of NVIDIA.
void look_for_nvidia(MachineFacts &m) {
  std::error_code none;
  for (const auto &entry : fs::directory_iterator("/sys/bus/pci/devices", none)) {
    const std::string kind = read_or_empty((entry.path() / "class").c_str());
    if (read_or_empty((entry.path() / "vendor").c_str()).starts_with("0x10de") && kind.starts_with("0x03"))
      m.nvidia_hardware = true;
  }
  m.nvidia_module = fs::exists("/proc/driver/nvidia/version", none);
  for (const char *file : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm", "/dev/dxg"})
    if (fs::exists(file, none) && ::access(file, R_OK | W_OK) != 0) m.device_files_readable = false;
}

void look_at_system(MachineFacts &m) {
  const auto set_to = [](const char *file, char value) { return read_or_empty(file).starts_with(value); };
  const std::string release = read_or_empty("/proc/sys/kernel/osrelease");
  m.packages = package_manager();
  m.wsl = release.find("icrosoft") != std::string::npos;
  m.apparmor_restricts = set_to("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1');
  m.namespaces_off = set_to("/proc/sys/kernel/unprivileged_userns_clone", '0') ||
                     read_or_empty("/proc/sys/user/max_user_namespaces") == "0\n";
  std::error_code none;
  m.in_container = fs::exists("/.dockerenv", none) || fs::exists("/run/.containerenv", none) ||
                   fs::exists("/.singularity.d", none);
  m.bubblewrap = ::access("/usr/bin/bwrap", X_OK) == 0 || ::access("/usr/local/bin/bwrap", X_OK) == 0;
}

// The smallest step there can be; how it is compiled is what the starters' Makefiles do.
constexpr const char *trial_source = R"(#include <cuda_runtime.h>
__global__ void nothing(float *c) { c[threadIdx.x] = 0; }
void trial(float *c) { nothing<<<1, 32>>>(c); }
)";
constexpr const char *trial_makefile =
    "ifeq ($(CLANG),)\n"
    "build/%.o: %.cu\n"
    "\tmkdir -p build/keep/$*\n"
    "\t$(NVCC) -std=c++17 -no-compress -gencode arch=$(ARCH),code=$(ARCH) --keep --keep-dir build/keep/$* -c "
    "$< -o $@\n"
    "else\n"
    "include $(CUDA_HEADERS)/warpgrade/clang.mk\n"
    "endif\n";

/// What the compiler said, when a kernel does not build.
std::optional<std::string> objection_of(const build::FrontEnd &front_end) {
  const Scratch scratch;
  write_whole(scratch.path() / "Makefile", trial_makefile);
  write_whole(scratch.path() / "trial.cu", trial_source);
  build::Request request;
  request.starter = scratch.path();
  request.source = scratch.path() / "trial.cu";
  request.file = "trial.cu";
  request.entry = "trial";
  request.parameters = "float *c";
  const build::Build build = front_end.build(request);
  if (build.ok) return std::nullopt;
  return build.log.empty() ? build.message : build.log;
}

std::string version_of(const build::FrontEnd &front_end) {
  const std::string name = front_end.name();
  return name.substr(name.find(' ') + 1);
}

void try_compiler(MachineFacts &m, const sandbox::Sandbox &sandbox) {
  m.knows_nvcc = Tools::has_worker_for_nvcc();
  const auto nvcc = find_nvcc();
  if (!nvcc || !m.knows_nvcc) return;
  m.nvcc = nvcc->string();
  try {
    const Tools tools;
    const build::Nvcc front_end(sandbox, {*nvcc, tools.worker_library()}, {}, std::nullopt);
    m.nvcc_version = version_of(front_end);
    const auto objection = objection_of(front_end);
    m.trial_built = !objection;
    m.trial_log = objection.value_or("");
  } catch (const std::exception &e) {
    m.trial_log = e.what();
  }
}

void try_clang(MachineFacts &m, const sandbox::Sandbox &sandbox) {
  const auto clang = find_clang();
  if (!clang) return;
  m.clang = clang->string();
  try {
    const Tools tools;
    const build::Clang front_end(sandbox, {*clang, tools.cuda_headers(), tools.worker_library_clang()}, {},
                                 std::nullopt);
    m.clang_version = version_of(front_end);
    const auto objection = objection_of(front_end);
    m.clang_trial_built = !objection;
    m.clang_trial_log = objection.value_or("");
  } catch (const std::exception &e) {
    m.clang_trial_log = e.what();
  }
}

std::string first_line_of(const sandbox::Sandbox &sandbox, std::vector<std::string> command) {
  try {
    const Scratch scratch;
    sandbox::Command run;
    run.arguments = std::move(command);
    run.work = scratch.path();
    const sandbox::Outcome outcome = sandbox.run(run);
    return outcome.ok() ? outcome.output.substr(0, outcome.output.find('\n')) : "";
  } catch (const std::exception &) {
    return "";
  }
}

}  // namespace

MachineFacts look_around() {
  MachineFacts m;
  look_at_folders(m);
  look_at_system(m);
  look_for_nvidia(m);
  try {
    const sandbox::Sandbox sandbox = sandbox::Sandbox::detect();
    m.contained = sandbox.mode() != sandbox::Sandbox::Mode::none;
    m.sandbox = sandbox.describe();
    if (::access("/usr/bin/g++", X_OK) == 0)
      m.host_compiler = first_line_of(sandbox, {"/usr/bin/g++", "--version"});
    try_compiler(m, sandbox);
    try_clang(m, sandbox);
  } catch (const std::exception &e) {  // no room for temporary files, for one
    m.sandbox = e.what();
    m.trial_log = e.what();
  }
  m.gpus = gpu::query_devices();
  return m;
}

}  // namespace warpgrade::doctor
