#include "doctor/diagnosis.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/text.hpp"

namespace warpgrade::doctor {

namespace {

using Level = Finding::Level;

constexpr int oldest_toolkit = 12, newest_toolkit = 13;  // releases that were tried
constexpr std::uint64_t least_free_bytes = std::uint64_t{512} << 20, least_free_files = 1000;

/// The number that follows `mark`, or nothing.
std::optional<int> number_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + mark.size());
  int number = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool clang_grades(const MachineFacts &m) {
  return m.clang_trial_built;
}

Finding about_missing_nvcc(const MachineFacts &m) {
  if (!m.knows_nvcc)
    return {clang_grades(m) ? Level::good : Level::wrong, "nvcc",
            "this program was built without the CUDA Toolkit, so it compiles only with clang",
            clang_grades(m) ? std::vector<std::string>()
                            : std::vector<std::string>{install_command("clang", m.packages)}};
  if (clang_grades(m))
    return {Level::good,
            "nvcc",
            "not found, and not needed: clang compiles. Your course may grade with nvcc; is the CUDA Toolkit "
            "installed? export CUDA_HOME=/path/to/cuda",
            {}};
  return {
      Level::wrong,
      "nvcc",
      "not found, and no clang either that could compile instead. Looked for on PATH, in CUDA_HOME/bin and "
      "in /usr/local/cuda/bin",
      {"the shortest way: " + install_command("clang", m.packages),
       "if the CUDA Toolkit is installed, name its folder: export CUDA_HOME=/path/to/cuda",
       "else install release 12 or 13 (compiler and runtime suffice: cuda-nvcc-13-0, "
       "cuda-cudart-dev-13-0): "
       "https://developer.nvidia.com/cuda-downloads"}};
}

/// The other compiler: nothing when it is not there, since nvcc is enough.
std::optional<Finding> about_clang(const MachineFacts &m) {
  if (m.clang.empty()) return std::nullopt;
  const std::string how = m.nvcc.empty() ? "" : "; with --toolchain clang";
  const Level level = m.nvcc.empty() ? Level::wrong : Level::note;
  if (m.clang_version.empty())
    return Finding{
        level,
        "clang",
        fmt::format("{} does not run, or is older than release 14", m.clang),
        {fmt::format("see what it says: {} --version", m.clang), install_command("clang", m.packages)}};
  if (clang_grades(m))
    return Finding{
        Level::good,
        "clang",
        fmt::format("{} ({}): a kernel compiles, links and is recorded{}", m.clang_version, m.clang, how),
        {}};
  if (m.host_compiler.empty())
    return Finding{level,
                   "clang",
                   "there is no g++, whose headers and linker clang needs",
                   {install_command("build-essential", m.packages)}};
  return Finding{
      level,
      "clang",
      "a correct file does not build: " + m.clang_trial_log.substr(0, m.clang_trial_log.find('\n')),
      {"the compiler's full output: ./grade step0 --verbose --toolchain clang"}};
}

Finding about_compiler(const MachineFacts &m) {
  if (m.nvcc.empty()) return about_missing_nvcc(m);
  const std::optional<int> release = number_after("v" + m.nvcc_version, "v");
  if (!release)
    return {Level::wrong,
            "nvcc",
            m.nvcc + " does not run",
            {"run it yourself and see what it says: " + m.nvcc + " --version"}};
  const std::string found = fmt::format("{} ({})", m.nvcc_version, m.nvcc);
  if (*release < oldest_toolkit)
    return {Level::wrong,
            "nvcc",
            fmt::format("{} is too old; release 12 or 13 is needed", found),
            {"install another beside it and name it: export CUDA_HOME=/usr/local/cuda-13.0"}};
  if (*release > newest_toolkit)
    return {Level::note, "nvcc", fmt::format("{} is newer than any that was tried", found), {}};
  return {Level::good, "nvcc", found, {}};
}

Finding about_trial(const MachineFacts &m) {
  if (m.trial_built)
    return {Level::good,
            "trial",
            "a kernel compiles, links and is recorded; host compiler: " + m.host_compiler,
            {}};
  if (m.host_compiler.empty())
    return {Level::wrong,
            "trial",
            "there is no g++, which nvcc needs for host code",
            {install_command("build-essential", m.packages)}};
  if (auto known = explain_failed_compile(m.trial_log, m.packages)) return *known;
  std::string first = m.trial_log.substr(0, m.trial_log.find('\n'));
  return {Level::wrong,
          "trial",
          "a correct file does not build: " + first,
          {"the compiler's full output: ./grade step0 --verbose"}};
}

Finding about_sandbox(const MachineFacts &m) {
  if (m.contained) return {Level::good, "sandbox", m.sandbox, {}};
  Finding finding{Level::note, "sandbox", m.sandbox + ". Your own code is still graded; a class is not", {}};
  if (!m.bubblewrap)
    finding.todo.push_back(install_command("bubblewrap", m.packages));
  else if (m.apparmor_restricts)
    finding.todo = {
        "Ubuntu keeps namespaces from programs without an AppArmor profile. For bubblewrap alone:",
        "printf 'abi <abi/4.0>,\\ninclude <tunables/global>\\nprofile bwrap /usr/bin/bwrap "
        "flags=(unconfined) {\\n  userns,\\n}\\n' | sudo tee /etc/apparmor.d/bwrap",
        "sudo apparmor_parser -r /etc/apparmor.d/bwrap"};
  else if (m.namespaces_off)
    finding.todo.emplace_back(
        "user namespaces are switched off; as root: sysctl kernel.unprivileged_userns_clone=1 "
        "user.max_user_namespaces=15000");
  else if (m.in_container)
    finding.todo.emplace_back(
        "this is a container: its runtime must allow user namespaces (docker run "
        "--security-opt seccomp=unconfined --security-opt systempaths=unconfined)");
  return finding;
}

/// CUDA's major release that a driver can run: "580.159, CUDA 13.0" says 13.
std::optional<int> cuda_of(const std::string &driver_version) {
  return number_after(driver_version, "CUDA ");
}

Finding about_missing_gpu(const MachineFacts &m) {
  Finding finding{Level::note, "GPU", m.gpus.why_none + "; the simulator grades all but speed", {}};
  if (has(m.gpus.why_none, "insufficient for CUDA runtime") || has(m.gpus.why_none, "too old"))
    finding.todo.emplace_back("update NVIDIA's driver");
  else if (m.wsl)
    finding.todo = {"WSL uses the driver of Windows: update it there; do not install one in Linux",
                    "then, in Windows: wsl --update, and wsl --shutdown"};
  else if (!m.device_files_readable)
    finding.todo.emplace_back(
        "this account cannot open /dev/nvidia*: on many machines, the groups video or render can (sudo "
        "usermod -aG video,render $USER, and log in again)");
  else if (m.in_container && (m.nvidia_hardware || m.nvidia_module))
    finding.todo.emplace_back(
        "this is a container: start it with the GPU (docker run --gpus all, apptainer --nv)");
  else if (m.nvidia_hardware && !m.nvidia_module)
    finding.todo.emplace_back(
        "there is a card, but no driver is loaded: install NVIDIA's (Ubuntu: sudo "
        "ubuntu-drivers install), restart; after an update of the kernel, a restart may be enough");
  else if (m.nvidia_module)
    finding.todo.emplace_back(
        "the driver is loaded; what does nvidia-smi say? After an update of the driver its two "
        "halves agree only after a restart");
  return finding;
}

void about_gpus(const MachineFacts &m, std::vector<Finding> &findings) {
  if (m.gpus.devices.empty()) return findings.push_back(about_missing_gpu(m));
  const std::optional<int> toolkit = number_after("v" + m.nvcc_version, "v");
  for (const gpu::DeviceInfo &d : m.gpus.devices) {
    findings.push_back({Level::good,
                        "GPU",
                        fmt::format("{}, sm_{}{}, driver {}", d.name, d.major, d.minor, d.driver_version),
                        {}});
    if (const auto driver = cuda_of(d.driver_version); driver && toolkit && *driver < *toolkit)
      findings.push_back(
          {Level::wrong,
           "driver",
           fmt::format("it runs CUDA {}, but nvcc is of CUDA {}: what it compiles may not start", *driver,
                       *toolkit),
           {fmt::format("update the driver (CUDA {} takes {} or later), or use CUDA {}: export CUDA_HOME=...",
                        *toolkit, *toolkit >= 13 ? "580" : "525", *driver)}});
    if (d.reads_host_memory)
      findings.push_back(
          {Level::note,
           "memory",
           "kernels can read this machine's ordinary memory (HMM or ATS): grade others' code only "
           "where the grader's memory holds no secrets",
           {}});
  }
}

void about_folder(const Folder &f, std::vector<Finding> &findings) {
  const std::string where = fmt::format("{} ({})", f.name, f.path);
  const bool temporary = f.name == "temporary files";
  if (!f.writable)
    findings.push_back({temporary ? Level::wrong : Level::note,
                        "disk",
                        where + " is not writable",
                        {temporary ? std::string("name a writable folder: export TMPDIR=...")
                                   : fmt::format("whose is it? ls -ld {}", shell_word(f.path))}});
  else if (f.free_bytes < least_free_bytes)
    findings.push_back(
        {Level::wrong,
         "disk",
         fmt::format("{}: only {} MB are free", where, f.free_bytes / 1000000),
         {temporary ? "make room, or name a folder with more: export TMPDIR=..." : "make room"}});
  else if (f.free_files < least_free_files)
    findings.push_back(
        {Level::wrong, "disk", where + ": no more files can be made there (inodes)", {"make room"}});
  else if (temporary && !f.runs_programs)
    findings.push_back({Level::wrong,
                        "disk",
                        where + ": programs cannot run there (mounted noexec)",
                        {"name a folder where they can: export TMPDIR=$HOME/tmp"}});
}

}  // namespace

std::optional<Finding> explain_failed_compile(const std::string &log, PackageManager packages) {
  const auto wrong = [](std::string details, std::vector<std::string> todo) {
    return Finding{Level::wrong, "trial", std::move(details), std::move(todo)};
  };
  if (has(log, "unsupported GNU version") || has(log, "unsupported Microsoft") ||
      has(log, "unsupported clang version")) {
    const int newest = number_after(log, "later than ").value_or(0);
    const std::string version = newest > 0 ? std::to_string(newest) : "12";
    if (packages != PackageManager::apt)
      return wrong(
          fmt::format("this g++ is newer than this nvcc supports: g++ {} at most", version),
          {fmt::format("install g++ {0}, and let /usr/bin/gcc and /usr/bin/g++ be links to it", version),
           "or install a newer CUDA Toolkit"});
    return wrong(
        fmt::format("this g++ is newer than this nvcc supports: g++ {} at most", version),
        {fmt::format("sudo apt-get install g++-{}, then make it the one that is used:", version),
         fmt::format("sudo update-alternatives --install /usr/bin/g++ g++ /usr/bin/g++-{0} 90 --slave "
                     "/usr/bin/gcc gcc /usr/bin/gcc-{0}",
                     version),
         "or install a newer CUDA Toolkit"});
  }
  if (has(log, "No space left on device") || has(log, "Disk quota exceeded"))
    return wrong("the disk is full", {"make room, or name a folder with more: export TMPDIR=..."});
  if (has(log, "cuda_runtime.h") && has(log, "No such file"))
    return wrong("nvcc is here, but not the headers of CUDA's runtime",
                 {install_command("cuda-cudart-dev-13-0", packages) + ", or the number of your nvcc"});
  if (has(log, "exception specification is incompatible") &&
      (has(log, "rsqrt") || has(log, "cospi") || has(log, "sinpi")))
    return wrong(
        "this system's C library is newer than this CUDA Toolkit knows",
        {"install a newer CUDA Toolkit, or work where the C library is older (Debian 12, Ubuntu 24.04)"});
  if (has(log, "cannot find -lc") || has(log, "cannot find -lstdc++") || has(log, "cannot find -lm"))
    return wrong("the static C and C++ libraries are missing, which student code is linked with",
                 {install_command("build-essential", packages)});
  if (has(log, "cc1plus") || has(log, "g++: not found") || has(log, "gcc: No such file"))
    return wrong("nvcc finds no working g++", {install_command("build-essential", packages)});
  if (has(log, "Permission denied"))
    return wrong("something cannot be read or run: " + log.substr(0, log.find('\n')),
                 {"can others than root read the CUDA Toolkit? chmod -R a+rX on its folder"});
  if (has(log, "Value 'compute_") || has(log, "Unsupported gpu architecture"))
    return wrong("this nvcc does not support the architecture that the assignment compiles for",
                 {"use CUDA 12 or 13"});
  return std::nullopt;
}

std::vector<Finding> diagnose(const MachineFacts &m) {
  std::vector<Finding> findings = {about_compiler(m)};
  if (findings.front().level != Level::wrong && !m.nvcc.empty()) findings.push_back(about_trial(m));
  if (auto clang = about_clang(m)) findings.push_back(std::move(*clang));
  for (const Folder &folder : m.folders) about_folder(folder, findings);
  findings.push_back(about_sandbox(m));
  about_gpus(m, findings);
  if (m.wsl && m.here.starts_with("/mnt/"))
    findings.push_back({Level::note,
                        "WSL",
                        "this folder is on a drive of Windows, where compiling is slow and --watch "
                        "notices changes late",
                        {"copy it into Linux: cp -r . ~/hw"}});
  return findings;
}

}  // namespace warpgrade::doctor
