// The referee's process: it deals, checks and multiplies as its parent says. It never sees student code.
#include "gpu/child_channel.hpp"
#include "gpu/child_process.hpp"
#include "gpu/children.hpp"
#include "gpu/cublas_library.hpp"
#include "gpu/nvml.hpp"
#include "gpu/referee_device.hpp"

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
    std::vector<std::string> directories(set_up.get_count(8));
    for (auto &directory : directories) directory = set_up.get_string();
    try {
      cublas_.emplace(directories, context_.stream);
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
        case Message::deal:
          deal(reader);
          break;
        case Message::check:
          check(reader);
          break;
        case Message::run:
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

  /// Where each matrix lies in the shared memory.
  std::array<std::span<std::byte>, 3> shared() {
    const auto all = parent_.shared(shared_bytes_);
    const std::array<const problem::Matrix *, 3> matrices{&product_.a, &product_.b, &product_.c};
    std::array<std::span<std::byte>, 3> parts;
    for (std::size_t i = 0; i < 3; ++i) parts[i] = all.subspan(offsets_[i], matrices[i]->bytes());
    return parts;
  }

  void take(Reader &reader) {
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
    const auto offsets = device_.deal(seed, reader.get<std::uint64_t>());
    if (!device_.shares()) device_.download(shared());
    parent_.send(Message::dealt, Writer().put(offsets));
  }

  void check(Reader &reader) {
    const auto state = nvml_.read();  // at once: the clocks fall as soon as the GPU idles
    if (!device_.shares()) {
      const auto parts = shared();
      device_.upload({parts[0], parts[1], parts[2]});
    }
    const Finding finding = device_.check(reader.get<std::uint64_t>());
    Writer answer;
    answer.put(std::uint8_t{state.has_value()});
    if (state) answer.put(*state);
    parent_.send(Message::checked, answer.put(finding));
  }

  void multiply(const MultiplyRequest &request) {
    const auto &cu = context_.driver;
    const auto once = [&](const std::array<CUdeviceptr, 3> &x) {
      cublas_->multiply(product_, x[0], x[1], x[2]);
    };
    const auto why_not = cublas_ ? Cublas::why_not(product_) : why_no_cublas_;
    if (!why_not.empty()) {
      finished(run::End::launch_error, why_not, 0, 0);
      return;
    }
    // The first product of a shape chooses and loads its kernel: not in the timed span.
    if (!multiplied_) once(device_.operands());
    multiplied_ = true;
    const auto operands = device_.operands();
    flush_.prepare();
    flush_.spin(request.spin_seconds);
    cu.check(cu.context_synchronize(), "preparing a product");
    parent_.send(Message::armed);
    if (parent_.receive().type != Message::go) throw ParentGone();
    if (request.flush != 0) flush_.issue(flushes_ahead);
    cu.check(cu.event_record(context_.start, context_.stream), "recording an event");
    once(operands);
    cu.check(cu.event_record(context_.stop, context_.stream), "recording an event");
    const double host_seconds = Watch(context_).wait();
    cu.check(cu.context_synchronize(), "cublasSgemm");
    float milliseconds = 0;
    cu.check(cu.event_milliseconds(&milliseconds, context_.start, context_.stop), "reading the events");
    finished(run::End::completed, "", milliseconds * 1e-3, host_seconds);
    Finding finding;
    if (request.check != 0) finding = device_.check_reference(request.seed);
    if (request.download != 0) device_.download_reference(shared()[2]);
    parent_.send_after_output(Message::outputs, Writer().put(finding));
  }

  void finished(run::End end, const std::string &message, double seconds, double host_seconds) {
    parent_.send_after_output(
        Message::finished,
        Writer().put(static_cast<std::uint32_t>(end)).put_string(message).put(seconds).put(host_seconds));
  }

  ParentChannel &parent_;
  Context context_;
  RefereeDevice device_;
  L2Flush flush_;
  Nvml nvml_;
  std::optional<Cublas> cublas_;
  std::string why_no_cublas_;
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
