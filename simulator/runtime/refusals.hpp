// Why a backend does not do what a call wants, in words. Needs no CUDA header.
#pragma once

namespace warpgrade::cuda {

enum class Reason {
  graphs,
  driver_graphs,
  cooperative,
  clusters,
  function_attributes,
  callbacks,
  managed,
  mapped,
  textures,
  driver_textures,
  boxes,
  references,
  peers,
  interop,
  loading,
  reset,
  tensor_maps,
  per_thread,
  other,
};

struct ReasonWords {
  Reason reason;
  const char *recorder;   ///< the rule that the launcher breaks
  const char *simulator;  ///< what is not there; follows "not supported by the simulator: "
};

// clang-format off
inline constexpr ReasonWords reason_words[] = {
    {Reason::graphs, "a plan cannot hold graphs or captured streams; launch the kernels directly", "this part of CUDA graphs"},
    {Reason::driver_graphs, "", "this part of graphs of the driver API"},
    {Reason::cooperative, "a plan cannot hold cooperative launches: blocks may not wait for each other", ""},
    {Reason::clusters, "thread block clusters need a GPU of compute capability 9.0, and this step is for older ones too", "thread block clusters"},
    {Reason::function_attributes, "only the size and the carveout of shared memory and the size of clusters can be set", "attributes of thread block clusters"},
    {Reason::callbacks, "host functions cannot be part of a plan", "this call"},
    {Reason::managed, "managed memory is shared with the host; a launcher may only start work, so use cudaMalloc", "this call"},
    {Reason::mapped, "host memory mapped into the device is not supported; use cudaMalloc and cudaMemcpy", ""},
    {Reason::textures, "textures, surfaces and arrays are not supported; use plain device memory", "this part of textures and CUDA arrays"},
    {Reason::driver_textures, "", "this part of textures and arrays of the driver API"},
    {Reason::boxes, "three-dimensional copies are not supported; use cudaMemcpy2D or cudaMemset2D", "this call"},
    {Reason::references, "texture and surface references are not supported; use a pointer", "texture and surface references; use a pointer, or texture objects"},
    {Reason::peers, "there is one device", "there is one device (simt run --devices 2 gives a program two)"},
    {Reason::interop, "memory cannot be shared with other programs or APIs", "memory shared with other programs or APIs"},
    {Reason::loading, "device code comes from the compiled file only", "device code that is loaded while the program runs, and the driver's own functions"},
    {Reason::reset, "it would free the memory of the caller", ""},
    {Reason::tensor_maps, "tensor maps need a GPU of compute capability 9.0, and this step is for older ones too", "tensor maps of other kinds than tiles"},
    {Reason::per_thread, "", "the driver API with --default-stream per-thread"},
    {Reason::other, "a plan cannot hold this call", "this call"},
};
// clang-format on

constexpr const ReasonWords &words_of(Reason reason) {
  return reason_words[static_cast<int>(reason)];
}
static_assert([] {
  for (const ReasonWords &one : reason_words)
    if (words_of(one.reason).reason != one.reason) return false;
  return true;
}());

/// For the lists of calls, which see no CUDA header: the error code.
int accept_call(const char *call);
int refuse_call(const char *call, Reason);

}  // namespace warpgrade::cuda
