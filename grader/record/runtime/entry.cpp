// The calls themselves, one row per problem of plan/signature.cpp: every student entry is linked as
// warpgrade_entry.
#include <string_view>

#include "plan/addresses.hpp"
#include "record/runtime/worker.hpp"

extern "C" void warpgrade_entry();  // its real type is the row's

namespace warpgrade::record {
namespace {

// Takes the request's values in signature order.
class Arguments {
 public:
  explicit Arguments(const plan::CallRequest &request) : request_(request) {}
  int integer() { return static_cast<int>(request_.integers.at(integers_++)); }
  float real() { return static_cast<float>(request_.reals.at(reals_++)); }
  float *buffer() {
    static_cast<void>(request_.buffers.at(buffers_));
    return reinterpret_cast<float *>(plan::address_of_slot(buffers_++));
  }

 private:
  const plan::CallRequest &request_;
  std::size_t integers_ = 0, reals_ = 0, buffers_ = 0;
};

template <typename Function>
Function *entry() {
  return reinterpret_cast<Function *>(&warpgrade_entry);
}

void call_sgemm(Arguments from) {
  const int M = from.integer(), N = from.integer(), K = from.integer();
  const float alpha = from.real(), beta = from.real();
  const float *A = from.buffer(), *B = from.buffer();
  float *C = from.buffer();
  entry<void(int, int, int, float, const float *, const float *, float, float *)>()(M, N, K, alpha, A, B,
                                                                                    beta, C);
}

struct Row {
  std::string_view problem;
  void (*call)(Arguments);
};
constexpr Row rows[] = {{"sgemm", call_sgemm}};

}  // namespace

bool call_entry(const plan::CallRequest &request) {
  for (const Row &row : rows) {
    if (row.problem != request.problem) continue;
    row.call(Arguments(request));
    return true;
  }
  return false;
}

}  // namespace warpgrade::record
