// The calls themselves, made from the rows of plan/signatures.inc: every student entry is linked as
// warpgrade_entry.
#include <array>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "cuda/record/worker.hpp"
#include "plan/addresses.hpp"

extern "C" void warpgrade_entry();  // its real type is the row's

namespace warpgrade::record {
namespace {

// Takes the request's values in the order of the parameters.
class Arguments {
 public:
  /// buffers: for each pointer, which of the request's buffers it is
  Arguments(const plan::CallRequest &request, const std::size_t *buffers)
      : request_(request), buffer_(buffers) {}

  template <typename T>
  T take() {
    if constexpr (std::is_pointer_v<T>) {
      const std::size_t index = *buffer_++;
      static_cast<void>(request_.buffers.at(index));
      return reinterpret_cast<T>(plan::address_of_slot(index));
    } else if constexpr (std::is_same_v<T, float>) {
      return static_cast<float>(request_.reals.at(reals_++));
    } else {
      static_assert(std::is_same_v<T, int>);
      return static_cast<int>(request_.integers.at(integers_++));
    }
  }

 private:
  const plan::CallRequest &request_;
  const std::size_t *buffer_;
  std::size_t integers_ = 0, reals_ = 0;
};

template <typename... Parameters, std::size_t pointers>
void call(void (*)(Parameters...), const plan::CallRequest &request,
          const std::array<std::size_t, pointers> &buffers) {
  static_assert((std::size_t{0} + ... + std::is_pointer_v<Parameters>) == pointers);
  Arguments from(request, buffers.data());
  const std::tuple<Parameters...> values{from.take<Parameters>()...};  // in braces: from left to right
  // Read at run time: a compiler that sees a call of a function without parameters drops the arguments.
  void (*volatile entry)() = &warpgrade_entry;
  std::apply(reinterpret_cast<void (*)(Parameters...)>(entry), values);
}

template <typename... Numbers>
constexpr std::array<std::size_t, sizeof...(Numbers)> numbers(Numbers... n) {
  return {static_cast<std::size_t>(n)...};
}

struct Row {
  std::string_view problem;
  void (*call)(const plan::CallRequest &);
};
#define SIGNATURE(problem, parameters, buffers)                                   \
  Row{#problem, [](const plan::CallRequest &request) {                            \
        call(static_cast<void(*) parameters>(nullptr), request, numbers buffers); \
      }},
constexpr Row rows[] = {
#include "plan/signatures.inc"
};
#undef SIGNATURE

}  // namespace

bool call_entry(const plan::CallRequest &request) {
  for (const Row &row : rows) {
    if (row.problem != request.problem) continue;
    row.call(request);
    return true;
  }
  return false;
}

}  // namespace warpgrade::record
