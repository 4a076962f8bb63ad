// The referee's process: it deals, checks and multiplies as its parent says. It never sees student code.
#include "gpu/array_device.hpp"
#include "gpu/child_channel.hpp"
#include "gpu/child_process.hpp"
#include "gpu/children.hpp"
#include "gpu/conversation.hpp"
#include "gpu/cublas_library.hpp"
#include "gpu/energy.hpp"
#include "gpu/nvml.hpp"
#include "gpu/referee_device.hpp"
#include "gpu/routine_device.hpp"

namespace warpgrade::gpu {
namespace {

class RefereeServer {
 public:
  RefereeServer(ParentChannel &parent, const std::string &library, Reader &set_up)
      : parent_(parent),
        context_(Context::create(library, set_up.get<std::int32_t>())),
        device_(context_),
        flush_(context_),
        nvml_(nvml_from(set_up)) {
    devices_.resize(set_up.get_count(4));
    for (auto &device : devices_) device = set_up.get<std::int32_t>();
    directories_.resize(set_up.get_count(8));
    for (auto &directory : directories_) directory = set_up.get_string();
    try {
      cublas_.emplace(directories_, context_);
    } catch (const DriverUnavailable &error) {
      why_no_cublas_ = error.what();
    }
  }

  void serve() {
    parent_.send_after_output(Message::ready, Writer()
                                                  .put_string(cublas_ ? cublas_->name_and_version() : "")
                                                  .put_string(why_no_cublas_)
                                                  .put_string(nvml_.why()));
    while (true) {
      const auto request = parent_.receive();
      Reader reader(request.payload);
      switch (request.type) {
        case Message::product:
          take(reader);
          break;
        case Message::arrays:
          take_arrays(reader);
          break;
        case Message::routine:
          take_routine(reader);
          break;
        case Message::deal:
          deal(reader);
          break;
        case Message::check:
          check(reader);
          break;
        case Message::run:
          if (routine_)
            run_routine(reader.get<RoutineRequest>());
          else
            multiply(reader.get<MultiplyRequest>());
          break;
        default:
          return;
      }
    }
  }

 private:
  static Nvml nvml_from(Reader &set_up) {
    const auto library = set_up.get_string();
    return {library, set_up.get_string()};
  }

  /// That of a plan's number.
  CUdevice device(std::uint8_t number) const {
    CUdevice found = 0;
    context_.driver.check(context_.driver.device_get(&found, devices_.at(number)), "cuDeviceGet");
    return found;
  }

  /// The part of the shared memory that holds each matrix.
  std::array<std::span<std::byte>, 3> shared() {
    const auto all = parent_.shared(shared_bytes_);
    const std::array<const problem::Matrix *, 3> matrices{&product_.a, &product_.b, &product_.c};
    std::array<std::span<std::byte>, 3> parts;
    for (std::size_t i = 0; i < 3; ++i) parts[i] = all.subspan(offsets_[i], matrices[i]->bytes());
    return parts;
  }

  /// The library's name, or why it cannot be used.
  void take_routine(Reader &reader) {
    const auto routine = problem::Routine{reader.get<std::uint32_t>()};
    shared_bytes_ = reader.get<std::uint64_t>();
    std::vector<std::uint64_t> bytes(reader.get_count(17));
    std::vector<CUdevice> memory_of;
    operand_offsets_.clear();
    for (auto &size : bytes) {
      size = reader.get<std::uint64_t>();
      operand_offsets_.push_back(reader.get<std::uint64_t>());
      memory_of.push_back(device(reader.get<std::uint8_t>()));
    }
    routine_.reset();
    operands_.reset();
    copies_ = routine == problem::Routine::copy;
    std::string name, why;
    try {
      routine_ = open_routine(routine, context_, directories_, devices_);
      name = routine_->name_and_version();
      operands_ = std::make_unique<RoutineDevice>(context_, bytes, memory_of);
      operand_bytes_ = bytes;
    } catch (const DriverUnavailable &error) {
      routine_.reset();
      why = error.what();
    }
    ran_ = false;
    parent_.send(Message::ready, Writer().put_string(name).put_string(why));
  }

  /// Why the arrays cannot be dealt here, or "" and their memory.
  void take_arrays(Reader &reader) {
    routine_.reset();
    operands_.reset();
    arrays_.reset();
    const auto problem = reader.get_string();
    const auto size = reader.get<problem::OnDeviceCase>();
    tolerance_ = reader.get<double>();
    std::vector<CUdevice> memory_of;
    for (std::uint32_t a = 0; a < size.arrays; ++a) memory_of.push_back(device(reader.get<std::uint8_t>()));
    try {
      arrays_ = std::make_unique<ArrayDevice>(context_, directories_, problem, size, memory_of);
    } catch (const DriverUnavailable &error) {
      parent_.send(Message::exchange, Writer().put_string(error.what()));
      return;
    } catch (const DriverError &error) {
      if (error.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
      parent_.send(Message::exchange, Writer().put_string(error.what()));
      return;
    }
    Writer answer;
    answer.put_string("");
    std::vector<Descriptor> files;
    std::vector<int> numbers;
    for (std::uint32_t a = 0; a < arrays_->arrays(); ++a) {
      answer.put(std::uint64_t{arrays_->buffer(a).bytes()});
      files.push_back(arrays_->buffer(a).file());
      numbers.push_back(files.back().get());
    }
    parent_.send(Message::exchange, answer, numbers);
  }

  void take(Reader &reader) {
    routine_.reset();
    operands_.reset();
    arrays_.reset();
    product_ = reader.get<problem::MatrixProduct>();
    const auto tolerance = reader.get<double>();
    shared_bytes_ = reader.get<std::uint64_t>();
    offsets_ = reader.get<std::array<std::uint64_t, 3>>();
    device_.take(product_, tolerance);
    multiplied_ = false;
    Writer answer;
    answer.put(std::uint8_t{device_.shares()});
    std::vector<Descriptor> files;
    std::vector<int> numbers;
    for (std::size_t i = 0; i < 3; ++i) {
      answer.put(std::uint64_t{device_.buffer(i).bytes()});
      if (!device_.shares()) continue;
      files.push_back(device_.buffer(i).file());
      numbers.push_back(files.back().get());
    }
    parent_.send(Message::exchange, answer, numbers);
  }

  void deal(Reader &reader) {
    const auto seed = reader.get<std::uint64_t>();
    if (arrays_) {
      Writer answer;
      for (const std::uint64_t offset : arrays_->deal(seed, reader.get<std::uint64_t>())) answer.put(offset);
      parent_.send(Message::dealt, answer);
      return;
    }
    const auto offsets = device_.deal(seed, reader.get<std::uint64_t>());
    if (!device_.shares()) device_.download(shared());
    parent_.send(Message::dealt, Writer().put(offsets));
  }

  void check(Reader &reader) {
    const auto state = nvml_.read();  // at once: the clocks fall as soon as the GPU idles
    Writer answer;
    answer.put(std::uint8_t{state.has_value()});
    if (state) answer.put(*state);
    if (arrays_) {
      answer.put(arrays_->look(tolerance_));
      for (const GuardDamage &damage : arrays_->damage()) answer.put(damage);
      parent_.send(Message::checked, answer);
      return;
    }
    if (!device_.shares()) {
      const auto parts = shared();
      device_.upload({parts[0], parts[1], parts[2]});
    }
    const Finding finding = device_.check(reader.get<std::uint64_t>());
    parent_.send(Message::checked, answer.put(finding));
  }

  /// Between two events, with the caches and clocks that a student's run finds.
  template <typename Once>
  void time(double spin_seconds, double energy_seconds, bool flush, const Once &once, bool several = false) {
    const auto &cu = context_.driver;
    flush_.prepare();
    flush_.spin(spin_seconds);
    cu.check(cu.context_synchronize(), "preparing a library's routine");
    parent_.send(Message::armed);
    if (parent_.receive().type != Message::go) throw ParentGone();
    if (energy_seconds > 0) {
      finished(run::End::completed, "", 0, 0,
               several ? run::Energy{.why_not = energy_of_several}
                       : repeat_for_energy(context_, nvml_, energy_seconds, once));
      return;
    }
    if (flush) flush_.issue(flushes_ahead);
    cu.check(cu.event_record(context_.start, context_.stream), "recording an event");
    once();
    cu.check(cu.event_record(context_.stop, context_.stream), "recording an event");
    const double host_seconds = Watch(context_).wait();
    cu.check(cu.context_synchronize(), "a library's routine");
    float milliseconds = 0;
    cu.check(cu.event_milliseconds(&milliseconds, context_.start, context_.stop), "reading the events");
    finished(run::End::completed, "", milliseconds * 1e-3, host_seconds);
  }

  void run_routine(const RoutineRequest &request) {
    const auto all = parent_.shared(shared_bytes_);
    std::vector<std::span<std::byte>> parts;
    for (std::size_t i = 0; i < operand_bytes_.size(); ++i)
      parts.push_back(all.subspan(operand_offsets_[i], operand_bytes_[i]));
    std::vector<DeviceSpan> placed;
    try {
      if (request.dealt != 0 && !arrays_) throw DriverUnavailable("there are no inputs");
      if (request.dealt != 0 && copies_)
        operands_->repeat(arrays_->dealt());
      else if (request.dealt != 0)
        operands_->upload(arrays_->dealt());
      else if (request.upload != 0)
        operands_->upload(parts);
      // The first run loads its kernels: not in the timed span.
      if (!ran_) {
        routine_->prepare(operands_->place(request.random));
        routine_->run();
      }
      ran_ = true;
      placed = operands_->place(request.random);
      routine_->prepare(placed);
    } catch (const DriverUnavailable &error) {
      finished(run::End::launch_error, error.what(), 0, 0);
      return;
    }
    time(
        request.spin_seconds, request.energy_seconds, request.flush != 0, [&] { routine_->run(); },
        routine_->uses_several_gpus());
    if (request.download != 0) operands_->download(parts);
    Writer left;
    if (request.look != 0) left.put(look_at(placed));
    parent_.send_after_output(Message::outputs, left);
  }

  /// What a routine has left.
  problem::Looked look_at(std::span<const DeviceSpan> placed) {
    if (!copies_) return arrays_->look_at(placed, tolerance_);
    problem::Looked looked;
    looked.checked = placed[0].bytes;
    looked.wrong = device_.differs(placed[0].at, placed[1].at, placed[0].bytes / 2);
    return looked;
  }

  void multiply(const MultiplyRequest &request) {
    const auto once = [&](const std::array<CUdeviceptr, 3> &x) {
      cublas_->multiply(product_, x[0], x[1], x[2]);
    };
    auto why_not = cublas_ ? Cublas::why_not(product_) : why_no_cublas_;
    // The first product of a shape chooses and loads its kernel: not in the timed span.
    if (why_not.empty() && !multiplied_) try {
        once(device_.operands());
        multiplied_ = true;
      } catch (const DriverUnavailable &error) {
        why_not = error.what();
      }
    if (!why_not.empty()) {
      finished(run::End::launch_error, why_not, 0, 0);
      return;
    }
    const auto operands = device_.operands();
    time(request.spin_seconds, request.energy_seconds, request.flush != 0, [&] { once(operands); });
    Finding finding;
    if (request.check != 0) finding = device_.check_reference(request.seed);
    if (request.download != 0) device_.download_reference(shared()[2]);
    parent_.send_after_output(Message::outputs, Writer().put(finding));
  }

  void finished(run::End end, const std::string &message, double seconds, double host_seconds,
                const run::Energy &energy = {}) {
    Writer answer;
    answer.put(static_cast<std::uint32_t>(end)).put_string(message).put(seconds).put(host_seconds);
    put_energy(answer, energy);
    parent_.send_after_output(Message::finished, answer);
  }

  ParentChannel &parent_;
  Context context_;
  RefereeDevice device_;
  L2Flush flush_;
  Nvml nvml_;
  std::optional<Cublas> cublas_;
  std::string why_no_cublas_;
  std::vector<std::int32_t> devices_;  ///< the driver's numbers
  std::vector<std::string> directories_;
  std::unique_ptr<LibraryRoutine> routine_;  ///< if that is what is run, and not a product
  std::unique_ptr<RoutineDevice> operands_;
  std::vector<std::uint64_t> operand_bytes_, operand_offsets_;
  bool ran_ = false, copies_ = false;
  std::unique_ptr<ArrayDevice> arrays_;  ///< if these are dealt, and not a product
  double tolerance_ = 0;                 ///< of theirs
  problem::MatrixProduct product_;
  std::uint64_t shared_bytes_ = 0;
  std::array<std::uint64_t, 3> offsets_{};
  bool multiplied_ = false;
};

}  // namespace

int referee_child(const std::string &library) {
  return serve_parent(Message::set_up_referee, [&](ParentChannel &parent, Reader &set_up) {
    RefereeServer(parent, library, set_up).serve();
  });
}

}  // namespace warpgrade::gpu
