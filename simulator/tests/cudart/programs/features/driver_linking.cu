// nvcc: -lcuda
// The driver API: PTX texts that are linked while the program runs. One has a function that the other calls, and a
// variable that both use.
#include <cuda.h>

#include <cstdio>
#include <cstring>

#include "../driver_check.hpp"

static const char *const library = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .global .align 4 .u32 calls;

.visible .func (.param .b32 result) square(.param .b32 value)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<2>;
  ld.param.b32 %r1, [value];
  mul.lo.s32 %r1, %r1, %r1;
  mov.u64 %d1, calls;
  red.global.add.u32 [%d1], 1;
  st.param.b32 [result], %r1;
  ret;
}
)";

static const char *const program = R"(
.version 7.0
.target sm_80
.address_size 64

.extern .global .align 4 .u32 calls;
.extern .func (.param .b32 result) square(.param .b32 value);

.visible .entry squares(.param .u64 values)
{
  .reg .b32 %r<6>;
  .reg .b64 %d<5>;
  ld.param.u64 %d1, [values];
  mov.u32 %r1, %tid.x;
  {
    .param .b32 value;
    .param .b32 result;
    st.param.b32 [value], %r1;
    call.uni (result), square, (value);
    ld.param.b32 %r2, [result];
  }
  cvta.to.global.u64 %d2, %d1;
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d4, %d2, %d3;
  st.global.u32 [%d4], %r2;
  ret;
}
)";

int main() {
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  CUlinkState link;
  void *image = nullptr;
  size_t bytes = 0;
  CHECK(cuLinkCreate(0, nullptr, nullptr, &link));
  CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)program, strlen(program) + 1, "program", 0, nullptr,
                      nullptr));
  CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)library, strlen(library) + 1, "library", 0, nullptr,
                      nullptr));
  CHECK(cuLinkComplete(link, &image, &bytes));
  CUmodule module;
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuLinkDestroy(link));  // what was loaded stays
  CUfunction squares;
  CHECK(cuModuleGetFunction(&squares, module, "squares"));
  CUmodule same;
  CHECK(cuFuncGetModule(&same, squares));
  printf("its module: %d\n", same == module);

  CUdeviceptr values, calls;
  CHECK(cuMemAlloc(&values, 32 * 4));
  void *arguments[] = {&values};
  CHECK(cuLaunchKernel(squares, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  int host[32];
  unsigned called = 0;
  CHECK(cuMemcpyDtoH(host, values, sizeof host));
  CHECK(cuModuleGetGlobal(&calls, nullptr, module, "calls"));
  CHECK(cuMemcpyDtoH(&called, calls, sizeof called));
  printf("%d %d %d, called %u times\n", host[2], host[10], host[31], called);
  CHECK(cuMemFree(values));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
