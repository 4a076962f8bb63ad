// The process that runs microbenchmarks. It never sees student code.
#include <algorithm>
#include <array>

#include "gpu/child_channel.hpp"
#include "gpu/children.hpp"
#include "gpu/driver.hpp"
#include "gpu/nvml.hpp"
#include "gpu/probe.hpp"

asm(".section .rodata\n"
    ".balign 16\n"
    "warpgrade_probe_fatbin:\n"
    ".incbin \"" WARPGRADE_PROBE_FATBIN
    "\"\n"
    ".previous\n");
extern "C" const std::byte warpgrade_probe_fatbin[];

namespace warpgrade::gpu {
namespace {

constexpr const char *kernel_names[] = {
#define WARPGRADE_PROBE_KERNEL(name) "probe_" #name,
    WARPGRADE_PROBE_KERNELS(WARPGRADE_PROBE_KERNEL)
#undef WARPGRADE_PROBE_KERNEL
};

bool is_chain_of_loads(ProbeKernel k) {
  return k == ProbeKernel::chain_l1 || k == ProbeKernel::chain_l2;
}

class ProbeServer {
 public:
  ProbeServer(ParentChannel &parent, const std::string &library, Reader &set_up)
      : parent_(parent),
        device_index_(set_up.get<std::int32_t>()),
        nvml_(nvml_from(set_up)),
        other_processes_(nvml_.processes()),  // before there is a context of ours
        context_(Context::create(library, device_index_)),
        flush_(context_),
        from_(context_),
        to_(context_),
        reading_(context_) {
    const auto &cu = context_.driver;
    cu.check(cu.module_load(&module_, warpgrade_probe_fatbin, 0, nullptr, nullptr),
             "loading the microbenchmarks");
    reading_.reserve(sizeof(ProbeReading));
    flush_.prepare();
  }

  void serve() {
    parent_.send_after_output(
        Message::ready,
        Writer()
            .put(std::int32_t{context_.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)})
            .put(std::int32_t{other_processes_}));
    while (true) {
      const auto request = parent_.receive();
      if (request.type != Message::probe) return;
      Reader reader(request.payload);
      run(reader.get<Probe>());
    }
  }

 private:
  static Nvml nvml_from(Reader &set_up) {
    const auto library = set_up.get_string();
    return {library, set_up.get_string()};
  }

  void launch(ProbeKernel kernel, unsigned blocks, unsigned threads, ProbeArguments arguments) {
    const auto &cu = context_.driver;
    const std::string name = kernel_names[static_cast<std::size_t>(kernel)];
    CUfunction function = nullptr;
    cu.check(cu.module_function(&function, module_, name.c_str()), "looking up " + name);
    std::array<void *, 1> pointers{&arguments};
    // Where the length is a number of launches, the kernel does nothing.
    const std::uint32_t times = kernel == ProbeKernel::nothing ? arguments.steps : 1;
    for (std::uint32_t i = 0; i < times; ++i)
      cu.check(cu.launch(function, blocks, 1, 1, threads, 1, 1, 0, context_.stream, pointers.data(), nullptr),
               "launching " + name);
  }

  ProbeTime time(const Probe &probe, const ProbeArguments &arguments) {
    const auto &cu = context_.driver;
    if (probe.cold != 0) flush_.issue(flushes_ahead);
    cu.check(cu.event_record(context_.start, context_.stream), "recording an event");
    launch(probe.kernel, probe.blocks, probe.threads, arguments);
    cu.check(cu.event_record(context_.stop, context_.stream), "recording an event");
    ProbeReading reading;
    cu.check(cu.copy_out(&reading, reading_.at(), sizeof reading, context_.stream), "reading the clocks");
    cu.check(cu.stream_synchronize(context_.stream), kernel_names[static_cast<std::size_t>(probe.kernel)]);
    float milliseconds = 0;
    cu.check(cu.event_milliseconds(&milliseconds, context_.start, context_.stop), "reading the events");
    return {static_cast<double>(reading.cycles), static_cast<double>(reading.nanoseconds),
            milliseconds * 1e-3};
  }

  void run(const Probe &probe) {
    if (static_cast<std::size_t>(probe.kernel) >= std::size(kernel_names)) throw WireError("no such kernel");
    constexpr std::size_t least = 256;
    from_.reserve(std::max<std::size_t>(probe.bytes, least));
    const bool copies = probe.kernel == ProbeKernel::copy;
    if (copies) to_.reserve(probe.bytes);
    ProbeArguments arguments{
        .from = from_.at(), .to = to_.at(), .bytes = probe.bytes, .reading = reading_.at()};
    const auto &cu = context_.driver;
    cu.check(cu.set_bytes(reading_.at(), 0, sizeof(ProbeReading), context_.stream), "clearing the clocks");
    if (is_chain_of_loads(probe.kernel)) {
      launch(ProbeKernel::link, 1024, 256, arguments);
      if (probe.cold == 0) arguments.warm = static_cast<std::uint32_t>(probe.bytes / probe_line);
    }
    flush_.spin(0.03);  // the clocks are up
    arguments.steps = probe.length;
    time(probe, arguments);  // the first launch loads code, and data into the cache
    std::vector<ProbeTime> times;
    for (std::uint32_t repeat = 0; repeat < probe.repeats; ++repeat)
      for (std::uint32_t i = 1; i <= probe_lengths; ++i) {
        arguments.steps = i * probe.length;
        times.push_back(time(probe, arguments));
      }
    const auto state = nvml_.read();
    Writer answer;
    answer.put(std::uint8_t{state.has_value()});
    if (state) answer.put(*state);
    for (const ProbeTime &t : times) answer.put(t);
    parent_.send_after_output(Message::probed, answer);
  }

  ParentChannel &parent_;
  int device_index_;
  Nvml nvml_;
  int other_processes_;
  Context context_;
  L2Flush flush_;
  DeviceMemory from_, to_, reading_;
  CUmodule module_ = nullptr;
};

}  // namespace

int probe_child(const std::string &library) {
  return serve_parent(Message::set_up_probes, [&](ParentChannel &parent, Reader &set_up) {
    ProbeServer(parent, library, set_up).serve();
  });
}

}  // namespace warpgrade::gpu
