// The call of the launcher, which is linked as warpgrade_entry. Its parameters are known when a worker runs,
// not when it is compiled: the request carries them as text (plan/signature.hpp).
//
// On x86-64 (System V) and 64-bit Arm (AAPCS64), integers and pointers take one row of registers in order,
// floating-point numbers another, and what finds no register takes eight bytes each on the stack. So one call
// with all registers filled and more words behind them serves every launcher: it reads those that are its
// own.
#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

#include "plan/addresses.hpp"
#include "plan/signature.hpp"
#include "record/worker/worker.hpp"

extern "C" void warpgrade_entry();  // its real type is that of the request's parameters

namespace warpgrade::record {
namespace {

using Word = std::uint64_t;

#if defined(__x86_64__)
constexpr std::size_t integer_registers = 6;
#elif defined(__aarch64__)
constexpr std::size_t integer_registers = 8;
#else
#error "how this machine passes arguments is not known here"
#endif
constexpr std::size_t real_registers = 8, stack_words = 18;

class Arguments {
 public:
  void add_integer(Word value) {
    if (integers_ < integer_registers)
      integer_.at(integers_++) = value;
    else
      stack_.at(stacked_++) = value;
  }
  /// bits: of a double, or of a float in the lower half
  void add_real(Word bits) {
    if (reals_ < real_registers)
      real_.at(reals_++) = std::bit_cast<double>(bits);
    else
      stack_.at(stacked_++) = bits;
  }
  void call() const {
    call(std::make_index_sequence<integer_registers>(), std::make_index_sequence<real_registers>(),
         std::make_index_sequence<stack_words>());
  }

 private:
  template <typename T, std::size_t>
  using Each = T;
  template <std::size_t... i, std::size_t... r, std::size_t... s>
  void call(std::index_sequence<i...>, std::index_sequence<r...>, std::index_sequence<s...>) const {
    using Launcher = void (*)(Each<Word, i>..., Each<double, r>..., Each<Word, s>...);
    // Read at run time: a compiler that sees a call of a function without parameters drops the arguments.
    void (*volatile entry)() = &warpgrade_entry;
    reinterpret_cast<Launcher>(entry)(integer_[i]..., real_[r]..., stack_[s]...);
  }

  std::array<Word, integer_registers> integer_{};
  std::array<double, real_registers> real_{};
  std::array<Word, stack_words> stack_{};
  std::size_t integers_ = 0, reals_ = 0, stacked_ = 0;
};

Word address_of(const plan::CallRequest &request, const std::string &name) {
  for (std::size_t index = 0; index < request.buffers.size(); ++index)
    if (request.buffers[index].name == name) return plan::address_of_slot(index);
  throw std::invalid_argument("no buffer is called " + name);
}

/// Arrays with a pointer for each device, which the launcher may keep until the process ends.
using Arrays = std::array<std::array<Word, plan::most_devices>, stack_words>;

Arguments arguments_of(const plan::CallRequest &request, Arrays &arrays) {
  Arguments arguments;
  std::size_t used = 0;
  std::size_t integers = 0, reals = 0;
  const plan::Signature signature(request.parameters);
  for (const plan::Parameter &p : signature.parameters()) {
    switch (p.passed) {
      case plan::Passed::integer:
        arguments.add_integer(static_cast<Word>(request.integers.at(integers++)));
        break;
      case plan::Passed::real: {
        const double value = request.reals.at(reals++);
        arguments.add_real(p.value_bytes == sizeof(float)
                               ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                               : std::bit_cast<Word>(value));
        break;
      }
      case plan::Passed::pointer:
        arguments.add_integer(address_of(request, p.name));
        break;
      case plan::Passed::pointers: {
        std::array<Word, plan::most_devices> &array = arrays.at(used++);
        for (std::size_t device = 0; device < request.devices; ++device)
          array.at(device) = address_of(request, plan::name_on_device(p.name, device));
        arguments.add_integer(reinterpret_cast<Word>(array.data()));
        break;
      }
    }
  }
  return arguments;
}

}  // namespace

bool call_entry(const plan::CallRequest &request) {
  static Arrays arrays;
  Arguments arguments;
  try {
    arguments = arguments_of(request, arrays);
  } catch (const std::exception &) {  // not the launcher's: that one is called below
    return false;
  }
  arguments.call();
  return true;
}

}  // namespace warpgrade::record
