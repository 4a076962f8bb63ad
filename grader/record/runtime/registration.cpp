// What nvcc's constructors tell the runtime: which kernels and variables the object has.
// The device code itself is ignored. It comes from the build (threats.md R3), never from here.
#include <cstring>

#include "record/runtime/api.hpp"

using namespace warpgrade;
using record::worker;

namespace {

template <typename List>
std::optional<std::uint32_t> index_of(const List &list, const char *name) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

}  // namespace

extern "C" {

void **__cudaRegisterFatBinary(void *) {
  static void *handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) {
  return 1;
}

void __cudaRegisterFunction(void **, const char *host_function, char *, const char *name, int, uint3 *,
                            uint3 *, dim3 *, dim3 *, int *) {
  auto kernel = std::make_unique<record::Kernel>();
  kernel->name = name;
  kernel->index = index_of(worker().orders().request.kernels, name);
  worker().kernels[host_function] = std::move(kernel);
}

void __cudaRegisterVar(void **, char *host_variable, char *, const char *name, int, size_t bytes, int, int) {
  record::Variable variable;
  variable.name = name;
  variable.bytes = bytes;
  variable.index = index_of(worker().orders().request.variables, name);
  worker().variables[host_variable] = variable;
}

void __cudaRegisterManagedVar(void **, void **, char *, const char *name, int, size_t, int, int) {
  worker().refuse("__managed__",
                  std::string("the variable ") + name +
                      " is shared with the host; a launcher may only start work on the device");
}

void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int) {
  worker().refuse("texture", "textures are not supported; read through a pointer");
}
void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int) {
  worker().refuse("surface", "surfaces are not supported; write through a pointer");
}

}  // extern "C"
