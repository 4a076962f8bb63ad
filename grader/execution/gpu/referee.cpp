#include "gpu/referee.hpp"

#include <array>
#include <cstring>
#include <random>
#include <system_error>

#include "gpu/conversation.hpp"
#include "gpu/referee_wire.hpp"
#include "problem/problem.hpp"

namespace warpgrade::gpu {
namespace {

/// A product of ours that takes longer than this has hung.
constexpr double product_seconds = 60;
/// Dealing and checking are some passes over the matrices.
constexpr double look_seconds = 60;

std::string sentence(const Finding &f, const char (&names)[3]) {
  switch (static_cast<Found>(f.found)) {
    case Found::nothing:
      return "";
    case Found::a_changed:
      return std::string("the read-only matrix ") + names[0] + " was changed";
    case Found::b_changed:
      return std::string("the read-only matrix ") + names[1] + " was changed";
    case Found::wrong_cell:
      return problem::wrong_cell(names[2], {f.row, f.column}, f.got, f.want);
    case Found::wrong_row:
      return problem::wrong_row(names[2], f.row, f.got, f.want, f.allowed);
  }
  return "something that has no name";
}

std::string sentence(const problem::Looked &looked, const problem::Problem &p, const problem::Case &size) {
  const std::vector<plan::Buffer> buffers = p.buffers(size);
  if (looked.wrong > 0)
    return problem::wrong_elements(
        looked.wrong, looked.checked, buffers.at(looked.wrong_array).name,
        {p.element_name(size, looked.wrong_array, looked.element), looked.got, looked.want});
  if (looked.changed > 0)
    return "the read-only " + buffers.at(looked.changed_array).name + " (" + std::to_string(looked.changed) +
           (looked.changed == 1 ? " element" : " elements") + ") was changed";
  return "";
}

std::uint64_t new_generation() {
  static std::uint64_t last = 0;
  return ++last;
}

}  // namespace

struct Referee::State {
  std::vector<DeviceInfo> devices;
  ChildOptions options;
  std::unique_ptr<ChildProcess> child;
  bool ready = false;
  std::string version, why_no_cublas, why_no_state;

  problem::MatrixProduct product;
  DealtBuffers dealt;
  bool over_the_host = false;  ///< what is dealt and what is left travel through the shared memory
  std::array<std::uint64_t, 3> in_shared{};
  std::uint64_t shared_bytes = 0;
  std::vector<run::HostBuffer> inputs;  ///< when over the host
  bool first_product = true;
  std::vector<float> c;  ///< cuBLAS's

  const problem::Problem *problem = nullptr;  ///< if arrays are dealt, and not a product
  problem::Case size;

  std::string routine_version;
  bool first_computed = true;
  std::vector<std::uint64_t> operand_bytes, operand_offsets;

  std::string spawn();
  std::string start();
  std::string failed(std::string why);
  std::string ask(Message question, const Writer &payload, Message wanted, const char *doing, Answer &answer);
  std::string read_exchange(Answer &answer);
  Exchange carry_out(RoutineRequest request, const SampleOptions &options, LibraryTime &time);
  void put_outputs(const std::vector<run::HostBuffer> &outputs);
};

std::string Referee::State::spawn() {
  if (child) return "";
  ready = false;
  try {
    child = std::make_unique<ChildProcess>(options, "--gpu-referee-child");
  } catch (const std::system_error &error) {
    return std::string("the referee's process could not be started: ") + error.what();
  }
  child->accept_files();
  Writer set_up;
  set_up.put(std::int32_t{devices[0].index});
  set_up.put_string(options.nvml_library).put_string(devices[0].pci_bus_id);
  set_up.put(std::uint64_t{devices.size()});
  for (const DeviceInfo &one : devices) set_up.put(std::int32_t{one.index});
  set_up.put(std::uint64_t{options.library_directories.size()});
  for (const auto &directory : options.library_directories) set_up.put_string(directory);
  if (child->send(Message::set_up_referee, set_up)) return "";
  return failed("the referee's process ended before it was set up");
}

/// Nothing is asked of this process any more.
std::string Referee::State::failed(std::string why) {
  child.reset();
  return "the referee: " + why;
}

std::string Referee::State::start() {
  if (auto why = spawn(); !why.empty() || ready) return why;
  const auto answer = child->wait(now() + options.setup_seconds);
  if (auto why = unexpected(answer, Message::ready, "setting up", options.setup_seconds); !why.empty())
    return failed(std::move(why));
  try {
    Reader reader(answer.payload);
    version = reader.get_string();
    why_no_cublas = reader.get_string();
    why_no_state = reader.get_string();
  } catch (const WireError &error) {
    return failed(std::string("an unreadable answer: ") + error.what());
  }
  ready = true;
  return "";
}

std::string Referee::State::ask(Message question, const Writer &payload, Message wanted, const char *doing,
                                Answer &answer) {
  if (!child) return "the referee is gone";
  if (!child->send(question, payload)) return failed("its process was gone");
  answer = child->wait(now() + look_seconds);
  auto why = unexpected(answer, wanted, doing, look_seconds);
  return why.empty() ? "" : failed(std::move(why));
}

std::string Referee::State::read_exchange(Answer &answer) {
  try {
    Reader reader(answer.payload);
    dealt = {};
    dealt.generation = new_generation();
    over_the_host = reader.get<std::uint8_t>() == 0;
    for (std::size_t i = 0; i < 3; ++i) dealt.bytes.push_back(reader.get<std::uint64_t>());
  } catch (const WireError &error) {
    return failed(std::string("an unreadable answer: ") + error.what());
  }
  dealt.memory = std::move(answer.files);
  if (!over_the_host && dealt.memory.size() != 3) return failed("the memory was not passed");
  return "";
}

Referee::Referee(DeviceInfo device, ChildOptions options)
    : Referee(std::vector<DeviceInfo>{std::move(device)}, std::move(options)) {}

Referee::Referee(std::vector<DeviceInfo> devices, ChildOptions options) : state_(std::make_unique<State>()) {
  state_->devices = std::move(devices);
  state_->options = std::move(options);
}
Referee::~Referee() = default;
Referee::Referee(Referee &&) noexcept = default;
Referee &Referee::operator=(Referee &&) noexcept = default;

void Referee::start_early() {
  state_->spawn();  // what went wrong, take() finds out and says
}

std::string Referee::take(const problem::MatrixProduct &product, double tolerance) {
  State &s = *state_;
  if (auto why = s.start(); !why.empty()) return why;
  s.problem = nullptr;
  s.product = product;
  s.first_product = true;
  s.shared_bytes = 4096;
  const std::array<const problem::Matrix *, 3> matrices{&product.a, &product.b, &product.c};
  for (std::size_t i = 0; i < 3; ++i) {
    s.in_shared[i] = s.shared_bytes;
    s.shared_bytes += (matrices[i]->bytes() + 4095) / 4096 * 4096;
  }
  try {
    s.child->share(s.shared_bytes);
  } catch (const std::system_error &error) {
    return error.what();
  }
  Answer answer;
  const auto question = Writer().put(product).put(tolerance).put(s.shared_bytes).put(s.in_shared);
  if (auto why = s.ask(Message::product, question, Message::exchange, "making room", answer); !why.empty())
    return why;
  if (auto why = s.read_exchange(answer); !why.empty()) return why;
  s.inputs.clear();
  if (s.over_the_host)
    for (std::size_t i = 0; i < 3; ++i)
      s.inputs.push_back({std::string(1, product.names[i]), i < 2 ? run::Role::input : run::Role::in_out,
                          std::vector<std::byte>(matrices[i]->bytes()),
                          problem::bytes_of(matrices[i]->fill.type)});
  return "";
}

std::string Referee::take(const problem::Problem &problem, const problem::Case &size, double tolerance) {
  State &s = *state_;
  const auto on_device = problem.on_device(size);
  if (!on_device) return std::string(problem.name()) + " has arrays that no problem.cu can generate";
  if (auto why = s.start(); !why.empty()) return why;
  Answer answer;
  Writer question;
  question.put_string(problem.name()).put(*on_device).put(tolerance);
  std::vector<std::uint8_t> devices;
  for (const plan::Buffer &buffer : problem.buffers(size)) devices.push_back(buffer.device);
  devices.resize(on_device->arrays);
  for (const std::uint8_t device : devices) question.put(device);
  if (auto why = s.ask(Message::arrays, question, Message::exchange, "making room", answer); !why.empty())
    return why;
  s.problem = nullptr;
  s.first_computed = true;
  s.inputs.clear();
  try {
    Reader reader(answer.payload);
    if (auto why = reader.get_string(); !why.empty()) return why;
    s.dealt = {};
    s.dealt.generation = new_generation();
    s.dealt.devices = std::move(devices);
    s.over_the_host = false;
    for (std::uint32_t a = 0; a < on_device->arrays; ++a)
      s.dealt.bytes.push_back(reader.get<std::uint64_t>());
  } catch (const WireError &error) {
    return s.failed(std::string("an unreadable answer: ") + error.what());
  }
  s.dealt.memory = std::move(answer.files);
  if (s.dealt.memory.size() != on_device->arrays) return s.failed("the memory was not passed");
  s.problem = &problem;
  s.size = size;
  return "";
}

std::string Referee::deal(std::uint64_t seed) {
  State &s = *state_;
  std::random_device anywhere;
  Answer answer;
  const auto question = Writer().put(seed).put((std::uint64_t{anywhere()} << 32) | anywhere());
  if (auto why = s.ask(Message::deal, question, Message::dealt, "dealing", answer); !why.empty()) return why;
  try {
    Reader reader(answer.payload);
    s.dealt.offsets.clear();
    for (std::size_t i = 0; i < s.dealt.bytes.size(); ++i)
      s.dealt.offsets.push_back(reader.get<std::uint64_t>());
    if (s.inputs.empty()) return "";
    const auto shared = s.child->share(s.shared_bytes);
    for (std::size_t i = 0; i < s.inputs.size(); ++i)
      std::memcpy(s.inputs[i].bytes.data(), shared.data() + s.in_shared[i], s.inputs[i].bytes.size());
  } catch (const std::runtime_error &error) {
    return s.failed(error.what());
  }
  return "";
}

void Referee::State::put_outputs(const std::vector<run::HostBuffer> &outputs) {
  const auto shared = child->share(shared_bytes);
  for (std::size_t i = 0; i < outputs.size() && i < 3; ++i)
    std::memcpy(shared.data() + in_shared[i], outputs[i].bytes.data(),
                std::min(outputs[i].bytes.size(), inputs[i].bytes.size()));
}

Timed Referee::run(Replay &replay, const plan::LaunchPlan &plan, const SampleOptions &options) {
  State &s = *state_;
  if (!s.over_the_host) return replay.time_dealt(plan, s.dealt, options);
  Timed timed = replay.time_once(plan, s.inputs, options);
  if (timed.run.end == run::End::completed && s.child) s.put_outputs(timed.run.buffers);
  return timed;
}

Checked Referee::check(std::uint64_t seed) {
  State &s = *state_;
  Checked checked;
  Answer answer;
  checked.why = s.ask(Message::check, Writer().put(seed), Message::checked, "checking a result", answer);
  if (!checked.why.empty()) return checked;
  try {
    Reader reader(answer.payload);
    if (reader.get<std::uint8_t>() != 0) checked.state = reader.get<GpuState>();
    if (s.problem != nullptr) {
      const auto looked = reader.get<problem::Looked>();
      checked.finding = sentence(looked, *s.problem, s.size);
      checked.input_changed = looked.changed > 0;
      for (const plan::Buffer &buffer : s.problem->buffers(s.size))
        describe(reader.get<GuardDamage>(), buffer.name, checked.guards);
      return checked;
    }
    const auto finding = reader.get<Finding>();
    checked.finding = sentence(finding, s.product.names);
    const auto found = static_cast<Found>(finding.found);
    checked.input_changed = found == Found::a_changed || found == Found::b_changed;
    for (std::size_t i = 0; i < 3; ++i)
      describe(finding.damage[i], std::string(1, s.product.names[i]), checked.guards);
  } catch (const WireError &error) {
    checked.why = s.failed(std::string("an unreadable answer: ") + error.what());
  }
  return checked;
}

LibraryTime Referee::multiply(const SampleOptions &options) {
  State &s = *state_;
  LibraryTime time;
  time.why = s.why_no_cublas;
  if (time.why.empty() && !s.child) time.why = "the referee is gone";
  if (!time.why.empty()) return time;
  MultiplyRequest request;
  request.flush = options.flush_l2;
  request.check = s.first_product;
  request.spin_seconds = options.spin_seconds;
  request.energy_seconds = options.energy_seconds;
  request.seed = std::random_device{}();
  request.download = s.first_product;
  const auto exchange = converse(*s.child, Writer().put(request), s.options.setup_seconds, product_seconds);
  if (exchange.how == Exchange::How::answered && exchange.end == run::End::launch_error) {
    time.why = exchange.message;  // it will not have this product
    return time;
  }
  if (exchange.how != Exchange::How::answered || exchange.end != run::End::completed) {
    time.why = s.failed("cuBLAS: " + exchange.message);
    return time;
  }
  time.sample = exchange.sample;
  time.energy = exchange.energy;
  if (!s.first_product) return time;
  s.first_product = false;
  try {
    const auto finding = Reader(exchange.outputs).get<Finding>();
    if (finding.found != 0)
      time.why = "cuBLAS itself gave a wrong result: " + sentence(finding, s.product.names);
    s.c.resize(s.product.c.elements);
    std::memcpy(s.c.data(), s.child->share(s.shared_bytes).data() + s.in_shared[2],
                s.c.size() * sizeof(float));
  } catch (const std::runtime_error &error) {
    time.why = s.failed(std::string("an unreadable answer: ") + error.what());
  }
  return time;
}

std::string Referee::take(problem::Routine routine, const std::vector<std::uint64_t> &bytes,
                          const std::vector<std::uint8_t> &devices) {
  State &s = *state_;
  if (auto why = s.start(); !why.empty()) return why;
  s.operand_bytes = bytes;
  s.operand_offsets.clear();
  s.shared_bytes = 4096;
  for (const std::uint64_t size : bytes) {
    s.operand_offsets.push_back(s.shared_bytes);
    s.shared_bytes += (size + 4095) / 4096 * 4096;
  }
  Writer question;
  question.put(routine).put(s.shared_bytes).put(std::uint64_t{bytes.size()});
  for (std::size_t i = 0; i < bytes.size(); ++i)
    question.put(bytes[i]).put(s.operand_offsets[i]).put(i < devices.size() ? devices[i] : std::uint8_t{0});
  Answer answer;
  try {
    s.child->share(s.shared_bytes);
    if (auto why = s.ask(Message::routine, question, Message::ready, "opening a library", answer);
        !why.empty())
      return why;
    Reader reader(answer.payload);
    s.routine_version = reader.get_string();
    return reader.get_string();
  } catch (const std::system_error &error) {
    return error.what();
  } catch (const WireError &error) {
    return s.failed(std::string("an unreadable answer: ") + error.what());
  }
}

/// Runs the routine once. `time` has its sample, or why there is none.
Exchange Referee::State::carry_out(RoutineRequest request, const SampleOptions &sampling, LibraryTime &time) {
  request.flush = sampling.flush_l2;
  request.spin_seconds = sampling.spin_seconds;
  request.energy_seconds = sampling.energy_seconds;
  request.random = std::random_device{}();
  Exchange exchange = converse(*child, Writer().put(request), options.setup_seconds, product_seconds);
  if (exchange.how == Exchange::How::answered && exchange.end == run::End::completed)
    time.sample = exchange.sample, time.energy = exchange.energy;
  else if (exchange.how == Exchange::How::answered && exchange.end == run::End::launch_error)
    time.why = exchange.message;
  else
    time.why = failed(exchange.message);
  return exchange;
}

LibraryTime Referee::compute(const std::vector<run::HostBuffer> *inputs, std::vector<run::HostBuffer> *left,
                             const SampleOptions &options) {
  State &s = *state_;
  LibraryTime time;
  if (!s.child) {
    time.why = "the referee is gone";
    return time;
  }
  const auto shared = s.child->share(s.shared_bytes);
  if (inputs != nullptr)
    for (std::size_t i = 0; i < s.operand_bytes.size(); ++i)
      std::memcpy(shared.data() + s.operand_offsets[i], inputs->at(i).bytes.data(), s.operand_bytes[i]);
  RoutineRequest request;
  request.upload = inputs != nullptr;
  request.download = left != nullptr;
  const Exchange exchange = s.carry_out(request, options, time);
  if (!time.why.empty()) return time;
  if (left == nullptr) return time;
  for (std::size_t i = 0; i < s.operand_bytes.size(); ++i)
    std::memcpy(left->at(i).bytes.data(), shared.data() + s.operand_offsets[i], s.operand_bytes[i]);
  return time;
}

LibraryTime Referee::compute_dealt(bool fresh, const SampleOptions &options) {
  State &s = *state_;
  LibraryTime time;
  if (!s.child || s.problem == nullptr) {
    time.why = s.child ? "there are no inputs" : "the referee is gone";
    return time;
  }
  RoutineRequest request;
  request.dealt = fresh;
  request.look = s.first_computed;
  const Exchange exchange = s.carry_out(request, options, time);
  if (!time.why.empty()) return time;
  if (!s.first_computed) return time;
  s.first_computed = false;
  try {
    const auto looked = Reader(exchange.outputs).get<problem::Looked>();
    const bool copies = s.problem->library() == problem::Library::copy;
    if (looked.wrong > 0)
      time.why = std::string(problem::name_of(s.problem->library())) + " itself gave a wrong result: " +
                 (copies ? "it differs from what was copied" : sentence(looked, *s.problem, s.size));
  } catch (const WireError &error) {
    time.why = s.failed(std::string("an unreadable answer: ") + error.what());
  }
  return time;
}

std::vector<float> Referee::cublas_product() {
  return state_->c;
}
const std::string &Referee::cublas_version() const {
  return state_->version;
}
const std::string &Referee::routine_version() const {
  return state_->routine_version;
}
const std::string &Referee::why_no_cublas() const {
  return state_->why_no_cublas;
}
const std::string &Referee::why_no_state() const {
  return state_->why_no_state;
}

}  // namespace warpgrade::gpu
