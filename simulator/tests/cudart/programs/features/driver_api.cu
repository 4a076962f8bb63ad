// nvcc: -lcuda
// The driver API: contexts, modules from PTX text, variables, launches in both ways, streams, events, errors.
#include <cuda.h>

#include <cstdio>
#include <cstring>

static const char *const text = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .const .align 4 .f32 factor = 0f40000000;
.visible .global .align 4 .u32 calls;

.visible .entry scale(.param .u64 values, .param .u32 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %d<5>;
  ld.param.u64 %d1, [values];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %d2, %d1;
  mul.wide.u32 %d3, %r5, 4;
  add.u64 %d4, %d2, %d3;
  ld.global.f32 %f1, [%d4];
  ld.const.f32 %f2, [factor];
  mul.f32 %f3, %f1, %f2;
  st.global.f32 [%d4], %f3;
  setp.ne.u32 %p1, %r5, 0;
  @%p1 bra DONE;
  atom.global.add.u32 %r6, [calls], 1;
DONE:
  ret;
}
)";

static const char *name(CUresult result) {
  const char *text = "?";
  cuGetErrorName(result, &text);
  return text;
}
#define SAY(call) printf("%s: %s\n", #call, name(call))

int main() {
  CUdevice device;
  int count = -1;
  printf("before cuInit: %s\n", name(cuDeviceGetCount(&count)));
  cuInit(0);
  cuDeviceGetCount(&count);
  printf("a device: %d\n", count > 0);
  cuDeviceGet(&device, 0);
  int threads = 0;
  cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device);
  printf("%d threads a block\n", threads);
  CUdeviceptr memory;
  printf("without a context: %s\n", name(cuMemAlloc(&memory, 64)));
  CUcontext context, current;
  SAY(cuDevicePrimaryCtxRetain(&context, device));
  SAY(cuCtxSetCurrent(context));
  cuCtxGetCurrent(&current);
  printf("current: %d\n", current == context);

  CUmodule module;
  CUfunction scale, none;
  SAY(cuModuleLoadData(&module, text));
  SAY(cuModuleGetFunction(&scale, module, "scale"));
  printf("no such kernel: %s\n", name(cuModuleGetFunction(&none, module, "nothing")));
  constexpr int n = 100;
  static float host[n];
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i);
  SAY(cuMemAlloc(&memory, sizeof host));
  SAY(cuMemcpyHtoD(memory, host, sizeof host));
  int size = n;
  void *parameters[] = {&memory, &size};
  SAY(cuLaunchKernel(scale, 2, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));

  // The arguments in one buffer; another factor.
  CUdeviceptr factor, calls;
  size_t bytes = 0;
  SAY(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
  printf("%zu bytes\n", bytes);
  const float half = 0.5f;
  CUstream stream;
  CUevent start, stop;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&start, CU_EVENT_DEFAULT);
  cuEventCreate(&stop, CU_EVENT_DEFAULT);
  cuCtxSynchronize();
  cuMemcpyHtoDAsync(factor, &half, sizeof half, stream);
  struct {
    CUdeviceptr values;
    int count;
  } packed = {memory, 10};
  size_t packed_bytes = 12;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_bytes,
                   CU_LAUNCH_PARAM_END};
  cuEventRecord(start, stream);
  SAY(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, extra));
  cuEventRecord(stop, stream);
  cuStreamSynchronize(stream);
  float milliseconds = -1;
  cuEventElapsedTime(&milliseconds, start, stop);
  SAY(cuMemcpyDtoH(host, memory, sizeof host));
  printf("%g %g %g, time passed: %d\n", host[9], host[10], host[99], milliseconds > 0);
  unsigned called = 0;
  cuModuleGetGlobal(&calls, nullptr, module, "calls");
  cuMemcpyDtoH(&called, calls, sizeof called);
  printf("called %u times\n", called);

  SAY(cuMemsetD32(memory, 0x3f800000, n));
  SAY(cuMemsetD16(memory, 0, 2));
  cuMemcpyDtoH(host, memory, sizeof host);
  printf("%g %g %g\n", host[0], host[1], host[99]);
  int registers = 0, shared = -1;
  cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, scale);
  cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, scale);
  printf("registers %d, shared %d\n", registers > 0, shared);
  printf("too many threads: %s\n",
         name(cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, nullptr, parameters, nullptr)));
  printf("no module: %s\n", name(cuModuleLoad(&module, "there_is_no_such_file.ptx")));
  SAY(cuMemFree(memory));
  SAY(cuModuleUnload(module));
  cuStreamDestroy(stream);
  cuEventDestroy(start);
  cuEventDestroy(stop);
  SAY(cuDevicePrimaryCtxRelease(device));
}
