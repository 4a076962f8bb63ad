# Debian's compiler for 64-bit Arm. tools/build-arm names the folder with the libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
# The CUDA Toolkit of this machine is of no use there.
set(CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit ON)
set(WARPGRADE_CUDA_INCLUDE OFF CACHE STRING "no CUDA Toolkit")
