// CUDA's names that student code uses, for completion, and words that are coloured as CUDA's.
export const words = [
  '__global__', '__device__', '__host__', '__shared__', '__constant__', '__restrict__', '__launch_bounds__', '__align__', '__forceinline__', '__noinline__',
];
export const names = [
  'threadIdx', 'blockIdx', 'blockDim', 'gridDim', 'warpSize', 'dim3', 'uint2', 'uint4', 'int2', 'int4', 'float2', 'float3', 'float4', 'double2', 'make_float2',
  'make_float4', 'make_int2', 'make_int4', '__half', '__half2', '__nv_bfloat16', '__syncthreads', '__syncthreads_count', '__syncthreads_and',
  '__syncthreads_or', '__syncwarp', '__activemask', '__ballot_sync', '__any_sync', '__all_sync', '__match_any_sync', '__match_all_sync', '__shfl_sync',
  '__shfl_up_sync', '__shfl_down_sync', '__shfl_xor_sync', '__reduce_add_sync', '__reduce_min_sync', '__reduce_max_sync', '__threadfence',
  '__threadfence_block', '__threadfence_system', 'atomicAdd', 'atomicSub', 'atomicMin', 'atomicMax', 'atomicInc', 'atomicDec', 'atomicExch', 'atomicCAS',
  'atomicAnd', 'atomicOr', 'atomicXor', 'atomicAdd_block', '__ldg', '__ldca', '__ldcg', '__ldcs', '__stcg', '__stcs', 'fmaf', 'fminf', 'fmaxf', 'sqrtf', 'rsqrtf', 'expf',
  '__expf', 'logf', '__logf', '__fdividef', '__fmaf_rn', '__float2half', '__half2float', '__float2int_rn', '__int_as_float', '__float_as_int', '__popc', '__clz',
  '__ffs', '__brev', '__umulhi', '__mul24', '__pipeline_memcpy_async', '__pipeline_commit', '__pipeline_wait_prior', 'cudaMalloc', 'cudaFree', 'cudaMemcpy',
  'cudaMemcpyAsync', 'cudaMemset', 'cudaMemsetAsync', 'cudaMemcpyHostToDevice', 'cudaMemcpyDeviceToHost', 'cudaMemcpyDeviceToDevice',
  'cudaDeviceSynchronize', 'cudaStreamCreate', 'cudaStreamDestroy', 'cudaStreamSynchronize', 'cudaEventCreate', 'cudaEventRecord',
  'cudaFuncSetAttribute', 'cudaFuncAttributeMaxDynamicSharedMemorySize', 'cudaGetLastError', 'cudaGetErrorString', 'cudaSuccess', 'cudaError_t',
  'cudaMemcpyToSymbol', 'cudaOccupancyMaxActiveBlocksPerMultiprocessor', 'cooperative_groups', 'this_thread_block', 'this_grid', 'tiled_partition',
];
