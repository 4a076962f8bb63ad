#include "plan/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/module.hpp"

namespace warpgrade::plan {
namespace {

// Kernel names come from student code: characters other than printable ASCII are shown as '?'.
std::string kernel_name(const std::string &mangled) {
  std::string name = ptx::demangle(mangled);
  for (char &c : name) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return name;
}

std::string text(const LaunchPlan &plan, const Place &place) {
  const std::string &name = place.buffer < plan.buffers.size() ? plan.buffers[place.buffer].name : "?";
  if (place.offset == 0) return name;
  return fmt::format("{} {} {} bytes", name, place.offset < 0 ? '-' : '+',
                     place.offset < 0 ? 0 - static_cast<std::uint64_t>(place.offset)
                                      : static_cast<std::uint64_t>(place.offset));
}

std::string text(const Dim3 &d) {
  return fmt::format("({}, {}, {})", d.x, d.y, d.z);
}

/// "4096 x 1024"
template <typename Numbers>
std::string product(const Numbers &numbers, std::uint32_t rank) {
  return fmt::format("{}", fmt::join(numbers.begin(), numbers.begin() + rank, " x "));
}

/// "tensor map of B: 4096 x 1024 bf16, 8192 bytes apart, in boxes of 64 x 128, swizzle of 128 bytes"
std::string text(const LaunchPlan &plan, const TensorMapArgument &argument) {
  static constexpr const char *types[] = {"u8",  "u16", "u32",  "s32",       "u64",  "s64",       "f16",
                                          "f32", "f64", "bf16", "f32 (ftz)", "tf32", "tf32 (ftz)"};
  const ptx::TensorMap &m = argument.map;
  std::string words =
      fmt::format("tensor map of {}: {} {}", text(plan, argument.to), product(m.dimensions, m.rank),
                  m.type < std::size(types) ? types[m.type] : "elements");
  if (m.rank > 1)
    words += fmt::format(", {} bytes apart",
                         fmt::join(m.strides.begin(), m.strides.begin() + (m.rank - 1), " and "));
  words += ", in boxes of " + product(m.box, m.rank);
  const auto steps = m.element_strides.begin();
  if (std::any_of(steps + 1, steps + m.rank, [](std::uint32_t step) { return step != 1; }))
    words += ", every " + product(m.element_strides, m.rank);
  if (m.swizzle != 0) words += fmt::format(", swizzle of {} bytes", 16u << m.swizzle);
  return words;
}

template <typename Number>
Number read(const std::vector<std::byte> &bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, &bytes[at], sizeof number);
  return number;
}

// A plan does not say whether 4 bytes are an int or a float. Floats of ordinary size are huge as integers.
std::string scalar(const std::vector<std::byte> &bytes, std::uint32_t at, std::uint32_t size) {
  if (size == 1) return fmt::format("{}", static_cast<int>(bytes[at]));
  if (size == 2) return fmt::format("{}", read<std::int16_t>(bytes, at));
  if (size == 4) {
    const auto whole = read<std::int32_t>(bytes, at);
    const auto real = read<float>(bytes, at);
    const bool looks_real =
        std::abs(std::int64_t{whole}) > (1 << 26) && std::abs(real) > 1e-10f && std::abs(real) < 1e10f;
    return looks_real ? fmt::format("{}f", real) : fmt::format("{}", whole);
  }
  if (size == 8) {
    const auto whole = read<std::int64_t>(bytes, at);
    const auto real = read<double>(bytes, at);
    const bool looks_real = std::abs(real) > 1e-10 && std::abs(real) < 1e10;
    return looks_real ? fmt::format("{}", real) : fmt::format("{}", whole);
  }
  return fmt::format("{} bytes", size);
}

std::string arguments(const Launch &launch, const LaunchPlan &plan, std::span<const KernelLayout> kernels) {
  const auto layout = std::find_if(kernels.begin(), kernels.end(),
                                   [&](const KernelLayout &k) { return k.name == launch.kernel; });
  std::vector<std::string> parts;
  const auto pointers_in = [&](std::uint32_t from, std::uint64_t to) {
    std::string all;
    for (const PointerArgument &pointer : launch.pointers) {
      if (pointer.at >= from && pointer.at < to) all += (all.empty() ? "" : ", ") + text(plan, pointer.to);
    }
    for (const TensorMapArgument &map : launch.tensor_maps) {
      if (map.at >= from && map.at < to) all += (all.empty() ? "" : ", ") + text(plan, map);
    }
    return all;
  };
  if (layout == kernels.end()) {
    std::string words = fmt::format("{} argument bytes", launch.arguments.size());
    for (const PointerArgument &pointer : launch.pointers)
      words += (&pointer == launch.pointers.data() ? ", pointing to " : ", ") + text(plan, pointer.to);
    for (const TensorMapArgument &map : launch.tensor_maps) words += "; " + text(plan, map);
    return words;
  }
  for (const ParameterLayout &parameter : layout->parameters) {
    const std::uint64_t end = std::uint64_t{parameter.offset} + parameter.size;
    if (end > launch.arguments.size()) continue;
    const std::string pointers = pointers_in(parameter.offset, end);
    if (parameter.size == ptx::TensorMap::bytes && pointers.starts_with("tensor map")) {
      parts.push_back("{" + pointers + "}");
    } else if (parameter.size > 8) {
      parts.push_back(
          fmt::format("{{{} bytes{}{}}}", parameter.size, pointers.empty() ? "" : ": ", pointers));
    } else {
      parts.push_back(pointers.empty() ? scalar(launch.arguments, parameter.offset, parameter.size)
                                       : pointers);
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

struct Describe {
  const LaunchPlan &plan;
  std::span<const KernelLayout> kernels;

  std::string name(std::uint32_t buffer) const { return text(plan, Place{buffer, 0}); }
  std::string operator()(const Allocate &o) const {
    const std::uint64_t bytes = o.buffer < plan.buffers.size() ? plan.buffers[o.buffer].bytes : 0;
    return fmt::format("allocate {}, {} bytes", name(o.buffer), bytes);
  }
  std::string operator()(const Free &o) const { return "free " + name(o.buffer); }
  std::string operator()(const SetMemory &o) const {
    const std::string rows =
        o.rows == 1 ? "" : fmt::format(" in each of {} rows, {} bytes apart", o.rows, o.pitch);
    return fmt::format("set {} bytes{} at {} to {:#04x}", o.width, rows, text(plan, o.to), o.value);
  }
  std::string operator()(const CopyIn &o) const {
    std::string words = fmt::format("copy {} bytes from the host to {}", o.bytes.size(), text(plan, o.to));
    for (const TensorMapArgument &map : o.tensor_maps)
      words += (&map == o.tensor_maps.data() ? ": " : ", ") + text(plan, map);
    return words;
  }
  std::string operator()(const CopyWithin &o) const {
    const std::string rows = o.rows == 1 ? ""
                                         : fmt::format(" in each of {} rows ({} to {} bytes apart)", o.rows,
                                                       o.from_pitch, o.to_pitch);
    return fmt::format("copy {} bytes{} from {} to {}", o.width, rows, text(plan, o.from), text(plan, o.to));
  }
  std::string operator()(const SetFunctionAttribute &o) const {
    const char *what = o.attribute == FunctionAttribute::max_dynamic_shared_bytes
                           ? "at most {} bytes of dynamic shared memory"
                       : o.attribute == FunctionAttribute::preferred_shared_carveout
                           ? "a shared memory carveout of {} %"
                       : o.value != 0 ? "clusters of more than 8 blocks"
                                      : "clusters of at most 8 blocks";
    return fmt::format("allow {} {}", kernel_name(o.kernel), fmt::format(fmt::runtime(what), o.value));
  }
  std::string operator()(const Launch &o) const {
    const std::string shared =
        o.dynamic_shared_bytes == 0 ? "" : fmt::format(", {} bytes shared", o.dynamic_shared_bytes);
    const std::string clusters =
        o.cluster[0] == 0 ? "" : fmt::format(" in clusters of {}", product(o.cluster, 3));
    return fmt::format("launch {} <<<{}, {}{}>>>{} with {}", kernel_name(o.kernel), text(o.grid),
                       text(o.block), shared, clusters, arguments(o, plan, kernels));
  }
  std::string operator()(const UseStream &o) const { return "what follows goes into " + stream(o.stream); }
  std::string operator()(const RecordEvent &o) const { return fmt::format("record event {}", o.event); }
  std::string operator()(const WaitForEvent &o) const { return fmt::format("wait for event {}", o.event); }
  std::string operator()(const HostWaits &o) const {
    switch (o.what) {
      case HostWaits::For::device:
        return fmt::format("the host waits for device {}", o.number);
      case HostWaits::For::stream:
        return "the host waits for " + stream(o.number);
      case HostWaits::For::event:
        break;
    }
    return fmt::format("the host waits for event {}", o.number);
  }
  std::string operator()(const PeerAccess &o) const {
    return fmt::format("{} device {} access to the memory of device {}", o.allowed ? "give" : "refuse",
                       o.device, o.owner);
  }

  /// "the default stream of device 1", "stream 3 of device 1"
  std::string stream(std::uint32_t number) const {
    if (number >= plan.streams.size()) return fmt::format("stream {}", number);
    const unsigned device = plan.streams[number].device;
    return number == device ? fmt::format("the default stream of device {}", device)
                            : fmt::format("stream {} of device {}", number, device);
  }
};

}  // namespace

std::string describe(const Operation &operation, const LaunchPlan &plan,
                     std::span<const KernelLayout> kernels) {
  return std::visit(Describe{plan, kernels}, operation);
}

std::string describe(const LaunchPlan &plan, std::span<const KernelLayout> kernels) {
  std::string page = "buffers\n";
  for (const Buffer &buffer : plan.buffers) {
    const char *owner = buffer.owner == Owner::judge     ? "argument of the launcher"
                        : buffer.owner == Owner::student ? "allocated by the launcher"
                                                         : "variable of the device code";
    page += fmt::format("  {:<12} {:>12} bytes  {}{}\n", buffer.name, buffer.bytes, owner,
                        plan.streams.empty() ? "" : fmt::format(", on device {}", buffer.device));
  }
  page += "operations\n";
  std::size_t number = 0;
  for (const Operation &operation : plan.operations) {
    page += fmt::format("{:>4}. {}\n", ++number, describe(operation, plan, kernels));
  }
  if (plan.operations.empty()) page += "  none\n";
  return page;
}

bool launches_anything(const LaunchPlan &plan) {
  return std::any_of(plan.operations.begin(), plan.operations.end(),
                     [](const Operation &operation) { return std::holds_alternative<Launch>(operation); });
}

std::optional<std::string> first_difference(const LaunchPlan &one, const LaunchPlan &two) {
  if (one == two) return std::nullopt;
  const std::size_t common = std::min(one.operations.size(), two.operations.size());
  for (std::size_t i = 0; i < common; ++i) {
    const Operation &a = one.operations[i], &b = two.operations[i];
    if (a == b) continue;
    const std::string first = describe(a, one), second = describe(b, two);
    if (first == second) return fmt::format("operation {}: {}, with other bytes", i + 1, first);
    return fmt::format("operation {}: {}, then {}", i + 1, first, second);
  }
  if (one.operations.size() == two.operations.size()) return "the buffers they use";
  return fmt::format("operation {}: one has {} operations, the other {}", common + 1, one.operations.size(),
                     two.operations.size());
}

}  // namespace warpgrade::plan
