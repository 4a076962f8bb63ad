#include "program/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <thread>

#include "base/usage.hpp"
#include "links/topology.hpp"
#include "program/program.hpp"

namespace warpgrade::program {
namespace {

constexpr const char *footer =
    "The program runs unchanged, with the simulator in place of libcudart.so. Build it with the shared "
    "runtime and with line numbers: nvcc -cudart shared -lineinfo prog.cu -o prog\n"
    "The report goes to standard error when the program has ended.\n"
    "Exit status: that of the program (128 + n after signal n); 1 if that was 0 and the report has errors or "
    "warnings; 2 if the program cannot be run.";

/// The exit status when there is nothing more to do: after --help or a mistake.
std::optional<int> parse(CLI::App &app, const std::vector<std::string> &words) {
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    return std::nullopt;
  } catch (const CLI::ParseError &e) {
    return app.exit(e) == 0 ? full_score : usage;
  }
}

/// Nothing when there is no more to do: after --help or a mistake; then `status`.
std::optional<Request> read_request(const std::vector<std::string> &words, const Extras &extras,
                                    int &status) {
  CLI::App app(
      "Runs a CUDA program on the simulator and reports its mistakes:\n  simt run [OPTIONS] PROGRAM "
      "[ARGS...]",
      "simt run");
  app.footer(footer);
  app.prefix_command();
  Request request;
  cuda::Options &o = request.options;
  o.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  bool no_races = false, no_initialized = false;
  app.add_option("--seed", o.seed,
                 "another legal order of blocks and warps for each number; 0 is the default order");
  app.add_option("--schedules", o.schedules,
                 "run each launch in this many orders of blocks and warps, until one shows a mistake")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--stop-at-first", o.stop_at_first,
               "end a launch at its first access outside memory; without this the access is dropped and the "
               "launch goes on");
  app.add_option("--threads", o.threads, "of this machine; results do not depend on it")
      ->check(CLI::Range(1, 1024));
  app.add_option("--limit", o.instruction_budget, "warp instructions after which a launch times out")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--no-race-check", no_races, "do not check for races");
  app.add_flag("--no-init-check", no_initialized, "do not check for reads of uninitialized memory");
  std::string gpu;
  int multiprocessors = 0;
  if (extras.choose_gpu)
    app.add_option(
        "--gpu", gpu,
        "the device that the program sees, such as nvidia-l4: its name, compute capability, clock, "
        "multiprocessors and their limits");
  app.add_option("--multiprocessors", multiprocessors,
                 fmt::format("of that device; {} unless --gpu says otherwise", o.multiprocessors))
      ->check(CLI::Range(1, 1024));
  app.add_option("--devices", o.devices,
                 "how many such devices there are; each can have access to the memory of the others")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  app.add_option("--links", request.links,
                 fmt::format("how they are connected: {}, or a YAML file; also prints what each link carries",
                             fmt::join(links::known_topologies(), ", ")));
  app.add_option("--timeline", request.timeline,
                 "also draw when kernels and copies would run, to this file .svg or .html");
  app.add_flag("--counters", request.counters,
               "also print a table of memory accesses for each kernel, by line");
  app.add_flag("--errors-only", request.errors_only, "warnings do not change the exit status");
  std::string debug;
  if (extras.write_page)
    app.add_option("--debug", debug,
                   "also write a page to go through the first mistake step by step to this file");
  app.add_option("--json", request.json, "also write findings and counters to this file");
  if (const auto done = parse(app, words)) {
    status = *done;
    return std::nullopt;
  }
  if (!gpu.empty()) extras.choose_gpu(gpu, o);
  if (multiprocessors != 0) o.multiprocessors = multiprocessors;
  if (!request.timeline.empty() && !request.timeline.ends_with(".svg") &&
      !request.timeline.ends_with(".html"))
    throw UsageError("--timeline takes a file .svg or .html, not '" + request.timeline + "'");
  o.traffic = o.devices > 1 || !request.links.empty() || !request.timeline.empty();
  o.check_races = !no_races;
  o.check_initialized = !no_initialized;
  request.command = app.remaining();
  if (!request.command.empty() && request.command.front() == "--")
    request.command.erase(request.command.begin());
  if (request.command.empty()) throw UsageError("no program given; try 'simt run --help'");
  if (!debug.empty())
    request.keep_recording = [write = extras.write_page, debug,
                              program = request.command.front()](std::optional<simt::Recording> made) {
      write(std::move(made), debug, program);
    };
  return request;
}

int run_program(const std::vector<std::string> &words, const Extras &extras) {
  int status = full_score;
  const auto request = read_request(words, extras, status);
  return request ? run(*request) : status;
}

/// Options of `simt prove`.
void add_prove(CLI::App &prove, ProofRequest &r, std::vector<std::string> &values) {
  prove.footer(
      "Expressions have names of integer parameters, numbers, + - * / %, min(), max() and ceil_div(). A file "
      ".cu is "
      "compiled with nvcc.\nExit status: 0; 1 if a property fails at a case that was run; 2 for a mistake in "
      "the "
      "arguments.");
  prove.add_option("file", r.file, "with the kernel: .cu, .ptx or .fatbin")->required();
  prove.add_option("--kernel", r.kernel, "its name, if there are several");
  prove.add_option("--grid", r.grid, "blocks along x, y, z, such as 'ceil_div(n, 256)'")->required();
  prove.add_option("--block", r.block, "threads along x, y, z, such as 32,8")->required();
  prove.add_option("--shared", r.dynamic_shared_bytes, "bytes of dynamic shared memory");
  prove.add_option("--assume", r.assumptions, "what holds of the sizes, such as 'n >= 1'");
  prove.add_option("--buffer", r.buffers,
                   "extents of a pointer, such as 'A[M][K]'; 'A[n]:3' with the bytes of an element");
  prove.add_option("--output", r.outputs, "a buffer of which every element is to be written once");
  prove
      .add_option("--parameters", r.parameters,
                  "names of the parameters, in order; as in a file .cu without this")
      ->delimiter(',');
  prove.add_option("--value", values, "the value of a parameter, such as 'stride=N'");
  prove.add_option("--seconds", r.seconds, "then what is left is not decided")->capture_default_str();
  prove.add_option("--json", r.json, "also write the results to this file");
}

int run_proof(ProofRequest request, const std::vector<std::string> &values) {
  for (const std::string &text : values) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos) throw UsageError("--value takes NAME=EXPRESSION, not '" + text + "'");
    request.values[text.substr(0, at)] = text.substr(at + 1);
  }
  return prove_kernel(request);
}

int dispatch(int argc, char **argv, const Extras &extras) {
  if (argc > 1 && std::string_view(argv[1]) == "run") return run_program({argv + 2, argv + argc}, extras);
  CLI::App app("The SIMT simulator by itself.", "simt");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("warpgrade ") + WARPGRADE_VERSION);
  CLI::App *show = app.add_subcommand("list", "list the kernels of a .ptx or .fatbin file");
  app.add_subcommand("run", "run a program on the simulator: 'simt run --help'");
  std::vector<std::string> files;
  show->add_option("file", files, "as nvcc -ptx or nvcc -fatbin writes them")->required();
  CLI::App *prove = app.add_subcommand("prove", "decide what holds of a kernel for all sizes");
  ProofRequest request;
  std::vector<std::string> values;
  add_prove(*prove, request, values);
  if (const auto status = parse(app, {argv + 1, argv + argc})) return *status;
  if (prove->parsed()) return run_proof(request, values);
  for (const std::string &file : files) list(file);
  return full_score;
}

}  // namespace

int command_line(int argc, char **argv, const Extras &extras) {
  try {
    return dispatch(argc, argv, extras);
  } catch (const std::exception &e) {
    fmt::print(stderr, "simt: {}\n", e.what());
    return usage;
  }
}

}  // namespace warpgrade::program
