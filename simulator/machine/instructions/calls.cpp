// Functions that device code calls and that others provide: vprintf, __assertfail, malloc and free of the
// driver, and those of the runtime with which kernels start kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "decode/handlers.hpp"
#include "decode/opcode.hpp"
#include "machine/lanes.hpp"
#include "machine/launch.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::size_t max_string = 4096;
constexpr int most_digits = 500;  // of a printed number; a width or precision beyond that is cut to it

/// Reads the target of a lane's generic address, with the usual checks.
class Reader {
 public:
  Reader(const Op &op, BlockRun &run, std::uint32_t lane) : op_(op), run_(run), lane_(lane) {
    site_.space = ptx::Space::generic;
    site_.bytes = 1;
  }
  template <class T>
  T get(std::uint64_t address) {
    site_.bytes = sizeof(T);
    const LaneAccess access{op_, site_, run_, lane_, address, sizeof(T), false};
    const Target from = resolve(access);
    if (from.space == ptx::Space::local) look_for_unset(from.offset, sizeof(T));
    T value;
    std::memcpy(&value, from.host, sizeof(T));
    return value;
  }
  /// What is printed must have a value.
  void look_for_unset(std::uint64_t offset, std::uint32_t bytes) {
    const bool unset = run_.is_unset(lane_, offset, bytes);
    run_.local.fill_unset(run_.thread(lane_), offset, bytes);
    if (!unset || !run_.launch.options.check_initialized || run_.findings.enough_unset()) return;
    const std::uint64_t handle = std::uint64_t{3} << 60 | op_.site;
    if (run_.count_known(handle, Code::uninitialized_read, Severity::error)) return;
    run_.note(run_.diagnostic(Code::uninitialized_read, Severity::error, run_.here(lane_, op_),
                              "a variable is printed that the thread has not set; does it lack an initial "
                              "value?"),
              handle);
  }
  std::string text(std::uint64_t address) {
    std::string result;
    for (char c; result.size() < max_string && (c = get<char>(address)) != '\0'; ++address) result += c;
    return result;
  }

 private:
  const Op &op_;
  BlockRun &run_;
  std::uint32_t lane_;
  Site site_;
};

template <class T>
std::string formatted(const std::string &spec, T value) {
  char buffer[512];
  const int length = std::snprintf(buffer, sizeof buffer, spec.c_str(), value);
  return length <= 0 ? std::string()
                     : std::string(buffer, std::min<std::size_t>(static_cast<std::size_t>(length),
                                                                 sizeof buffer - 1));
}

/// printf as C has it. Arguments are packed with their natural alignment; "*" widths are ints.
class Printer {
 public:
  Printer(Reader &reader, std::uint64_t arguments) : reader_(reader), next_(arguments) {}

  std::string print(const std::string &format) {
    std::string out;
    for (std::size_t i = 0; i < format.size() && out.size() < 4 * max_string;) {
      if (format[i] != '%') {
        out += format[i++];
        continue;
      }
      std::string spec = "%";
      for (++i; i < format.size() && std::strchr("-+ #0", format[i]); ++i)
        if (spec.size() < 8) spec += format[i];
      const int width = number(format, i);
      if (width < 0) spec += '-';
      if (width != 0) spec += std::to_string(std::abs(width));
      if (i < format.size() && format[i] == '.')
        if (const int precision = number(format, ++i); precision >= 0) spec += fmt::format(".{}", precision);
      int longs = 0;
      for (; i < format.size() && std::strchr("hlLqjzt", format[i]); ++i)
        longs +=
            format[i] == 'l' || format[i] == 'j' || format[i] == 'z' || format[i] == 't' || format[i] == 'q';
      if (i >= format.size()) break;
      out += one(spec, format[i++], longs > 0);
    }
    return out;
  }

 private:
  /// A width or precision, or the argument that a "*" stands for: at most what `formatted` has room for.
  int number(const std::string &format, std::size_t &i) {
    if (i < format.size() && format[i] == '*') {
      ++i;
      return std::clamp(take<int>(), -most_digits, most_digits);
    }
    int value = 0;
    for (; i < format.size() && format[i] >= '0' && format[i] <= '9'; ++i)
      value = std::min(10 * value + (format[i] - '0'), most_digits);
    return value;
  }

  template <class T>
  T take() {
    next_ = (next_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const T value = reader_.get<T>(next_);
    next_ += sizeof(T);
    return value;
  }

  std::string one(std::string spec, char conversion, bool wide) {
    switch (conversion) {
      case '%':
        return "%";
      case 'c':
        return formatted(spec + 'c', take<int>());
      case 'd':
      case 'i':
        return wide ? formatted(spec + "lld", static_cast<long long>(take<std::int64_t>()))
                    : formatted(spec + 'd', take<int>());
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        return wide ? formatted(spec + "ll" + conversion,
                                static_cast<unsigned long long>(take<std::uint64_t>()))
                    : formatted(spec + conversion, take<unsigned>());
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        return formatted(spec + conversion, take<double>());
      case 'p':
        return formatted(spec + 'p', reinterpret_cast<void *>(take<std::uint64_t>()));
      case 's': {
        const std::string text = reader_.text(take<std::uint64_t>());
        return formatted(spec + 's', text.c_str());
      }
      default:
        return spec + conversion;
    }
  }

  Reader &reader_;
  std::uint64_t next_;
};

template <class T>
T argument(BlockRun &run, const BuiltinCall &call, std::size_t index, std::uint32_t lane) {
  T value{};
  if (index >= call.arguments.size()) return value;
  const std::uint32_t area = call.arguments[index];
  std::memcpy(&value, run.area(area, lane),
              std::min<std::size_t>(sizeof value, run.program.areas[area].bytes));
  return value;
}

void set_result(BlockRun &run, const BuiltinCall &call, std::uint32_t lane, std::uint64_t value) {
  if (call.result == UINT32_MAX) return;
  std::memcpy(run.area(call.result, lane), &value,
              std::min<std::size_t>(sizeof value, run.program.areas[call.result].bytes));
}

/// malloc() and new: null where the heap has no room, as on hardware.
std::uint64_t allocate(const Op &op, BlockRun &run, std::uint64_t bytes) {
  const SourceLine at = run.line_of(op);
  const std::string where = at.line == 0 ? std::string() : fmt::format(" of {}:{}", at.file, at.line);
  return run.launch.memory->allocate_on_heap(bytes, fmt::format("memory from malloc() or new{}", where),
                                             run.launch.device);
}

/// free() and delete.
void release(const Op &op, BlockRun &run, std::uint32_t lane, std::uint64_t address) {
  if (address == 0) return;
  Memory &memory = *run.launch.memory;
  const Allocation *found = memory.find(address, address);
  const bool begins = found != nullptr && found->on_heap && found->begin == address;
  if (begins && found->live) {
    memory.free(address);
    ++run.launch.freed;
    run.forget_ranges();
    return;
  }
  Diagnostic made = run.diagnostic(
      begins ? Code::use_after_free : Code::out_of_bounds, Severity::error, run.here(lane, op),
      begins ? fmt::format("free() or delete of {}, which was freed before", found->name)
             : fmt::format("free() or delete of {:#x}, which neither malloc() nor new gave{}", address,
                           found == nullptr ? "" : fmt::format(": it points into {}", found->name)));
  if (found != nullptr) made.buffer = found->name;
  run.fail(std::move(made));
}

// Calls of the CUDA runtime in device code: kernels that start kernels.

constexpr std::uint64_t tail_stream = 3;        // cudaStreamTailLaunch
constexpr std::uint64_t first_handle = 0x1000;  // beyond the streams that CUDA numbers
constexpr std::size_t most_children = 1 << 20;
constexpr std::uint32_t invalid_value = 1, invalid_configuration = 9, out_of_memory = 2,
                        too_many_pending = 69;

/// cudaGetParameterBufferV2: room for the arguments of a kernel, or 0 if it cannot be started like that.
std::uint64_t prepare_child(const Op &op, BlockRun &run, const BuiltinCall &call, std::uint32_t lane) {
  Children &children = run.launch.children;
  const auto refuse = [&](const std::string &kernel, const std::string &why) {
    const std::uint64_t handle = std::uint64_t{2} << 60 | op.site;
    if (!run.count_known(handle, Code::launch_error, Severity::error))
      run.note(run.diagnostic(Code::launch_error, Severity::error, run.here(lane, op),
                              fmt::format("the launch of {} fails: {}", kernel, why)),
               handle);
    children.error = invalid_configuration;
    return std::uint64_t{0};
  };
  const ptx::KernelFacts *facts = kernel_at(*run.program.module, argument<std::uint64_t>(run, call, 0, lane));
  if (facts == nullptr) return refuse("a kernel", "this is not the address of a kernel");
  Launch child;
  child.kernel = facts->name;
  child.grid = argument<Dim3>(run, call, 1, lane);
  child.block = argument<Dim3>(run, call, 2, lane);
  child.dynamic_shared_bytes = argument<std::uint32_t>(run, call, 3, lane);
  child.arguments.resize(facts->argument_bytes);
  const auto allowed = run.launch.dynamic_shared->find(child.kernel);
  const std::string why =
      why_not(child, *facts, allowed == run.launch.dynamic_shared->end() ? 0 : allowed->second);
  if (!why.empty()) return refuse(ptx::demangle(child.kernel), why);
  const Address room =
      run.launch.memory->allocate_on_heap(std::max<std::size_t>(child.arguments.size(), 8),
                                          "arguments of " + ptx::demangle(child.kernel), run.launch.device);
  if (room == 0) {
    children.error = out_of_memory;
    return 0;
  }
  if (children.started.size() + children.prepared.size() >= most_children) {
    children.error = too_many_pending;
    run.launch.memory->free(room);
    return 0;
  }
  children.prepared[room] = std::move(child);
  return room;
}

/// A child cannot see the shared and local memory of its parent.
void look_for_own_memory(const Op &op, BlockRun &run, std::uint32_t lane, const Launch &child) {
  const ptx::KernelFacts *facts = ptx::find_kernel(*run.program.module, child.kernel);
  if (facts == nullptr) return;
  for (const ptx::Parameter &one : facts->parameters) {
    if (one.size != 8 || one.offset + 8 > child.arguments.size()) continue;
    Address pointer = 0;
    std::memcpy(&pointer, child.arguments.data() + one.offset, 8);
    const auto &variables = run.shared.variables();
    const bool shared = std::any_of(variables.begin(), variables.end(), [pointer](const SharedVariable &v) {
      return pointer - shared_window - v.begin < v.bytes;
    });
    if (!shared && pointer - local_window >= run.program.local_bytes) continue;
    const std::uint64_t handle = std::uint64_t{5} << 60 | op.site;
    if (run.count_known(handle, Code::launch_error, Severity::error)) return;
    run.note(
        run.diagnostic(
            Code::launch_error, Severity::error, run.here(lane, op),
            fmt::format("{} is given a pointer to {} memory of the thread that starts it: another kernel "
                        "cannot use it; copy the data to global memory",
                        ptx::demangle(child.kernel), shared ? "shared" : "local")),
        handle);
    return;
  }
}

/// cudaLaunchDeviceV2
std::uint32_t start_child(const Op &op, BlockRun &run, std::uint32_t lane, std::uint64_t room,
                          std::uint64_t stream) {
  Children &children = run.launch.children;
  const auto found = children.prepared.find(room);
  if (found == children.prepared.end()) return children.error = invalid_value;
  Child child{std::move(found->second), stream == tail_stream};
  children.prepared.erase(found);
  run.launch.memory->read(room, child.launch.arguments);
  look_for_own_memory(op, run, lane, child.launch);
  run.launch.memory->free(room);
  ++run.launch.freed;
  run.forget_ranges();
  children.started.push_back(std::move(child));
  return 0;
}

/// Writes a result to the target of an argument.
template <class T>
void give_back(const Op &op, BlockRun &run, std::uint32_t lane, std::uint64_t address, T value) {
  Site site;
  site.space = ptx::Space::generic;
  site.bytes = sizeof value;
  const Target to = resolve(LaneAccess{op, site, run, lane, address, sizeof value, true});
  std::memcpy(to.host, &value, sizeof value);
  if (to.space == ptx::Space::local) run.mark_set(lane, to.offset, sizeof value);
  if (to.allocation && to.allocation->valid)
    std::memset(to.allocation->valid.get() + (address - to.allocation->begin), 1, sizeof value);
}

}  // namespace

void call_builtin(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  const BuiltinCall &call = run.program.builtins[op.site];
  using Kind = BuiltinCall::Kind;
  const auto given = [&](std::size_t index, std::uint32_t lane) {
    return argument<std::uint64_t>(run, call, index, lane);
  };
  const Kind kind =
      call.kind >= Kind::prepare_child && !run.launch.options.starts_children ? Kind::unsupported : call.kind;
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    Reader reader(op, run, lane);
    if (kind == Kind::prepare_child) {
      set_result(run, call, lane, prepare_child(op, run, call, lane));
    } else if (kind == Kind::start_child) {
      set_result(run, call, lane, start_child(op, run, lane, given(0, lane), given(1, lane)));
    } else if (kind == Kind::make_handle) {
      give_back(op, run, lane, given(0, lane), first_handle + run.launch.children.handles++);
      set_result(run, call, lane, 0);
    } else if (kind == Kind::get_device) {
      give_back(op, run, lane, given(0, lane), std::uint32_t{0});
      set_result(run, call, lane, 0);
    } else if (kind == Kind::set_condition) {
      run.launch.conditions.push_back({given(0, lane), argument<std::uint32_t>(run, call, 1, lane)});
    } else if (kind == Kind::take_error) {
      set_result(run, call, lane, std::exchange(run.launch.children.error, 0));
    } else if (kind == Kind::look_at_error) {
      set_result(run, call, lane, run.launch.children.error);
    } else if (kind == Kind::nothing) {
      set_result(run, call, lane, 0);
    } else if (kind == Kind::vprintf) {
      const std::string format = reader.text(given(0, lane));
      Printer printer(reader, given(1, lane));
      run.print(printer.print(format));
      set_result(run, call, lane, 1);
    } else if (kind == Kind::allocate) {
      set_result(run, call, lane, allocate(op, run, given(0, lane)));
    } else if (kind == Kind::release) {
      release(op, run, lane, given(0, lane));
    } else if (kind == Kind::assertfail) {
      const std::string what = reader.text(given(0, lane));
      const std::string file = reader.text(given(1, lane));
      const auto line = argument<std::uint32_t>(run, call, 2, lane);
      Side at = run.here(lane, op);
      const std::string base = file.substr(file.rfind('/') + 1);
      if (at.at.line == 0) at.at = {base, static_cast<int>(line)};
      run.fail(run.diagnostic(Code::trap, Severity::error, at,
                              fmt::format("{}:{}: assertion `{}' failed", base, line, what)));
    } else {
      run.fail(
          run.diagnostic(Code::unsupported, Severity::error, run.here(lane, op),
                         fmt::format("unsupported call to {}() in device code: {}", call.name,
                                     run.launch.options.starts_children && call.name.starts_with("__cudaCDP2")
                                         ? "this call of the runtime is not simulated in device code"
                                         : why_function_refused(call.name))),
          Status::unsupported);
    }
  }
}

}  // namespace warpgrade::simt
