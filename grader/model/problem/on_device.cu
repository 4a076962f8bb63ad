// The functions of libwarpgrade_problems.so, for every problem that a problem.cu has registered.
#include "problem/on_device.cuh"

namespace warpgrade::problem::on_device {

std::vector<Entry> &entries() {
  static std::vector<Entry> all;
  return all;
}

namespace of_looks {

/// Counters in memory of the GPU, and the lowest number that was seen.
struct Tally {
  unsigned long long count = 0, first = ~0ull;
};

WARPGRADE_ANYWHERE void add(Tally *tally, std::uint64_t i) {
#ifdef __CUDA_ARCH__
  atomicAdd(&tally->count, 1ull);
  atomicMin(&tally->first, static_cast<unsigned long long>(i));
#else
  ++tally->count;
  if (i < tally->first) tally->first = i;
#endif
}

WARPGRADE_ANYWHERE float half_value(std::uint16_t bits) {
  if ((bits & 0x7c00u) != 0x7c00u) return finite_half(bits);
  return (bits & 0x3ffu) != 0 ? NAN : (bits & 0x8000u) != 0 ? -INFINITY : INFINITY;
}

WARPGRADE_ANYWHERE double number(const void *array, Type type, std::uint64_t i) {
  switch (type) {
    case Type::f32:
      return static_cast<const float *>(array)[i];
    case Type::f64:
      return static_cast<const double *>(array)[i];
    case Type::f16:
      return half_value(static_cast<const std::uint16_t *>(array)[i]);
    case Type::bf16:
      return std::bit_cast<float>(std::uint32_t{static_cast<const std::uint16_t *>(array)[i]} << 16);
    case Type::e4m3: {
      const auto bits = static_cast<const std::uint8_t *>(array)[i];
      return (bits & 0x7fu) == 0x7fu ? NAN : finite_e4m3(bits);
    }
    case Type::i8:
      return static_cast<const std::int8_t *>(array)[i];
    case Type::u8:
      return static_cast<const std::uint8_t *>(array)[i];
    case Type::i16:
      return static_cast<const std::int16_t *>(array)[i];
    case Type::u16:
      return static_cast<const std::uint16_t *>(array)[i];
    case Type::i32:
      return static_cast<const std::int32_t *>(array)[i];
    case Type::u32:
      return static_cast<const std::uint32_t *>(array)[i];
    case Type::i64:
      return static_cast<double>(static_cast<const std::int64_t *>(array)[i]);
    default:
      return static_cast<double>(static_cast<const std::uint64_t *>(array)[i]);
  }
}

WARPGRADE_ANYWHERE bool same_bits(const void *x, const void *y, std::uint64_t bytes, std::uint64_t i) {
  switch (bytes) {
    case 1:
      return static_cast<const std::uint8_t *>(x)[i] == static_cast<const std::uint8_t *>(y)[i];
    case 2:
      return static_cast<const std::uint16_t *>(x)[i] == static_cast<const std::uint16_t *>(y)[i];
    case 4:
      return static_cast<const std::uint32_t *>(x)[i] == static_cast<const std::uint32_t *>(y)[i];
    default:
      return static_cast<const std::uint64_t *>(x)[i] == static_cast<const std::uint64_t *>(y)[i];
  }
}

/// From memory of the GPU, when everything before is done.
int fetch(void *to, const void *from, std::uint64_t bytes, [[maybe_unused]] void *stream) {
#ifdef __CUDACC__
  const auto on = static_cast<cudaStream_t>(stream);
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, on);
  return error == cudaSuccess ? cudaStreamSynchronize(on) : error;
#else
  std::memcpy(to, from, bytes);
  return 0;
#endif
}

const Entry *find(const char *problem) {
  for (const Entry &entry : entries())
    if (std::strcmp(entry.name, problem) == 0) return &entry;
  return nullptr;
}

Arrays arrays_at(void *const *pointers, std::uint32_t count) {
  Arrays arrays;
  for (std::uint32_t a = 0; a < count; ++a) arrays.at[a] = pointers[a];
  return arrays;
}

constexpr int invalid_value = 1;  // cudaErrorInvalidValue

/// What a look needs on the GPU.
struct Look {
  const OnDeviceCase &c;
  const Arrays dealt, after;
  double tolerance;
  Tally *tallies;  ///< one for each array
  Wanted *wanted;
  void *stream;

  int at_input(std::uint32_t a) const {
    const void *const x = dealt.at[a], *const y = after.at[a];
    const std::uint64_t bytes = bytes_of(static_cast<Type>(c.types[a]));
    Tally *const tally = tallies + a;
    return each(c.elements[a], stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
      if (!same_bits(x, y, bytes, i)) add(tally, i);
    });
  }
  int at_output(std::uint32_t a, std::uint64_t from) const {
    const void *const got = after.at[a];
    const auto type = static_cast<Type>(c.types[a]);
    const Wanted *const want = wanted + from;
    Tally *const tally = tallies + a;
    const double accepted = tolerance;
    return each(c.elements[a], stream, [=] WARPGRADE_ANYWHERE(std::uint64_t i) {
      const double value = number(got, type, i), off = fabs(value - want[i].value);
      if (value != want[i].value && !(off <= accepted * want[i].scale)) add(tally, i);
    });
  }
  /// The first wrong element of an output.
  int fetch_mismatch(std::uint32_t a, std::uint64_t from, Looked &looked) const {
    Wanted want;
    if (const int error = fetch(&want, wanted + from + looked.element, sizeof want, stream)) return error;
    const auto type = static_cast<Type>(c.types[a]);
    const std::uint64_t bytes = bytes_of(type);
    std::uint64_t bits = 0;
    if (const int error =
            fetch(&bits, static_cast<const char *>(after.at[a]) + looked.element * bytes, bytes, stream))
      return error;
    looked.want = want.value;
    looked.got = number(&bits, type, 0);
    return 0;
  }
};

}  // namespace of_looks
using namespace of_looks;
}  // namespace warpgrade::problem::on_device

using namespace warpgrade::problem;

extern "C" {

__attribute__((visibility("default"))) int warpgrade_problem_is_there(const char *problem) {
  return on_device::find(problem) != nullptr;
}

__attribute__((visibility("default"))) int warpgrade_problem_deals(const char *problem, const OnDeviceCase *c,
                                                                   std::uint64_t seed, void *const *arrays,
                                                                   void *stream) {
  const on_device::Entry *const entry = on_device::find(problem);
  if (entry == nullptr || c->arrays > OnDeviceCase::most_arrays) return on_device::invalid_value;
  return entry->deal(*c, seed, on_device::arrays_at(arrays, c->arrays), stream);
}

__attribute__((visibility("default"))) int warpgrade_problem_looks(const char *problem, const OnDeviceCase *c,
                                                                   void *const *dealt, void *const *after,
                                                                   double tolerance, Looked *looked,
                                                                   void *stream) {
  using namespace on_device;
  const Entry *const entry = find(problem);
  if (entry == nullptr || c->arrays > OnDeviceCase::most_arrays) return invalid_value;
  *looked = {};
  for (std::uint32_t a = 0; a < c->arrays; ++a)
    if (c->is_output[a] != 0) looked->checked += c->elements[a];
  static Kept kept_tallies, kept_wants;
  auto *const tallies = static_cast<Tally *>(kept_tallies.reserve(OnDeviceCase::most_arrays * sizeof(Tally)));
  auto *const wanted = static_cast<Wanted *>(kept_wants.reserve((looked->checked + 1) * sizeof(Wanted)));
  if (tallies == nullptr || wanted == nullptr) return no_memory;
  const Look look{*c,    arrays_at(dealt, c->arrays), arrays_at(after, c->arrays), tolerance, tallies, wanted,
                  stream};
  int error = each(c->arrays, stream, [=] WARPGRADE_ANYWHERE(std::uint64_t a) { tallies[a] = {}; });
  if (error == 0) error = entry->want(*c, look.dealt, wanted, looked->checked, stream);
  std::uint64_t from = 0;
  for (std::uint32_t a = 0; a < c->arrays && error == 0; ++a) {
    error = c->is_output[a] != 0 ? look.at_output(a, from) : look.at_input(a);
    if (c->is_output[a] != 0) from += c->elements[a];
  }
  Tally found[OnDeviceCase::most_arrays];
  if (error == 0) error = fetch(found, tallies, c->arrays * sizeof(Tally), stream);
  from = 0;
  for (std::uint32_t a = 0; a < c->arrays && error == 0; ++a) {
    const bool output = c->is_output[a] != 0;
    if (found[a].count > 0 && !output) {
      if (looked->changed == 0) looked->changed_array = a;
      looked->changed += found[a].count;
    } else if (found[a].count > 0) {
      const bool first = looked->wrong == 0;
      looked->wrong += found[a].count;
      if (first) {
        looked->wrong_array = a;
        looked->element = found[a].first;
        error = look.fetch_mismatch(a, from, *looked);
      }
    }
    if (output) from += c->elements[a];
  }
  return error;
}

__attribute__((visibility("default"))) const char *warpgrade_problem_error(int error) {
#ifdef __CUDACC__
  return cudaGetErrorName(static_cast<cudaError_t>(error));
#else
  return error == on_device::no_memory ? "cudaErrorMemoryAllocation" : "cudaErrorInvalidValue";
#endif
}

}  // extern "C"
