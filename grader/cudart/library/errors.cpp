// cudaGetLastError and its relatives.
#include "cudart/error_names.hpp"
#include "cudart/library/runtime.hpp"

using namespace warpgrade::cudart;

extern "C" {

cudaError_t cudaGetLastError() {
  Runtime &r = runtime();
  const std::lock_guard lock(r.mutex);
  if (r.broken != cudaSuccess && !r.told) last_error() = r.broken;
  r.told |= r.broken != cudaSuccess;  // a fault is forgotten here too; the next call returns it again
  const cudaError_t error = last_error();
  last_error() = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() {
  Runtime &r = runtime();
  const std::lock_guard lock(r.mutex);
  return r.broken != cudaSuccess && !r.told ? r.broken : last_error();
}
const char *cudaGetErrorName(cudaError_t error) {
  const ErrorName *known = find_error(error);
  return known == nullptr ? unrecognized_error : known->name;
}
const char *cudaGetErrorString(cudaError_t error) {
  const ErrorName *known = find_error(error);
  return known == nullptr ? unrecognized_error : known->text;
}

}  // extern "C"
