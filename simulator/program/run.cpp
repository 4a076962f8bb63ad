#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/files.hpp"
#include "base/process.hpp"
#include "base/scratch.hpp"
#include "base/usage.hpp"
#include "links/report.hpp"
#include "links/timeline.hpp"
#include "program/call_lines.hpp"
#include "program/keeper.hpp"
#include "program/program.hpp"
#include "runtime/journal/program.hpp"
#include "runtime/journal/report.hpp"
#include "trace/recording_json.hpp"

// Placed by embedded_cudart.S.
extern "C" const char warpgrade_cudart12_begin[], warpgrade_cudart12_end[], warpgrade_cudart13_begin[],
    warpgrade_cudart13_end[], warpgrade_nccl_begin[], warpgrade_nccl_end[];

namespace warpgrade::program {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_recording = 128 << 20;

/// Of the first process that recorded something; nothing if it is damaged.
std::optional<simt::Recording> recording_in(const fs::path &folder) {
  for (const fs::directory_entry &one : fs::directory_iterator(folder)) {
    if (!one.path().filename().string().starts_with("recording.")) continue;
    std::error_code error;
    if (!one.is_regular_file(error) || one.file_size(error) > most_recording) continue;
    try {
      auto made = json::read<simt::Recording>(json::Json::parse(read_whole(one.path())));
      if (!simt::flaw_of(made, simt::RecordOptions{}.most)) return made;
    } catch (const json::Json::exception &) {
    }
  }
  return std::nullopt;
}

constexpr const char *nccl_library = "libnccl.so.2";

/// The bytes of the library; none where it was left out of the simulator, for lack of NCCL's header.
std::string_view nccl() {
  return {warpgrade_nccl_begin, warpgrade_nccl_end};
}

/// What of the program the simulator has to run itself.
cuda::Program without_nccl(cuda::Program program) {
  std::erase(program.needed, nccl_library);
  return program;
}

fs::path find_program(const std::string &name) {
  const fs::path file = name.find('/') == std::string::npos ? fs::path("./" + name) : fs::path(name);
  if (!fs::exists(file)) throw UsageError(fmt::format("{} does not exist", name));
  if (fs::is_directory(file)) throw UsageError(fmt::format("{} is a folder, not a program", name));
  return file;
}

/// One library is the runtime of either toolkit and the driver; as the driver it is the file that the program
/// knows as its runtime, so that both have one state.
void unpack(const fs::path &folder, const cuda::Program &program) {
  if (!nccl().empty()) write_scratch(folder / nccl_library, nccl());
  const auto write = [&](const char *name, const char *begin, const char *end) {
    if (begin == end)
      throw UsageError("this simt was built without the CUDA Toolkit, so there is no runtime in it");
    write_scratch(folder / name, std::string_view(begin, end));
  };
  write("libcudart.so.12", warpgrade_cudart12_begin, warpgrade_cudart12_end);
  write("libcudart.so.13", warpgrade_cudart13_begin, warpgrade_cudart13_end);
  const bool twelve =
      std::find(program.needed.begin(), program.needed.end(), "libcudart.so.12") != program.needed.end();
  fs::create_symlink(twelve ? "libcudart.so.12" : "libcudart.so.13", folder / "libcuda.so.1");
}

volatile sig_atomic_t child_of_handler = 0;  // a handler has no other way to know

void pass_on(int signal) {
  if (child_of_handler > 0) ::kill(child_of_handler, signal);
}

/// A program that a signal of its own ended may have had more to show: that is an error of its host code.
void note_death(std::vector<cuda::Journal> &journals, int status) {
  const int signal = status - 128;
  constexpr int own[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  if (journals.empty() || std::find(std::begin(own), std::end(own), signal) == std::end(own)) return;
  cuda::Finding finding;
  finding.code = "host_died";
  finding.call = "host code";
  finding.message = fmt::format("the program itself ended with signal {} ({})", signal, ::strsignal(signal));
  finding.hint = journals.back().complete ? "" : "The report may lack what its kernels did.";
  journals.back().findings.push_back(std::move(finding));
}

/// Starts the program and waits for its end; what ends us ends it.
int run_child(const fs::path &program, const Request &request, const fs::path &folder) {
  std::fflush(nullptr);
  std::string libraries = folder.string();
  if (const std::string before = environment("LD_LIBRARY_PATH"); !before.empty()) libraries += ":" + before;
  Start start{.program = program, .arguments = request.command};
  start.environment =
      environment_with({"LD_LIBRARY_PATH=" + libraries,
                        std::string(cuda::options_variable) + "=" + cuda::to_json(request.options)});
  start.dies_with_us = true;
  start.fixed_addresses = true;  // the same addresses in every run
  start.in_our_place = true;
  Child child;
  try {
    child = Child(start);
  } catch (const std::system_error &e) {
    throw UsageError(fmt::format("cannot start {}: {}", program.string(), e.code().message()));
  }
  child_of_handler = child.id();
  ::signal(SIGINT, SIG_IGN);  // the terminal sends these two to the program as well
  ::signal(SIGQUIT, SIG_IGN);
  ::signal(SIGTERM, pass_on);
  ::signal(SIGHUP, pass_on);
  while (!child.ended(3600)) {
  }
  child_of_handler = 0;
  return child.status() ? exit_status(*child.status()) : grader_failed;
}

/// What moved between devices: to the report, to the timeline and to `json`.
void report_links(const std::vector<cuda::Journal> &journals, const fs::path &program, const Request &request,
                  const links::Topology &topology, nlohmann::json *json) {
  std::vector<links::Operation> all;
  for (const cuda::Journal &journal : journals) {
    const std::size_t first = all.size();
    for (links::Operation one : journal.operations) {
      for (std::size_t &before : one.after) before += first;
      all.push_back(std::move(one));
    }
  }
  find_call_lines(all, program);
  const links::Schedule schedule = links::plan(topology, all);
  std::fputs(links::report(topology, all, schedule).c_str(), stderr);
  if (json != nullptr) (*json)["links"] = links::report_json(topology, all, schedule);
  if (request.timeline.empty()) return;
  write_whole(request.timeline, request.timeline.ends_with(".svg")
                                    ? links::timeline_svg(topology, all, schedule)
                                    : links::timeline_html(topology, all, schedule, request.command.front()));
}

}  // namespace

int run(Request request) {
  const std::string &name = request.command.front();
  const fs::path file = find_program(name);
  const cuda::Program program = cuda::inspect(file);
  const std::string why_not = cuda::obstacle(nccl().empty() ? program : without_nccl(program), name);
  if (!why_not.empty()) throw UsageError(why_not);
  if (::access(file.c_str(), X_OK) != 0)
    throw UsageError(fmt::format("{} cannot be executed: {}", name, std::strerror(errno)));
  std::optional<links::Topology> topology;  // a wrong file is reported before the program runs
  if (request.options.traffic)
    topology =
        links::read_topology(request.links.empty() ? "nvlink4" : request.links, request.options.devices);
  const Scratch scratch;
  unpack(scratch.path(), program);
  request.options.folder = scratch.path().string();
  request.options.record = static_cast<bool>(request.keep_recording);
  const Keeper keeper(request.options.folder, scratch.path());
  const int own = run_child(file, request, scratch.path());
  std::vector<cuda::Journal> journals = cuda::read_journals(scratch.path());
  if (journals.empty()) {
    const std::string why = program.fixed_path
                                ? "it names its libraries' folder itself (DT_RPATH): link it without -rpath"
                                : "it never called the CUDA runtime (libcudart.so) or driver (libcuda.so.1)";
    throw UsageError(fmt::format("{} did not run on the simulator: {}", name, why));
  }
  note_death(journals, own);
  int status = own;
  const simt::Severity least = request.errors_only ? simt::Severity::error : simt::Severity::warning;
  if (status == 0 && cuda::has_findings(journals, least)) status = below;
  std::fputs(cuda::report(journals, request.counters).c_str(), stderr);
  nlohmann::json with_links;
  if (topology)
    report_links(journals, file, request, *topology, request.json.empty() ? nullptr : &with_links);
  if (request.keep_recording) request.keep_recording(recording_in(scratch.path()));
  if (!request.json.empty())
    write_whole(request.json,
                cuda::report_json(journals, request.command, own, topology ? &with_links : nullptr));
  return status;
}

}  // namespace warpgrade::program
