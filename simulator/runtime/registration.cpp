// What nvcc's constructors tell the runtime: the device code of each file, its kernels and its variables.
#include "runtime/backend.hpp"

using namespace warpgrade::cuda;

namespace {

// Without the checks of other calls: constructors run before anything can have failed.
template <class Body>
void registering(const Body &body) {
  const auto lock = backend::lock();
  body(backend::state());
}

Module *module_of(void **handle) {
  return reinterpret_cast<Module *>(handle);
}

}  // namespace

extern "C" {

void **__cudaRegisterFatBinary(void *wrapper) {
  Module *made = nullptr;
  registering([&](State &) { made = backend::register_module(wrapper); });
  return reinterpret_cast<void **>(made);
}
void __cudaRegisterFatBinaryEnd(void **) {}
// The program is ending; what it still asks until then is answered.
void __cudaUnregisterFatBinary(void **) {}

/// Called before the host first touches a managed variable.
char __cudaInitModule(void **handle) {
  registering([&](State &) { backend::prepare_module(module_of(handle)); });
  return 1;
}

void __cudaRegisterFunction(void **handle, const char *host_function, char *, const char *name, int, uint3 *,
                            uint3 *, dim3 *, dim3 *, int *) {
  registering([&](State &state) {
    auto kernel = std::make_unique<Kernel>();
    kernel->name = name;
    kernel->module = module_of(handle);
    state.handles[kernel.get()] = kernel.get();
    state.kernels[host_function] = std::move(kernel);
  });
}

void __cudaRegisterVar(void **handle, char *host_variable, char *, const char *name, int, size_t bytes, int,
                       int) {
  registering([&](State &state) {
    state.variables[host_variable] = Variable{name, bytes, module_of(handle), nullptr, 0};
  });
}

void __cudaRegisterManagedVar(void **handle, void **host_pointer, char *, const char *name, int, size_t bytes,
                              int, int) {
  registering([&](State &state) {
    Variable &variable = state.variables[host_pointer];
    variable = {name, bytes, module_of(handle), host_pointer, 0};
    backend::register_managed(variable);
  });
}

void __cudaRegisterHostVar(void **, const char *, char *, size_t) {}

void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int) {
  backend::refuse("a texture reference", Reason::references);
}
void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int) {
  backend::refuse("a surface reference", Reason::references);
}
void __cudaRegisterUnifiedTable(void **, void *) {}
void *__cudaGetProcAddress(const char *, void *) {
  return nullptr;
}

}  // extern "C"
