#include "machine/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "machine/launch.hpp"
#include "machine/recorder.hpp"
#include "machine/sampling.hpp"
#include "ptx/launch_check.hpp"

namespace warpgrade::simt {

namespace {

constexpr std::uint32_t most_backwards = 16;   // launches of a kernel that run in a second order
constexpr std::uint64_t workspace_bytes = 64;  // cooperative_groups' grid_workspace: a size and a barrier
constexpr std::size_t most_bytes_of_snapshot = std::size_t{32} << 20;  // to keep until the next launch

}  // namespace

/// The launches of a kernel so far.
struct KernelHistory {
  std::uint32_t launches = 0;
  std::array<double, 4> of_block{};  // warp instructions on average, in each of the last launches; 0: unknown

  void note(const LaunchResult &last, std::uint64_t blocks) {
    of_block[launches % of_block.size()] =
        static_cast<double>(last.warp_instructions) / static_cast<double>(blocks);
  }
  /// What a launch of so many blocks may take; UINT64_MAX: unknown
  std::uint64_t instructions(std::uint64_t blocks) const {
    if (*std::min_element(of_block.begin(), of_block.end()) <= 0) return UINT64_MAX;
    const double all = *std::max_element(of_block.begin(), of_block.end()) * static_cast<double>(blocks);
    return all < 1e18 ? static_cast<std::uint64_t>(all) : UINT64_MAX;
  }
};

struct Device::State {
  State(Options given, std::shared_ptr<Memory> shared, std::uint8_t which)
      : options(given), number(which), memory_(std::move(shared)), memory(*memory_) {
    memory.set_limit(given.memory_bytes, number);
    last_texture = std::uint64_t{number} << 32;
  }

  Options options;
  std::uint8_t number;
  std::uint32_t out_of_reach = 0;  // devices, by number, whose memory kernels may not access
  std::shared_ptr<Memory> memory_;
  Memory &memory;
  std::vector<std::shared_ptr<const DeviceCode>> codes;
  std::map<std::string, Address, std::less<>> variables;
  std::map<std::string, std::uint32_t, std::less<>> dynamic_shared;
  std::map<std::uint64_t, Texture> textures;
  std::uint64_t last_texture = 0;
  std::map<std::string, KernelHistory, std::less<>> launched;
  Snapshot snapshot;      // of an earlier launch, for its memory
  Address workspace = 0;  // of the grid barrier, once there was a cooperative launch
};

Device::Device(Options options)
    : state_(std::make_unique<State>(options, std::make_shared<Memory>(), std::uint8_t{0})) {}
Device::Device(Options options, const Device &beside, std::uint8_t number)
    : state_(std::make_unique<State>(options, beside.state_->memory_, number)) {}
Device::~Device() = default;
Device::Device(Device &&) noexcept = default;
Device &Device::operator=(Device &&) noexcept = default;

const Options &Device::options() const {
  return state_->options;
}
void Device::set_options(const Options &options) {
  state_->options = options;
  state_->memory.set_limit(options.memory_bytes, state_->number);
}

void Device::reach(std::uint8_t other, bool may) {
  const std::uint32_t bit = 1u << other;
  state_->out_of_reach = may ? state_->out_of_reach & ~bit : state_->out_of_reach | bit;
}

void Device::forget() {
  const std::uint32_t out_of_reach = state_->out_of_reach;
  state_->memory.forget(state_->number);
  state_ = std::make_unique<State>(state_->options, state_->memory_, state_->number);
  state_->out_of_reach = out_of_reach;
}

Address Device::allocate(std::uint64_t bytes, std::string name, bool initialized) {
  return state_->memory.allocate(bytes, std::move(name), initialized, state_->number).begin;
}
void Device::map(std::span<std::byte> host, std::string name) {
  state_->memory.map(host, std::move(name));
}
void Device::free(Address address) {
  state_->memory.free(address);
}
void Device::write(Address address, std::span<const std::byte> bytes) {
  state_->memory.write(address, bytes);
}
void Device::read(Address address, std::span<std::byte> bytes) const {
  state_->memory.read(address, bytes);
}
void Device::fill(Address address, std::byte value, std::uint64_t bytes) {
  state_->memory.fill(address, value, bytes);
}
void Device::copy(Address to, Address from, std::uint64_t bytes) {
  state_->memory.copy(to, from, bytes);
}

std::uint64_t Device::unwritten(Address address, std::uint64_t bytes) const {
  return state_->memory.unwritten(address, bytes);
}

bool Device::lacks_only_padding(Address address, std::uint64_t bytes) const {
  return state_->memory.lacks_only_padding(address, bytes);
}

void Device::load(std::shared_ptr<const ptx::Module> module,
                  const std::map<std::string, Address, std::less<>> &placed) {
  load(std::make_shared<const DeviceCode>(std::move(module)), placed);
}

void Device::load(std::shared_ptr<const DeviceCode> code,
                  const std::map<std::string, Address, std::less<>> &placed) {
  State &s = *state_;
  const ptx::Module &module = code->module();
  std::map<const ptx::Variable *, Address> own;  // hostile PTX may give two variables one name
  for (const ptx::Variable &variable : module.variables) {
    if (variable.space == ptx::Space::shared || variable.external) continue;
    if (const auto there = placed.find(variable.name); there != placed.end()) {
      own[&variable] = s.variables[variable.name] = there->second;
      s.memory.write(there->second, variable.initial);
      continue;
    }
    // Names that nvcc made up are of no use in a message.
    const bool made_up = variable.name.starts_with("$str") || variable.name.starts_with("__unnamed");
    Allocation &made = s.memory.allocate(
        variable.bytes, made_up ? std::string("a string constant") : ptx::demangle(variable.name), true,
        s.number);
    made.writable = variable.writable;
    if (!variable.initial.empty())
      std::memcpy(made.data.get(), variable.initial.data(),
                  std::min<std::size_t>(variable.initial.size(), variable.bytes));
    own[&variable] = s.variables[variable.name] = made.begin;
  }
  // Addresses inside initial values, now that every variable has one.
  for (const ptx::Variable &variable : module.variables)
    for (const auto &relocation : variable.relocations) {
      const auto to = s.variables.find(relocation.symbol);
      const Address target =
          to != s.variables.end() ? to->second : function_address(module, relocation.symbol);
      if (target == 0 || !own.count(&variable)) continue;
      const Address value = target + static_cast<std::uint64_t>(relocation.addend);
      if (relocation.offset + 8 > variable.bytes) continue;
      s.memory.write(own[&variable] + relocation.offset, std::as_bytes(std::span(&value, 1)));
    }
  s.codes.push_back(std::move(code));
}

std::optional<Address> Device::variable(std::string_view name) const {
  const auto found = state_->variables.find(name);
  if (found == state_->variables.end()) return std::nullopt;
  return found->second;
}

std::uint64_t Device::add_texture(Texture texture) {
  state_->textures[++state_->last_texture] = std::move(texture);
  return state_->last_texture;
}

bool Device::remove_texture(std::uint64_t object) {
  return state_->textures.erase(object) != 0;
}

void Device::set_max_dynamic_shared(std::string_view kernel, std::uint32_t bytes) {
  state_->dynamic_shared[std::string(kernel)] = bytes;
}

void Device::set_heap_limit(std::uint64_t bytes) {
  state_->memory.set_heap_limit(bytes, state_->number);
}

LaunchResult Device::launch(const Launch &launch) {
  State &s = *state_;
  const auto refuse = [&](std::string why, Status status = Status::launch_error) {
    LaunchResult result;
    result.status = status;
    Diagnostic made;
    made.code = status == Status::unsupported ? Code::unsupported : Code::launch_error;
    made.kernel = ptx::demangle(launch.kernel);
    made.message = std::move(why);
    result.diagnostics.push_back(std::move(made));
    return result;
  };
  const ptx::KernelFacts *facts = nullptr;
  const DeviceCode *code = nullptr;
  for (const auto &one : s.codes)
    if (const ptx::KernelFacts *found = ptx::find_kernel(one->module(), launch.kernel))
      facts = found, code = one.get();
  if (!facts) return refuse(fmt::format("there is no kernel named {}", launch.kernel));
  const std::array<std::uint32_t, 3> asked{launch.cluster.x, launch.cluster.y, launch.cluster.z};
  if (const auto why = ptx::check_cluster({launch.grid.x, launch.grid.y, launch.grid.z}, asked,
                                          facts->cluster, launch.large_clusters))
    return refuse(*why);
  const auto allowed = s.dynamic_shared.find(launch.kernel);
  const std::string problem =
      why_not(launch, *facts, allowed == s.dynamic_shared.end() ? 0 : allowed->second);
  if (!problem.empty()) return refuse(problem);
  std::shared_ptr<const Program> program;
  try {
    program = code->program(launch.kernel);
  } catch (const std::runtime_error &error) {
    return refuse(error.what(), Status::unsupported);
  }
  LaunchState state;
  const bool observed = s.options.sample_lanes || s.options.trace || s.options.keep_touched;
  state.program = observed ? with_samples(*program) : program;
  state.memory = &s.memory;
  state.device = s.number;
  state.out_of_reach = s.out_of_reach;
  state.options = s.options;
  state.launch = launch;
  const std::array<std::uint32_t, 3> cluster = ptx::cluster_of(asked, facts->cluster);
  state.launch.cluster = {cluster[0], cluster[1], cluster[2]};
  state.explicit_cluster = asked[0] != 0 || facts->cluster[0] != 0;
  state.variables = &s.variables;
  state.textures = &s.textures;
  state.dynamic_shared = &s.dynamic_shared;
  KernelHistory &history = s.launched[launch.kernel];
  state.tries_backwards = ++history.launches <= most_backwards;
  state.expected_instructions = history.instructions(state.blocks());
  try {
    if (launch.cooperative) {
      if (s.workspace == 0)
        s.workspace = s.memory.allocate(workspace_bytes, "the grid barrier", true, s.number).begin;
      s.memory.fill(s.workspace, std::byte{0}, workspace_bytes);
      state.workspace = s.workspace;
    }
    state.before = std::move(s.snapshot);
    LaunchResult result = state.options.record ? run_recorded(state) : run_launch(state);
    if (state.before.bytes() <= most_bytes_of_snapshot) s.snapshot = std::move(state.before);
    history.note(result, state.blocks());
    return result;
  } catch (const std::bad_alloc &) {
    s.snapshot = {};
    forget_shadows();
    return refuse("the simulator ran out of memory for registers and local memory", Status::unsupported);
  }
}

}  // namespace warpgrade::simt
