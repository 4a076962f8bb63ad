// Memory that kernels ask for: malloc, new, free and delete, across launches, and a heap that is full.
#include <cstdio>

struct Node {
  int value;
  Node *next;
};

__global__ void push(Node **heads, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Node *head = nullptr;
  for (int i = 0; i < count; ++i) head = new Node{t + i, head};
  heads[t] = head;
}

__global__ void sum_and_free(Node **heads, int *sums) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (Node *node = heads[t]; node != nullptr;) {
    sum += node->value;
    Node *next = node->next;
    delete node;
    node = next;
  }
  sums[t] = sum;
}

__global__ void scratch(int *results) {
  __shared__ int *shared;
  if (threadIdx.x == 0) shared = static_cast<int *>(malloc(blockDim.x * sizeof(int)));
  __syncthreads();
  shared[threadIdx.x] = static_cast<int>(threadIdx.x * threadIdx.x);
  __syncthreads();
  results[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(shared);
}

struct Base {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Base() {}
};
struct Square : Base {
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
  int side;
};
struct Line : Base {
  __device__ int area() const override { return 0; }
};

__global__ void shapes(int *results) {
  Base *shape =
      threadIdx.x % 2 == 0 ? static_cast<Base *>(new Square(static_cast<int>(threadIdx.x))) : new Line;
  results[threadIdx.x] = shape->area();
  delete shape;
}

__global__ void too_much(int *failed) {
  void *p = malloc(size_t{1} << 30);
  *failed = p == nullptr;
  free(p);
  free(nullptr);
}

int main() {
  constexpr int threads = 64;
  Node **heads;
  int *device, host[threads];
  cudaMalloc(&heads, threads * sizeof(Node *));
  cudaMalloc(&device, sizeof host);
  push<<<2, 32>>>(heads, 5);
  sum_and_free<<<2, 32>>>(heads, device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("lists %d %d %d\n", host[0], host[1], host[63]);
  scratch<<<1, threads>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("scratch %d %d\n", host[0], host[63]);
  shapes<<<1, threads>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("shapes %d %d %d\n", host[2], host[3], host[62]);
  too_much<<<1, 1>>>(device);
  cudaMemcpy(host, device, sizeof(int), cudaMemcpyDeviceToHost);
  printf("no room: %d\n", host[0]);
  size_t limit = 0;
  cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
  printf("limit %zu\n", limit);
  cudaFree(heads);
  cudaFree(device);
}
