#include "exercise_plan.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <variant>

#include "gpu/plan_check.hpp"
#include "judge/rules.hpp"
#include "plan/decode.hpp"
#include "plan/describe.hpp"
#include "plan/request.hpp"
#include "ptx/module.hpp"
#include "record/answer.hpp"
#include "simulate/simulate.hpp"

namespace warpgrade::fuzz {
namespace {

constexpr std::size_t longest_message = 5000;  // of what a student is told: plan/decode.cpp cuts at 4096

void expect(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "a plan breaks a promise: %s\n", what);
  std::abort();
}

std::shared_ptr<const simt::DeviceCode> code_of_the_harness() {
  static const auto code = [] {
    std::ifstream file(WARPGRADE_FUZZ_FOLDER "/plan/kernels.ptx", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return std::make_shared<const simt::DeviceCode>(ptx::parse(text));
  }();
  return code;
}

record::Limits limits() {
  record::Limits limits;
  limits.plan.plan_bytes = 1 << 20;
  limits.plan.operations = 64;
  limits.plan.launches = 16;
  limits.plan.buffers = 16;
  limits.plan.scratch_bytes = 1 << 20;
  limits.plan.threads = 1 << 14;
  return limits;
}

/// What plan/decode.hpp promises.
class Sound {
 public:
  Sound(const plan::LaunchPlan &plan, const plan::CallRequest &call) : plan_(plan), call_(call) {}

  void check() {
    const plan::Limits most = limits().plan;
    const auto &judges = call_.buffers;
    expect(plan_.buffers.size() >= judges.size() && plan_.buffers.size() <= judges.size() + most.buffers &&
               std::equal(judges.begin(), judges.end(), plan_.buffers.begin()),
           "the judge's buffers come first");
    expect(plan_.operations.size() <= most.operations, "operations are capped");
    for (const plan::Operation &operation : plan_.operations) std::visit(*this, operation);
    expect(launches_ <= most.launches, "launches are capped");
  }

  void operator()(const plan::Allocate &o) {
    const plan::Buffer &b = buffer(o.buffer);
    expect(b.owner == plan::Owner::student && b.bytes > 0, "what is allocated is the launcher's");
    live_ += b.bytes;
    expect(live_ <= limits().plan.scratch_bytes, "scratch memory is capped");
  }
  void operator()(const plan::Free &o) {
    const plan::Buffer &b = buffer(o.buffer);
    expect(b.owner == plan::Owner::student && b.bytes <= live_, "what is freed was allocated");
    live_ -= b.bytes;
  }
  void operator()(const plan::SetMemory &o) { inside(o.to, o.width, o.rows, o.pitch); }
  void operator()(const plan::CopyIn &o) {
    inside(o.to, o.bytes.size(), 1, 0);
    maps(o.tensor_maps, o.bytes.size());
  }
  void operator()(const plan::CopyWithin &o) {
    inside(o.to, o.width, o.rows, o.to_pitch);
    inside(o.from, o.width, o.rows, o.from_pitch);
  }
  void operator()(const plan::SetFunctionAttribute &o) { kernel(o.kernel); }
  void operator()(const plan::Launch &o) {
    ++launches_;
    expect(o.arguments.size() == kernel(o.kernel).argument_bytes, "a launch has its kernel's arguments");
    for (const plan::PointerArgument &p : o.pointers) {
      expect(p.at % 8 == 0 && std::uint64_t{p.at} + 8 <= o.arguments.size(),
             "pointers are within the arguments");
      buffer(p.to.buffer);
    }
    maps(o.tensor_maps, o.arguments.size());
  }
  void operator()(const plan::UseStream &o) { stream(o.stream); }
  void operator()(const plan::RecordEvent &o) { event(o.event); }
  void operator()(const plan::WaitForEvent &o) { event(o.event); }
  void operator()(const plan::HostWaits &o) {
    if (o.what == plan::HostWaits::For::device) device(o.number);
    if (o.what == plan::HostWaits::For::stream) stream(o.number);
    if (o.what == plan::HostWaits::For::event) event(o.number);
  }
  void operator()(const plan::PeerAccess &o) {
    device(o.device), device(o.owner);
    expect(o.device != o.owner, "a device needs no access to its own memory");
  }

 private:
  void device(std::uint32_t number) const { expect(number < call_.devices, "a device is there"); }
  void stream(std::uint32_t number) const {
    expect(number < plan_.streams.size(), "a stream is there");
    device(plan_.streams[number].device);
  }
  void event(std::uint32_t number) const { expect(number < plan_.events, "an event is there"); }

  void maps(const std::vector<plan::TensorMapArgument> &all, std::size_t bytes) const {
    for (const plan::TensorMapArgument &m : all) {
      expect(std::uint64_t{m.at} + ptx::TensorMap::bytes <= bytes,
             "tensor maps are within arguments and copies");
      expect(ptx::why_invalid(m.map).empty() && ptx::why_unsupported(m.map).empty(),
             "tensor maps are CUDA's");
      buffer(m.to.buffer);
    }
  }
  const plan::Buffer &buffer(std::uint32_t id) const {
    expect(id < plan_.buffers.size(), "a place names a buffer");
    return plan_.buffers[id];
  }
  const plan::KernelLayout &kernel(const std::string &name) const {
    for (const plan::KernelLayout &k : call_.kernels)
      if (k.name == name) return k;
    expect(false, "a kernel is there");
    std::abort();
  }
  void inside(const plan::Place &place, std::uint64_t width, std::uint64_t rows, std::uint64_t pitch) const {
    const unsigned __int128 end = static_cast<unsigned __int128>(rows - 1) * (rows > 1 ? pitch : 0) + width;
    expect(rows > 0 && width > 0 && place.offset >= 0 &&
               end + static_cast<std::uint64_t>(place.offset) <= buffer(place.buffer).bytes,
           "bytes are within their buffer");
  }

  const plan::LaunchPlan &plan_;
  const plan::CallRequest &call_;
  std::uint64_t live_ = 0;
  std::size_t launches_ = 0;
};

std::vector<run::HostBuffer> inputs() {
  const auto buffer = [](const char *name, run::Role role, std::size_t elements, float value) {
    return run::host_buffer(name, role, std::vector<float>(elements, value));
  };
  return {buffer("A", run::Role::input, 15, 1), buffer("B", run::Role::input, 12, 2),
          buffer("C", run::Role::in_out, 20, 3)};
}

void check(const run::Run &run) {
  expect(run.end != run::End::our_failure && run.end != run::End::unsupported,
         "a replay ends for a reason of the plan's");
  expect((run.end == run::End::completed) == run.message.empty(), "a replay says why it ended");
  expect(run.buffers.size() == (run.end == run::End::completed ? 3u : 0u), "outputs are there");
  for (std::size_t b = 0; b < run.buffers.size(); ++b)
    expect(run.buffers[b].bytes.size() == inputs()[b].bytes.size(), "outputs have their size");
  for (const simt::Diagnostic &diagnostic : run.diagnostics) simt::to_text(diagnostic);
}

void replay(const plan::LaunchPlan &plan) {
  run::SimulateOptions options;
  options.warp_instructions = 3000;
  options.printed_bytes = 4096;
  options.scratch_bytes = limits().plan.scratch_bytes;
  options.sample_lanes = true;
  check(run::simulate(plan, code_of_the_harness(), inputs(), options));
  options.count = false;
  options.schedule_seed = 1 + plan.operations.size();
  for (const run::Run &run :
       run::simulate_in_turn(plan, code_of_the_harness(), {inputs(), inputs()}, options))
    check(run);
}

void judge(const plan::LaunchPlan &plan) {
  course::Rules rules;
  rules.shared_memory = course::Permission::required;
  judge::check_plan_rules(rules, code_of_the_harness()->module(), plan);
  rules.shared_memory = course::Permission::forbidden;
  judge::check_plan_rules(rules, code_of_the_harness()->module(), plan);
  expect(judge::workers_of(plan, {}, 0).threads >= 0, "the threads of a plan are a number");
}

void check(const plan::LaunchPlan &plan) {
  Sound(plan, call_of_the_harness()).check();
  expect(!plan::describe(plan, call_of_the_harness().kernels).empty(), "a plan can be put into words");
  plan::describe(plan);
  expect(!plan::first_difference(plan, plan).has_value(), "a plan is like itself");
  if (const auto refusal = gpu::check_plan(plan, limits().plan.scratch_bytes))
    expect(!refusal->message.empty() && refusal->end != run::End::our_failure,
           "a GPU's refusal has a reason");
  else
    gpu::assign_slots(plan);
}

}  // namespace

const plan::CallRequest &call_of_the_harness() {
  static const plan::CallRequest call = [] {
    plan::CallRequest made;
    made.parameters =
        "int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C";
    made.integers = {5, 4, 3};
    made.reals = {1.5, 0.5};
    made.devices = 2;
    made.buffers = {
        {plan::Owner::judge, "A", 60}, {plan::Owner::judge, "B", 48}, {plan::Owner::judge, "C", 80}};
    for (const ptx::KernelFacts &facts : code_of_the_harness()->module().kernels) {
      plan::KernelLayout layout;
      layout.name = facts.name;
      layout.argument_bytes = facts.argument_bytes;
      for (const ptx::Parameter &p : facts.parameters) layout.parameters.push_back({p.offset, p.size});
      layout.static_shared_bytes = facts.static_shared_bytes;
      layout.max_threads = facts.max_threads;
      layout.cluster = facts.cluster;
      made.kernels.push_back(std::move(layout));
    }
    for (const ptx::Variable &variable : code_of_the_harness()->module().variables)
      if ((variable.space == ptx::Space::global || variable.space == ptx::Space::constant) &&
          variable.bytes != 0)
        made.variables.push_back({plan::Owner::module, variable.name, variable.bytes});
    return made;
  }();
  return call;
}

void exercise_plan(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  record::ServerAnswer answer;
  if (bytes[0] == std::byte{'a'}) {
    try {
      answer = record::decode_answer(bytes.subspan(1));
    } catch (const WireError &) {
      return;
    }
  } else {
    answer.end = record::ServerAnswer::End::exited;
    answer.code = plan::returned_status;
    answer.plan.assign(bytes.begin() + 1, bytes.end());
  }
  const record::Recording recording = record::read_answer(answer, call_of_the_harness(), limits());
  if (recording.outcome != record::Recording::Outcome::plan) {
    expect(!recording.message.empty() && recording.message.size() <= longest_message,
           "bytes that are not a plan have a readable reason");
    expect(recording.plan == plan::LaunchPlan(), "bytes that are not a plan give no plan");
    return;
  }
  check(recording.plan);
  judge(recording.plan);
  replay(recording.plan);
}

}  // namespace warpgrade::fuzz
