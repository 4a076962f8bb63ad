// What ./grade doctor says about machines that we do not have.
#include "doctor/diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace warpgrade::doctor {
namespace {

using ::testing::HasSubstr;
using Level = Finding::Level;

/// Everything as it should be, with a GPU.
MachineFacts sound() {
  MachineFacts m;
  m.nvcc = "/usr/local/cuda-13.0/bin/nvcc";
  m.nvcc_version = "13.0";
  m.host_compiler = "g++ (Debian 12.2.0-14) 12.2.0";
  m.trial_built = m.contained = true;
  m.sandbox = "bubblewrap";
  m.nvidia_hardware = m.nvidia_module = true;
  gpu::DeviceInfo gpu;
  gpu.name = "NVIDIA H200";
  gpu.driver_version = "580.159.03, CUDA 13.0";
  m.gpus.devices = {gpu};
  m.folders = {{"temporary files", "/tmp", true, true, std::uint64_t{10} << 30, 100000}};
  return m;
}

MachineFacts without_gpu() {
  MachineFacts m = sound();
  m.gpus = {{}, "no NVIDIA driver on this machine"};
  m.nvidia_hardware = m.nvidia_module = false;
  return m;
}

/// Every sentence, and what to do, about findings of this name that are not good.
std::string said(const MachineFacts &m, const std::string &what, Level level) {
  std::string all;
  for (const Finding &f : diagnose(m)) {
    if (f.what != what || f.level != level) continue;
    all += f.details + "\n";
    for (const std::string &todo : f.todo) all += todo + "\n";
  }
  return all;
}

TEST(Diagnosis, AHealthyMachineHasNothingToFix) {
  for (const MachineFacts &m : {sound()})
    for (const Finding &f : diagnose(m)) EXPECT_EQ(f.level, Level::good) << f.what << ": " << f.details;
}

TEST(Diagnosis, ACommandCanBeCopiedWhateverThePathIs) {
  MachineFacts m = sound();
  m.folders.push_back({"this folder",
                       "/tmp/x \xc3\x9c"
                       "bung/hw6",
                       false, true, std::uint64_t{10} << 30, 100000});
  EXPECT_THAT(said(m, "disk", Level::note), HasSubstr("ls -ld '/tmp/x \xc3\x9c"
                                                      "bung/hw6'\n"));
}

TEST(Diagnosis, EveryProblemComesWithAFix) {
  const std::vector<std::function<void(MachineFacts &)>> troubles = {
      [](MachineFacts &m) { m.nvcc.clear(); },
      [](MachineFacts &m) { m.nvcc_version = "11.8"; },
      [](MachineFacts &m) { m.nvcc_version.clear(); },
      [](MachineFacts &m) { m.trial_built = false, m.trial_log = "something nobody has seen before"; },
      [](MachineFacts &m) { m.gpus.devices[0].driver_version = "535.104, CUDA 12.2"; },
      [](MachineFacts &m) { m.folders[0].writable = false; },
      [](MachineFacts &m) { m.folders[0].free_bytes = 1 << 20; },
      [](MachineFacts &m) { m.folders[0].free_files = 3; },
      [](MachineFacts &m) { m.folders[0].runs_programs = false; }};
  for (std::size_t i = 0; i < troubles.size(); ++i) {
    MachineFacts m = sound();
    troubles[i](m);
    std::size_t wrong = 0;
    for (const Finding &f : diagnose(m)) {
      if (f.level != Level::wrong) continue;
      ++wrong;
      EXPECT_FALSE(f.todo.empty()) << f.what << ": " << f.details;
    }
    EXPECT_EQ(wrong, 1u) << "trouble " << i;
  }
}

TEST(Diagnosis, AnOldToolkitIsNamedWithItsPath) {
  MachineFacts m = sound();
  m.nvcc_version = "11.8";
  EXPECT_THAT(said(m, "nvcc", Level::wrong), HasSubstr("11.8 (/usr/local/cuda-13.0/bin/nvcc) is too old"));
}

TEST(Diagnosis, ClangIsEnoughWhereThereIsNoNvcc) {
  MachineFacts m = sound();
  m.nvcc.clear();
  m.clang = "/usr/bin/clang++";
  m.clang_version = "14.0";
  m.clang_trial_built = true;
  for (const Finding &f : diagnose(m)) EXPECT_EQ(f.level, Level::good) << f.what << ": " << f.details;
  EXPECT_THAT(said(m, "clang", Level::good), HasSubstr("14.0 (/usr/bin/clang++)"));
}

TEST(Diagnosis, AClangThatDoesNotWorkKeepsFromGradingOnlyWithoutNvcc) {
  MachineFacts m = sound();
  m.clang = "/usr/bin/clang++";
  m.clang_version = "14.0";
  m.clang_trial_log = "fatal error: 'cmath' file not found";
  EXPECT_THAT(said(m, "clang", Level::note), HasSubstr("'cmath' file not found"));
  EXPECT_EQ(said(m, "clang", Level::wrong), "");
  m.nvcc.clear();
  EXPECT_THAT(said(m, "clang", Level::wrong), HasSubstr("'cmath' file not found"));
}

TEST(Diagnosis, AnOldClangIsReported) {
  MachineFacts m = sound();
  m.nvcc.clear();
  m.clang = "/usr/bin/clang++-11";
  EXPECT_THAT(said(m, "clang", Level::wrong), HasSubstr("older than release 14"));
}

TEST(Diagnosis, AnUntestedNewerToolkitIsAccepted) {
  MachineFacts m = sound();
  m.nvcc_version = "14.1";
  EXPECT_THAT(said(m, "nvcc", Level::note), HasSubstr("newer than any that was tried"));
}

TEST(Diagnosis, AHostCompilerThatIsTooNewIsReportedWithTheNewestSupportedOne) {
  MachineFacts m = sound();
  m.trial_built = false;
  m.trial_log =
      "/usr/local/cuda/include/crt/host_config.h:143:2: error: #error -- unsupported GNU version! gcc "
      "versions "
      "later than 13 are not supported!";
  EXPECT_THAT(said(m, "trial", Level::wrong), HasSubstr("apt-get install g++-13"));
}

TEST(Diagnosis, TheCommandIsThatOfTheSystemsPackageManager) {
  MachineFacts m = sound();
  m.packages = PackageManager::dnf;
  m.trial_built = false;
  m.trial_log = "unsupported GNU version! gcc versions later than 13 are not supported!";
  EXPECT_THAT(said(m, "trial", Level::wrong), AllOf(HasSubstr("install g++ 13"), Not(HasSubstr("apt-get"))));
  m.host_compiler.clear();
  EXPECT_THAT(said(m, "trial", Level::wrong), HasSubstr("sudo dnf install gcc-c++ make"));
  m = sound();
  m.packages = PackageManager::pacman;
  m.contained = m.bubblewrap = false;
  EXPECT_THAT(said(m, "sandbox", Level::note), HasSubstr("sudo pacman -S bubblewrap"));
}

TEST(Diagnosis, AMissingHostCompilerIsNotBlamedOnTheToolkit) {
  MachineFacts m = sound();
  m.trial_built = false;
  m.host_compiler.clear();
  m.trial_log = "/usr/bin/g++ is missing";
  EXPECT_THAT(said(m, "trial", Level::wrong), HasSubstr("build-essential"));
}

TEST(Diagnosis, KnownFailuresOfACompilerAreDistinguished) {
  const std::pair<const char *, const char *> known[] = {
      {"write error: No space left on device", "disk is full"},
      {"fatal error: cuda_runtime.h: No such file or directory", "cuda-cudart-dev"},
      {"/usr/include/bits/mathcalls.h(79): error: exception specification is incompatible with that of "
       "previous "
       "function \"rsqrt\"",
       "C library is newer"},
      {"/usr/bin/ld: cannot find -lstdc++: No such file or directory", "static"},
      {"gcc: fatal error: cannot execute 'cc1plus'", "no working g++"},
      {"nvcc fatal: Unsupported gpu architecture 'compute_80'", "architecture"}};
  for (const auto &[log, words] : known) {
    const auto finding = explain_failed_compile(log);
    ASSERT_TRUE(finding) << log;
    std::string all = finding->details;
    for (const std::string &todo : finding->todo) all += "\n" + todo;
    EXPECT_THAT(all, HasSubstr(words));
  }
  EXPECT_FALSE(explain_failed_compile("step0.cu(3): error: expected a ';'"));
}

TEST(Diagnosis, ADriverThatIsOlderThanTheToolkitIsWrongAndANewerOneIsNot) {
  MachineFacts m = sound();
  m.gpus.devices[0].driver_version = "535.104, CUDA 12.2";
  EXPECT_THAT(said(m, "driver", Level::wrong), HasSubstr("580 or later"));
  m = sound();
  m.nvcc_version = "12.4";
  EXPECT_EQ(said(m, "driver", Level::wrong), "");
}

TEST(Diagnosis, AMissingGpuIsNoFaultAndTheAdviceSuitsTheMachine) {
  EXPECT_EQ(said(without_gpu(), "GPU", Level::wrong), "");
  EXPECT_THAT(said(without_gpu(), "GPU", Level::note), HasSubstr("simulator grades all but speed"));
  MachineFacts m = without_gpu();
  m.nvidia_hardware = true;
  EXPECT_THAT(said(m, "GPU", Level::note), HasSubstr("no driver is loaded"));
  m.in_container = true;
  EXPECT_THAT(said(m, "GPU", Level::note), HasSubstr("--gpus all"));
  m.in_container = false;
  m.nvidia_module = true;
  m.device_files_readable = false;
  EXPECT_THAT(said(m, "GPU", Level::note), HasSubstr("video"));
  m = without_gpu();
  m.wsl = true;
  EXPECT_THAT(said(m, "GPU", Level::note), HasSubstr("update it there; do not install one in Linux"));
}

TEST(Diagnosis, ASandboxThatDoesNotWorkIsReportedWithTheReasonOfThisMachine) {
  MachineFacts m = sound();
  m.contained = false;
  m.sandbox = "no sandbox (bubblewrap is not installed)";
  m.bubblewrap = false;
  EXPECT_THAT(said(m, "sandbox", Level::note), HasSubstr("apt-get install bubblewrap"));
  m.bubblewrap = true;
  m.apparmor_restricts = true;
  EXPECT_THAT(said(m, "sandbox", Level::note), HasSubstr("/etc/apparmor.d/bwrap"));
  m.apparmor_restricts = false;
  m.namespaces_off = true;
  EXPECT_THAT(said(m, "sandbox", Level::note), HasSubstr("sysctl"));
  m.namespaces_off = false;
  m.in_container = true;
  EXPECT_THAT(said(m, "sandbox", Level::note), HasSubstr("container"));
}

TEST(Diagnosis, WindowsDrivesInWslAreSlow) {
  MachineFacts m = sound();
  m.wsl = true;
  m.here = "/mnt/c/Users/student/hw6";
  EXPECT_THAT(said(m, "WSL", Level::note), HasSubstr("drive of Windows"));
  m.here = "/home/student/hw6";
  EXPECT_EQ(said(m, "WSL", Level::note), "");
}

}  // namespace
}  // namespace warpgrade::doctor
