// cudaGetLastError and its relatives.
#include "runtime/backend.hpp"
#include "runtime/error_names.hpp"

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaGetLastError() {
  return backend::last_error(true);
}
cudaError_t cudaPeekAtLastError() {
  return backend::last_error(false);
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
