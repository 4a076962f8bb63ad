// What nvcc's constructors tell the runtime: the device code of each file, its kernels and its variables.
// Nothing is parsed here; a program that starts and never launches pays nothing.
#include "cudart/library/runtime.hpp"

using namespace warpgrade::cudart;

extern "C" {

void **__cudaRegisterFatBinary(void *wrapper) {
  Runtime &r = runtime();
  const std::lock_guard lock(r.mutex);
  r.modules.push_back(std::make_unique<Module>(wrapper));
  return reinterpret_cast<void **>(r.modules.back().get());
}
void __cudaRegisterFatBinaryEnd(void **) {}
// The program is ending; what it still asks until then is answered.
void __cudaUnregisterFatBinary(void **) {}

/// Called before the host first touches a managed variable.
char __cudaInitModule(void **handle) {
  Runtime &r = runtime();
  const std::lock_guard lock(r.mutex);
  auto *const module = reinterpret_cast<Module *>(handle);
  if (module != nullptr && !module->managed.empty()) r.load(*module, "a managed variable");
  return 1;
}

void __cudaRegisterFunction(void **handle, const char *host_function, char *, const char *name, int, uint3 *,
                            uint3 *, dim3 *, dim3 *, int *) {
  Runtime &r = runtime();
  const std::lock_guard lock(r.mutex);
  auto kernel = std::make_unique<Kernel>();
  kernel->name = name;
  kernel->module = reinterpret_cast<Module *>(handle);
  r.handles[kernel.get()] = kernel.get();
  r.kernels[host_function] = std::move(kernel);
}

void __cudaRegisterVar(void **handle, char *host_variable, char *, const char *name, int, size_t bytes, int,
                       int) {
  Runtime &r = runtime();
  const std::lock_guard lock(r.mutex);
  r.variables[host_variable] = {HostVariable{name, bytes, nullptr}, reinterpret_cast<Module *>(handle)};
}

void __cudaRegisterManagedVar(void **handle, void **host_pointer, char *, const char *name, int, size_t bytes,
                              int, int) {
  Runtime &r = runtime();
  const std::lock_guard lock(r.mutex);
  auto *const module = reinterpret_cast<Module *>(handle);
  auto &[variable, owner] = r.variables[host_pointer];
  variable = HostVariable{name, bytes, host_pointer};
  owner = module;
  module->managed.push_back(&variable);
}

void __cudaRegisterHostVar(void **, const char *, char *, size_t) {}

void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int) {
  runtime().not_supported("a texture reference", "textures; read through a pointer");
}
void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int) {
  runtime().not_supported("a surface reference", "surfaces; write through a pointer");
}
void __cudaRegisterUnifiedTable(void **, void *) {}
void *__cudaGetProcAddress(const char *, void *) {
  return nullptr;
}

}  // extern "C"
