// The calls themselves, one row per problem of plan/signature.cpp: every student entry is linked as
// warpgrade_entry.
#include <string_view>

#include "cuda/record/worker.hpp"
#include "plan/addresses.hpp"

extern "C" void warpgrade_entry();  // its real type is the row's

namespace warpgrade::record {
namespace {

// Takes the request's values in signature order.
class Arguments {
 public:
  explicit Arguments(const plan::CallRequest &request) : request_(request) {}
  int integer() { return static_cast<int>(request_.integers.at(integers_++)); }
  float real() { return static_cast<float>(request_.reals.at(reals_++)); }
  float *buffer() { return buffer(buffers_++); }
  /// One out of turn: the problem's order need not be the launcher's.
  float *buffer(std::size_t index) {
    static_cast<void>(request_.buffers.at(index));
    return reinterpret_cast<float *>(plan::address_of_slot(index));
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

void call_pitched(Arguments from) {
  int i[10];
  for (int &number : i) number = from.integer();
  float *a = from.buffer(2), *b = from.buffer(0), *c = from.buffer(1);  // the problem's are b, c, a
  entry<void(int, int, int, int, int, int, int, int, int, int, float *, float *, float *)>()(
      i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], a, b, c);
}

void call_tiled(Arguments from) {
  const int n = from.integer(), block = from.integer(), transposed = from.integer();
  const float *A = from.buffer(), *B = from.buffer();
  entry<void(int, int, int, const float *, const float *, float *)>()(n, block, transposed, A, B,
                                                                      from.buffer());
}

void call_square(Arguments from) {
  const int n = from.integer();
  const float *M = from.buffer(), *N = from.buffer();
  entry<void(int, const float *, const float *, float *)>()(n, M, N, from.buffer());
}

void call_coarsened(Arguments from) {
  const int n = from.integer(), factor = from.integer();
  const float *M = from.buffer(), *N = from.buffer();
  entry<void(int, int, const float *, const float *, float *)>()(n, factor, M, N, from.buffer());
}

void call_exercise(Arguments from) {
  const int n = from.integer();
  const float *a = from.buffer(), *b = from.buffer(), *c = from.buffer();
  float *d = from.buffer(), *e = from.buffer();
  entry<void(int, const float *, const float *, const float *, float *, float *)>()(n, a, b, c, d, e);
}

void call_histogram(Arguments from) {
  const int n = from.integer(), bins = from.integer();
  const unsigned *x = reinterpret_cast<const unsigned *>(from.buffer());
  auto *counts = reinterpret_cast<unsigned *>(from.buffer());
  entry<void(int, int, const unsigned *, unsigned *)>()(n, bins, x, counts);
}

struct Row {
  std::string_view problem;
  void (*call)(Arguments);
};
constexpr Row rows[] = {{"sgemm", call_sgemm},
                        {"pitched", call_pitched},
                        {"pitched_transposed", call_pitched},
                        {"tiled", call_tiled},
                        {"square", call_square},
                        {"square_by_columns", call_square},
                        {"square_coarsened", call_coarsened},
                        {"exercise", call_exercise},
                        {"histogram", call_histogram}};

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
