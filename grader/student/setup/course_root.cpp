#include "setup/course_root.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <system_error>

#include "base/files.hpp"
#include "base/packages.hpp"
#include "build/clang.hpp"
#include "build/nvcc.hpp"
#include "course/syllabus.hpp"
#include "gpu/retired.hpp"
#include "setup/nearest_step.hpp"

namespace warpgrade {

namespace fs = std::filesystem;

namespace {

std::optional<fs::path> root_above(fs::path at) {
  for (;; at = at.parent_path()) {
    if (fs::is_directory(at / "assignments")) return at;
    if (at == at.parent_path()) return std::nullopt;
  }
}

}  // namespace

fs::path find_root() {
  if (const auto root = root_above(fs::current_path())) return *root;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error)
    if (const auto root = root_above(program.parent_path())) return *root;
  throw UsageError("no folder 'assignments' here, above, or beside the program: run it in a course's folder");
}

std::vector<std::string> assignment_names(const fs::path &root) {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(root / "assignments"))
    if (fs::exists(entry.path() / "assignment.yaml")) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  if (names.empty())
    throw UsageError(fmt::format("{} contains no assignment", (root / "assignments").string()));
  return names;
}

namespace {

/// Those whose files mention all these steps: to read them all takes longer than to grade one.
std::vector<std::string> that_mention(const std::vector<std::string> &steps, const fs::path &root,
                                      const std::vector<std::string> &names) {
  std::vector<std::string> found;
  for (const std::string &name : names) {
    const std::string text = read_or_empty(root / "assignments" / name / "assignment.yaml");
    const bool escapes = text.find('\\') != std::string::npos;  // a name may be spelled with them
    if (escapes || std::all_of(steps.begin(), steps.end(),
                               [&](const std::string &step) { return text.find(step) != std::string::npos; }))
      found.push_back(name);
  }
  return found;
}

/// In the order of the course: those of earlier chapters first.
std::vector<std::string> in_course_order(const fs::path &root, std::vector<std::string> names) {
  std::map<std::string, int> chapter;
  for (const std::string &name : names) {
    const auto course = course::find_syllabus(root / "assignments" / name);
    chapter[name] =
        course && !course->chapters.empty() ? course->chapters.front() : std::numeric_limits<int>::max();
  }
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string &a, const std::string &b) { return chapter[a] < chapter[b]; });
  return names;
}

}  // namespace

std::string guess_assignment(const fs::path &root, const std::vector<std::string> &steps,
                             const fs::path &submission, std::optional<course::Assignment> *read) {
  const std::vector<std::string> there = assignment_names(root);
  // The course's own folder may be called like one of its assignments, too.
  const std::string here = fs::current_path() == root ? "" : fs::current_path().filename().string();
  if (std::find(there.begin(), there.end(), here) != there.end()) return here;
  if (there.size() == 1) return there.front();
  const fs::path files = submission.empty() ? fs::current_path() : submission;
  // Several assignments may have a step of this name: the files say which one is meant.
  for (const std::string &name :
       in_course_order(root, steps.empty() ? steps : that_mention(steps, root, there))) {
    const course::Assignment a = course::read_assignment(fs::relative(root / "assignments" / name));
    const bool all = std::all_of(steps.begin(), steps.end(), [&](const std::string &step) {
      const course::Step *known = a.find_step(step);
      return known != nullptr && fs::exists(files / known->path());
    });
    if (all && read != nullptr) *read = a;
    if (all) return name;
  }
  const std::vector<std::string> names = in_course_order(root, there);
  for (const std::string &name : names) {
    const course::Assignment a = course::read_assignment(fs::relative(root / "assignments" / name));
    const bool all = std::all_of(steps.begin(), steps.end(), [&](const std::string &step) {
      return std::any_of(a.steps.begin(), a.steps.end(), [&](const course::Step &s) { return s.id == step; });
    });
    if (all && !steps.empty()) return name;
    const bool files_here = std::any_of(a.steps.begin(), a.steps.end(),
                                        [&](const course::Step &s) { return fs::exists(files / s.path()); });
    if (files_here) return name;
  }
  for (const std::string &step : steps)
    for (const std::string &name : names) {
      const course::Assignment a = course::read_assignment(fs::relative(root / "assignments" / name));
      if (const std::string meant = a.find_step(step) ? "" : nearest_step(step, a); !meant.empty())
        throw UnknownStep(step,
                          fmt::format("there is no step '{}'; did you mean {} of {}?", step, meant, name));
    }
  throw UsageError(fmt::format("which assignment? Say --assignment with one of: {}", fmt::join(names, ", ")));
}

bool is_there(const fs::path &root, const course::Assignment &a, const course::Step &s) {
  return !s.beyond || fs::exists(fs::current_path() / s.path()) || fs::exists(root / s.path()) ||
         fs::exists(root / "solutions" / a.name / s.path());
}

fs::path guess_submission(const fs::path &root, const course::Assignment &a,
                          const std::vector<std::string> &steps) {
  for (const course::Step &s : a.steps)
    if (fs::exists(fs::current_path() / s.path())) return ".";
  for (const course::Step &s : a.steps)  // a kit, from one of its folders or from outside
    if (!s.beyond && fs::exists(root / s.path())) return fs::relative(root);
  for (const course::Step &s : a.steps)
    if (s.beyond && std::find(steps.begin(), steps.end(), s.id) != steps.end() &&
        fs::exists(root / "solutions" / a.name / s.path()))
      return fs::relative(root / "solutions" / a.name);
  return fs::relative(root / "starter" / a.name);
}

fs::path cache_folder() {
  fs::path folder = environment("WARPGRADE_CACHE");
  if (folder.empty() && !environment("XDG_CACHE_HOME").empty())
    folder = fs::path(environment("XDG_CACHE_HOME")) / "warpgrade";
  if (folder.empty() && !environment("HOME").empty())
    folder = fs::path(environment("HOME")) / ".cache" / "warpgrade";
  if (folder.empty()) return {};
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? fs::path() : folder;
}

namespace {

bool runs_programs(const fs::path &folder) {
  struct statvfs facts {};
  return ::statvfs(folder.c_str(), &facts) != 0 || (facts.f_flag & ST_NOEXEC) == 0;
}

}  // namespace

void find_room_for_programs() {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error || runs_programs(temporary)) return;
  const fs::path cache = cache_folder();
  if (cache.empty() || !runs_programs(cache)) return;
  fs::create_directory(cache / "tmp", error);
  if (!error) ::setenv("TMPDIR", (cache / "tmp").c_str(), 1);
}

std::optional<fs::path> find_nvcc() {
  return build::Nvcc::find(environment("PATH"), environment("CUDA_HOME"));
}

std::optional<fs::path> find_clang() {
  return build::Clang::find(environment("PATH") + ":/usr/bin");
}

build::Toolchain toolchain_named(const std::string &name) {
  return name == "nvcc"    ? build::Toolchain::nvcc
         : name == "clang" ? build::Toolchain::clang
                           : build::Toolchain::automatic;
}

std::string_view name_of(build::Toolchain toolchain) {
  return toolchain == build::Toolchain::nvcc    ? "nvcc"
         : toolchain == build::Toolchain::clang ? "clang"
                                                : "auto";
}

std::unique_ptr<build::FrontEnd> find_front_end(const sandbox::Sandbox &sandbox, const Tools &tools,
                                                const build::Limits &limits, build::Toolchain toolchain) {
  const auto nvcc = find_nvcc(), clang = find_clang();
  const fs::path folder = cache_folder();
  const auto cache = folder.empty() ? std::nullopt : std::optional(folder);
  if (toolchain == build::Toolchain::automatic)
    toolchain = nvcc && Tools::has_worker_for_nvcc() ? build::Toolchain::nvcc : build::Toolchain::clang;
  if (toolchain == build::Toolchain::nvcc) {
    if (!nvcc)
      throw UsageError(
          "no nvcc: install the CUDA Toolkit (12 or 13), put its bin folder on PATH or its root into "
          "CUDA_HOME, or say "
          "--toolchain clang");
    if (!Tools::has_worker_for_nvcc())
      throw UsageError(
          "this program was built without the CUDA Toolkit, so it supports only clang: build it again "
          "(make clean; "
          "make), or say --toolchain clang");
    return std::make_unique<build::Nvcc>(
        sandbox,
        build::Nvcc::Files{*nvcc, tools.worker_library(), clang.value_or(fs::path()), tools.cuda_headers()},
        limits, cache);
  }
  if (!clang)
    throw UsageError(fmt::format("no {}: `{}`, or install the CUDA Toolkit (12 or 13)",
                                 nvcc ? "clang++" : "nvcc and no clang++", install_command("clang")));
  return std::make_unique<build::Clang>(
      sandbox, build::Clang::Files{*clang, tools.cuda_headers(), tools.worker_library_clang()}, limits,
      cache);
}

namespace {

fs::path folder_of(const course::Assignment &a, const fs::path &root) {
  return fs::relative(root / "assignments" / a.name);
}

/// Plans for several devices run on GPUs like this one, of those that are in order.
void use_beside(const gpu::DeviceInfo &gpu, const std::vector<gpu::DeviceInfo> &all,
                grading::Environment &e) {
  std::vector<gpu::DeviceInfo> usable = all;
  std::erase_if(usable,
                [&](const gpu::DeviceInfo &one) { return !gpu::why_retired(e.lock_directory, one).empty(); });
  e.more_gpus = gpu::together_with(gpu, usable);
  e.more_gpus.erase(e.more_gpus.begin());
}

void choose_thresholds_for(Machine &machine, const fs::path &root, const course::Assignment &a) {
  const std::optional<gpu::DeviceInfo> &gpu = machine.environment.gpu;
  const fs::path folder = folder_of(a, root);
  machine.thresholds =
      course::choose_thresholds(machine.all_thresholds, folder, a, gpu ? gpu->name : std::string("none"));
}

}  // namespace

void use_gpu(Machine &machine, const fs::path &root, const course::Assignment &a,
             const gpu::DeviceInfo &gpu) {
  machine.environment.gpu = gpu;
  use_beside(gpu, machine.gpus, machine.environment);
  machine.all_thresholds = course::read_all_thresholds(folder_of(a, root), a);
  choose_thresholds_for(machine, root, a);
}

std::future<std::unique_ptr<Machine>> begin_to_look(bool use_sandbox) {
  return std::async(std::launch::async, [use_sandbox] {
    auto tried = std::async(std::launch::async, [use_sandbox] {
      return use_sandbox ? sandbox::Sandbox::detect() : sandbox::Sandbox::none();
    });
    auto machine = std::make_unique<Machine>();  // which writes the tools
    machine->sandbox = std::make_unique<sandbox::Sandbox>(tried.get());
    return machine;
  });
}

std::unique_ptr<Machine> look_at_machine(const fs::path &root, const course::Assignment &a,
                                         DeviceChoice choice, bool use_sandbox, build::Toolchain toolchain) {
  return look_at_machine(begin_to_look(use_sandbox), root, a, choice, toolchain);
}

std::unique_ptr<Machine> look_at_machine(std::future<std::unique_ptr<Machine>> begun, const fs::path &root,
                                         const course::Assignment &a, DeviceChoice choice,
                                         build::Toolchain toolchain) {
  auto thresholds = std::async(std::launch::async, [folder = folder_of(a, root), &a] {
    return course::read_all_thresholds(folder, a);
  });
  std::unique_ptr<Machine> machine = begun.get();
  machine->front_end = find_front_end(*machine->sandbox, machine->tools, grading::build_limits(a.limits),
                                      toolchain == build::Toolchain::automatic ? a.toolchain : toolchain);
  grading::Environment &e = machine->environment;
  e.starter = root / "starter" / a.name;
  e.record_server = machine->tools.record_server();
  e.simulator = machine->tools.simulator();
  e.sandbox = machine->sandbox.get();
  e.front_end = machine->front_end.get();
  if (const auto nvcc = find_nvcc())
    e.gpu_children.library_directories = {
        (fs::canonical(*nvcc).parent_path().parent_path() / "lib64").string()};
  e.lock_directory = e.gpu_children.retired_directory = fs::temp_directory_path().string();
  if (choice == DeviceChoice::simulator) {
    e.why_no_gpu = "--device sim";
  } else {
    const gpu::DeviceQuery query = gpu::query_devices(e.gpu_children);
    machine->gpus = query.devices;
    e.why_no_gpu = query.why_none;
    for (const gpu::DeviceInfo &device : query.devices) {
      const std::string out = gpu::why_retired(e.lock_directory, device);
      if (out.empty() && !e.gpu) e.gpu = device;
      if (e.why_no_gpu.empty()) e.why_no_gpu = out;
    }
    if (e.gpu) {
      e.why_no_gpu.clear();
      use_beside(*e.gpu, query.devices, e);
    }
    if (choice == DeviceChoice::gpu && !e.gpu)
      throw UsageError("--device gpu: no GPU to use: " + e.why_no_gpu);
  }
  machine->all_thresholds = thresholds.get();
  choose_thresholds_for(*machine, root, a);
  e.thresholds = &machine->thresholds;
  return machine;
}

}  // namespace warpgrade
