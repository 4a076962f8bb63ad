// A launch with thread block clusters.
#include <cstdio>

__global__ void f(int *p) {
  p[blockIdx.x] = 1;
}

int main() {
  int *p;
  cudaMalloc(&p, 16);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4);
  config.blockDim = dim3(32);
  cudaLaunchAttribute cluster;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 2;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = 1;
  printf("%s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, f, p)));
}
