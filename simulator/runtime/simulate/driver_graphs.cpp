// The driver API: graphs. Handles are the same as the runtime's, and most calls forward to the runtime's.
#include <cstring>

#include "runtime/simulate/driver.hpp"
#include "runtime/simulate/graph_calls.hpp"

namespace warpgrade::cuda {
namespace {

template <class Call>
CUresult plain(const Call &call) {
  return through_runtime(Needs::context, call);
}

/// `body` takes the runtime and gives the error code.
template <class Body>
CUresult in_driver(const char *call, const Body &body) {
  return driver_call(call, Waits::no, Needs::context, body);
}

/// Both versions of the parameters begin alike; the second may name a kernel instead of a function.
using KernelParams = CUDA_KERNEL_NODE_PARAMS_v2;
using KernelParamsV1 = CUDA_KERNEL_NODE_PARAMS_v1;

cudaKernelNodeParams runtime_params(const KernelParamsV1 &from, const void *kernel = nullptr) {
  cudaKernelNodeParams to{};
  to.func = from.func != nullptr ? static_cast<void *>(from.func) : const_cast<void *>(kernel);
  to.gridDim = dim3(from.gridDimX, from.gridDimY, from.gridDimZ);
  to.blockDim = dim3(from.blockDimX, from.blockDimY, from.blockDimZ);
  to.sharedMemBytes = from.sharedMemBytes;
  to.kernelParams = from.kernelParams;
  to.extra = from.extra;
  return to;
}

cudaKernelNodeParams runtime_params(const KernelParams &from) {
  KernelParamsV1 same{};
  static_assert(sizeof same <= sizeof from);
  std::memcpy(&same, &from, sizeof same);
  return runtime_params(same, from.kern);
}

KernelParamsV1 driver_params(const cudaKernelNodeParams &from) {
  KernelParamsV1 to{};
  to.func = static_cast<CUfunction>(from.func);
  to.gridDimX = from.gridDim.x, to.gridDimY = from.gridDim.y, to.gridDimZ = from.gridDim.z;
  to.blockDimX = from.blockDim.x, to.blockDimY = from.blockDim.y, to.blockDimZ = from.blockDim.z;
  to.sharedMemBytes = from.sharedMemBytes;
  to.kernelParams = from.kernelParams;
  return to;
}

/// A struct that the runtime has under another name.
template <class To, class From>
const To *same(const From *from) {
  static_assert(sizeof(To) == sizeof(From));
  return reinterpret_cast<const To *>(from);
}

cudaError_t box_work(Runtime &r, const CUDA_MEMCPY3D *from, Work &work) {
  CopyWork made;
  const cudaError_t error = make_box_copy(r, from, made);
  work = made;
  return error;
}

/// The places of the copy, as addresses: the node does not remember arrays.
CUDA_MEMCPY3D driver_box(const CopyWork &work) {
  CUDA_MEMCPY3D to{};
  to.srcMemoryType = to.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  to.srcDevice = number(work.from.at), to.dstDevice = number(work.to.at);
  to.srcPitch = work.from.pitch, to.dstPitch = work.to.pitch;
  to.srcHeight = work.from.pitch != 0 ? work.from.slice / work.from.pitch : 0;
  to.dstHeight = work.to.pitch != 0 ? work.to.slice / work.to.pitch : 0;
  to.WidthInBytes = work.box.width, to.Height = work.box.height, to.Depth = work.box.depth;
  return to;
}

#if CUDART_VERSION >= 12030  // what has CUgraphNodeParams
extern "C" cudaError_t add_any_node(CUgraphNode *, CUgraph, const CUgraphNode *, const void *, size_t,
                                    cudaGraphNodeParams *) __asm__("cudaGraphAddNode_v2");

CUresult add_conditional(CUgraphNode *to, const NewNode &where, CUgraphNodeParams &p) {
  cudaGraphNodeParams runtime{};
  runtime.type = cudaGraphNodeTypeConditional;
  runtime.conditional.handle = p.conditional.handle;
  runtime.conditional.type = static_cast<cudaGraphConditionalNodeType>(p.conditional.type);
  runtime.conditional.size = p.conditional.size;
  const CUresult result =
      plain([&] { return add_any_node(to, where.graph, where.before, nullptr, where.count, &runtime); });
  p.conditional.phGraph_out = runtime.conditional.phGraph_out;
  return result;
}

CUresult add_node_of_any_type(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                              CUgraphNodeParams *p) {
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (p->type) {
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return cuGraphAddEmptyNode(to, graph, before, count);
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      KernelParams kernel{};
      std::memcpy(&kernel, &p->kernel, sizeof kernel);  // the third version has one field more
      return cuGraphAddKernelNode(to, graph, before, count, &kernel);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return cuGraphAddMemcpyNode(to, graph, before, count, &p->memcpy.copyParams, nullptr);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      CUDA_MEMSET_NODE_PARAMS fill{};
      std::memcpy(&fill, &p->memset, sizeof fill);
      return cuGraphAddMemsetNode(to, graph, before, count, &fill, nullptr);
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
      CUDA_HOST_NODE_PARAMS host{};
      host.fn = p->host.fn, host.userData = p->host.userData;
      return cuGraphAddHostNode(to, graph, before, count, &host);
    }
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return cuGraphAddChildGraphNode(to, graph, before, count, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return cuGraphAddEventRecordNode(to, graph, before, count, p->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return cuGraphAddEventWaitNode(to, graph, before, count, p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return cuGraphAddMemFreeNode(to, graph, before, count, p->free.dptr);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return add_conditional(to, {to, graph, before, count}, *p);
    default:
      runtime().not_supported("cuGraphAddNode", "this type of node");
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}
#endif

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

CUresult cuGraphCreate(CUgraph *to, unsigned flags) {
  return plain([&] { return cudaGraphCreate(to, flags); });
}
CUresult cuGraphDestroy(CUgraph graph) {
  return plain([&] { return cudaGraphDestroy(graph); });
}
CUresult cuGraphClone(CUgraph *to, CUgraph from) {
  return plain([&] { return cudaGraphClone(to, from); });
}
CUresult cuGraphNodeFindInClone(CUgraphNode *to, CUgraphNode original, CUgraph cloned) {
  return plain([&] { return cudaGraphNodeFindInClone(to, original, cloned); });
}
CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags) {
  return plain([&] { return cudaGraphDebugDotPrint(graph, path, flags); });
}

// Kernel nodes. A symbol without a version number has the parameters of the first version, in CUDA 12 and 13.
CUresult cuGraphAddKernelNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                              const KernelParams *p) {
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaKernelNodeParams params = runtime_params(*p);
  return plain([&] { return cudaGraphAddKernelNode(to, graph, before, count, &params); });
}
CUresult add_kernel_v1(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                       const KernelParamsV1 *) __asm__("cuGraphAddKernelNode");
CUresult add_kernel_v1(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                       const KernelParamsV1 *p) {
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaKernelNodeParams params = runtime_params(*p);
  return plain([&] { return cudaGraphAddKernelNode(to, graph, before, count, &params); });
}
CUresult get_kernel_v1(CUgraphNode, KernelParamsV1 *) __asm__("cuGraphKernelNodeGetParams");
CUresult get_kernel_v1(CUgraphNode node, KernelParamsV1 *to) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaKernelNodeParams params{};
  const CUresult result = plain([&] { return cudaGraphKernelNodeGetParams(node, &params); });
  if (result == CUDA_SUCCESS) *to = driver_params(params);
  return result;
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, KernelParams *to) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  KernelParamsV1 first{};
  const CUresult result = get_kernel_v1(node, &first);
  if (result != CUDA_SUCCESS) return result;
  *to = {};
  std::memcpy(to, &first, sizeof first);
  return result;
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const KernelParams *p) {
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaKernelNodeParams params = runtime_params(*p);
  return plain([&] { return cudaGraphKernelNodeSetParams(node, &params); });
}
CUresult set_kernel_v1(CUgraphNode, const KernelParamsV1 *) __asm__("cuGraphKernelNodeSetParams");
CUresult set_kernel_v1(CUgraphNode node, const KernelParamsV1 *p) {
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaKernelNodeParams params = runtime_params(*p);
  return plain([&] { return cudaGraphKernelNodeSetParams(node, &params); });
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const KernelParams *p) {
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaKernelNodeParams params = runtime_params(*p);
  return plain([&] { return cudaGraphExecKernelNodeSetParams(exec, node, &params); });
}
CUresult set_exec_kernel_v1(CUgraphExec, CUgraphNode,
                            const KernelParamsV1 *) __asm__("cuGraphExecKernelNodeSetParams");
CUresult set_exec_kernel_v1(CUgraphExec exec, CUgraphNode node, const KernelParamsV1 *p) {
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaKernelNodeParams params = runtime_params(*p);
  return plain([&] { return cudaGraphExecKernelNodeSetParams(exec, node, &params); });
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return plain([&] { return cudaGraphKernelNodeCopyAttributes(to, from); });
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID which,
                                       CUkernelNodeAttrValue *to) {
  return plain([&] {
    return cudaGraphKernelNodeGetAttribute(
        node, static_cast<cudaLaunchAttributeID>(which),
        const_cast<cudaLaunchAttributeValue *>(same<cudaLaunchAttributeValue>(to)));
  });
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID which,
                                       const CUkernelNodeAttrValue *value) {
  return plain([&] {
    return cudaGraphKernelNodeSetAttribute(node, static_cast<cudaLaunchAttributeID>(which),
                                           same<cudaLaunchAttributeValue>(value));
  });
}

// Copies and fills
CUresult cuGraphAddMemcpyNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                              const CUDA_MEMCPY3D *p, CUcontext) {
  return plain([&] {
    return add_node("cuGraphAddMemcpyNode", {to, graph, before, count},
                    [&](Runtime &r, Work &work) { return box_work(r, p, work); });
  });
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode given, CUDA_MEMCPY3D *to) {
  return in_driver("cuGraphMemcpyNodeGetParams", [&](Runtime &r) {
    const GraphNode *node = find_node(r, given);
    const auto *work = node == nullptr ? nullptr : std::get_if<CopyWork>(&node->work);
    if (work == nullptr || to == nullptr) return cudaErrorInvalidValue;
    *to = driver_box(*work);
    return cudaSuccess;
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *p) {
  return plain([&] {
    return set_work("cuGraphMemcpyNodeSetParams", node,
                    [&](Runtime &r, Work &work) { return box_work(r, p, work); });
  });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *p,
                                        CUcontext) {
  return plain([&] {
    return set_work("cuGraphExecMemcpyNodeSetParams", exec, node,
                    [&](Runtime &r, Work &work) { return box_work(r, p, work); });
  });
}
CUresult cuGraphAddMemsetNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *p, CUcontext) {
  return plain([&] { return cudaGraphAddMemsetNode(to, graph, before, count, same<cudaMemsetParams>(p)); });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *to) {
  return plain([&] {
    return cudaGraphMemsetNodeGetParams(node, const_cast<cudaMemsetParams *>(same<cudaMemsetParams>(to)));
  });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p) {
  return plain([&] { return cudaGraphMemsetNodeSetParams(node, same<cudaMemsetParams>(p)); });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p,
                                        CUcontext) {
  return plain([&] { return cudaGraphExecMemsetNodeSetParams(exec, node, same<cudaMemsetParams>(p)); });
}

// Nodes of other kinds
CUresult cuGraphAddHostNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                            const CUDA_HOST_NODE_PARAMS *p) {
  return plain([&] { return cudaGraphAddHostNode(to, graph, before, count, same<cudaHostNodeParams>(p)); });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *to) {
  return plain([&] {
    return cudaGraphHostNodeGetParams(node, const_cast<cudaHostNodeParams *>(same<cudaHostNodeParams>(to)));
  });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
  return plain([&] { return cudaGraphHostNodeSetParams(node, same<cudaHostNodeParams>(p)); });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
  return plain([&] { return cudaGraphExecHostNodeSetParams(exec, node, same<cudaHostNodeParams>(p)); });
}
CUresult cuGraphAddEmptyNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count) {
  return plain([&] { return cudaGraphAddEmptyNode(to, graph, before, count); });
}
CUresult cuGraphAddChildGraphNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                                  CUgraph child) {
  return plain([&] { return cudaGraphAddChildGraphNode(to, graph, before, count, child); });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *to) {
  return plain([&] { return cudaGraphChildGraphNodeGetGraph(node, to); });
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
  return plain([&] { return cudaGraphExecChildGraphNodeSetParams(exec, node, child); });
}
CUresult cuGraphAddEventRecordNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                                   CUevent event) {
  return plain([&] { return cudaGraphAddEventRecordNode(to, graph, before, count, event); });
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *to) {
  return plain([&] { return cudaGraphEventRecordNodeGetEvent(node, to); });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return plain([&] { return cudaGraphEventRecordNodeSetEvent(node, event); });
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return plain([&] { return cudaGraphExecEventRecordNodeSetEvent(exec, node, event); });
}
CUresult cuGraphAddEventWaitNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                                 CUevent event) {
  return plain([&] { return cudaGraphAddEventWaitNode(to, graph, before, count, event); });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *to) {
  return plain([&] { return cudaGraphEventWaitNodeGetEvent(node, to); });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return plain([&] { return cudaGraphEventWaitNodeSetEvent(node, event); });
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return plain([&] { return cudaGraphExecEventWaitNodeSetEvent(exec, node, event); });
}
CUresult cuGraphAddMemAllocNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *p) {
  return plain([&] {
    return cudaGraphAddMemAllocNode(to, graph, before, count,
                                    const_cast<cudaMemAllocNodeParams *>(same<cudaMemAllocNodeParams>(p)));
  });
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *to) {
  return plain([&] {
    return cudaGraphMemAllocNodeGetParams(
        node, const_cast<cudaMemAllocNodeParams *>(same<cudaMemAllocNodeParams>(to)));
  });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                               CUdeviceptr p) {
  return plain([&] { return cudaGraphAddMemFreeNode(to, graph, before, count, pointer(p)); });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *to) {
  return plain([&] { return cudaGraphMemFreeNodeGetParams(node, to); });
}

// The shape of a graph. The second version adds data of edges; here every edge begins at the end of a node.
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *to) {
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaGraphNodeType type{};
  const CUresult result = plain([&] { return cudaGraphNodeGetType(node, &type); });
  *to = static_cast<CUgraphNodeType>(type);  // the numbers are the same
  return result;
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *to, size_t *count) {
  return plain([&] { return cudaGraphGetNodes(graph, to, count); });
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *to, size_t *count) {
  return plain([&] { return cudaGraphGetRootNodes(graph, to, count); });
}
CUresult cuGraphDestroyNode(CUgraphNode node) {
  return plain([&] { return cudaGraphDestroyNode(node); });
}

#define WARPGRADE_NAMED(name, ...) CUresult name(__VA_ARGS__) __asm__("cuGraph" #name)
WARPGRADE_NAMED(AddDependencies, CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult AddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
  return in_driver("cuGraphAddDependencies",
                   [&](Runtime &r) { return change_edges(r, graph, from, to, count, false); });
}
WARPGRADE_NAMED(AddDependencies_v2, CUgraph, const CUgraphNode *, const CUgraphNode *, const void *, size_t);
CUresult AddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const void *,
                            size_t count) {
  return AddDependencies(graph, from, to, count);
}
WARPGRADE_NAMED(RemoveDependencies, CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult RemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
  return in_driver("cuGraphRemoveDependencies",
                   [&](Runtime &r) { return change_edges(r, graph, from, to, count, true); });
}
WARPGRADE_NAMED(RemoveDependencies_v2, CUgraph, const CUgraphNode *, const CUgraphNode *, const void *,
                size_t);
CUresult RemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const void *,
                               size_t count) {
  return RemoveDependencies(graph, from, to, count);
}
WARPGRADE_NAMED(GetEdges, CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
CUresult GetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
  return in_driver("cuGraphGetEdges", [&](Runtime &r) { return list_edges(r, graph, from, to, count); });
}
cudaError_t runtime_edges(CUgraph, CUgraphNode *, CUgraphNode *, void *,
                          size_t *) __asm__("cudaGraphGetEdges_v2");
WARPGRADE_NAMED(GetEdges_v2, CUgraph, CUgraphNode *, CUgraphNode *, void *, size_t *);
CUresult GetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, void *data, size_t *count) {
  return plain([&] { return runtime_edges(graph, from, to, data, count); });
}
WARPGRADE_NAMED(NodeGetDependencies, CUgraphNode, CUgraphNode *, size_t *);
CUresult NodeGetDependencies(CUgraphNode node, CUgraphNode *to, size_t *count) {
  return in_driver("cuGraphNodeGetDependencies",
                   [&](Runtime &r) { return list_dependencies(r, node, to, count); });
}
cudaError_t runtime_dependencies(CUgraphNode, CUgraphNode *, void *,
                                 size_t *) __asm__("cudaGraphNodeGetDependencies_v2");
WARPGRADE_NAMED(NodeGetDependencies_v2, CUgraphNode, CUgraphNode *, void *, size_t *);
CUresult NodeGetDependencies_v2(CUgraphNode node, CUgraphNode *to, void *data, size_t *count) {
  return plain([&] { return runtime_dependencies(node, to, data, count); });
}
WARPGRADE_NAMED(NodeGetDependentNodes, CUgraphNode, CUgraphNode *, size_t *);
CUresult NodeGetDependentNodes(CUgraphNode node, CUgraphNode *to, size_t *count) {
  return in_driver("cuGraphNodeGetDependentNodes",
                   [&](Runtime &r) { return list_dependents(r, node, to, count); });
}
cudaError_t runtime_dependents(CUgraphNode, CUgraphNode *, void *,
                               size_t *) __asm__("cudaGraphNodeGetDependentNodes_v2");
WARPGRADE_NAMED(NodeGetDependentNodes_v2, CUgraphNode, CUgraphNode *, void *, size_t *);
CUresult NodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *to, void *data, size_t *count) {
  return plain([&] { return runtime_dependents(node, to, data, count); });
}

// Graphs that are ready to run
CUresult cuGraphInstantiateWithFlags(CUgraphExec *to, CUgraph graph, unsigned long long flags) {
  return plain([&] { return cudaGraphInstantiateWithFlags(to, graph, flags); });
}
WARPGRADE_NAMED(Instantiate, CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
CUresult Instantiate(CUgraphExec *to, CUgraph graph, CUgraphNode *culprit, char *log, size_t bytes) {
  if (culprit != nullptr) *culprit = nullptr;
  if (log != nullptr && bytes != 0) *log = '\0';
  return plain([&] { return cudaGraphInstantiateWithFlags(to, graph, 0); });
}
WARPGRADE_NAMED(Instantiate_v2, CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
CUresult Instantiate_v2(CUgraphExec *to, CUgraph graph, CUgraphNode *culprit, char *log, size_t bytes) {
  return Instantiate(to, graph, culprit, log, bytes);
}
CUresult cuGraphInstantiateWithParams(CUgraphExec *to, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *p) {
  return plain([&] {
    return cudaGraphInstantiateWithParams(
        to, graph, const_cast<cudaGraphInstantiateParams *>(same<cudaGraphInstantiateParams>(p)));
  });
}
CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *to) {
  unsigned long long flags = 0;
  const CUresult result = plain([&] { return cudaGraphExecGetFlags(exec, &flags); });
  if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *to = flags;
  return result;
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return plain([&] { return cudaGraphExecDestroy(exec); });
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return plain([&] { return cudaGraphLaunch(exec, stream); });
}
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return plain([&] { return cudaGraphUpload(exec, stream); });
}
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *to) {
  return plain([&] {
    return cudaGraphExecUpdate(
        exec, graph, const_cast<cudaGraphExecUpdateResultInfo *>(same<cudaGraphExecUpdateResultInfo>(to)));
  });
}
WARPGRADE_NAMED(ExecUpdate, CUgraphExec, CUgraph, CUgraphNode *, CUgraphExecUpdateResult *);
CUresult ExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *culprit, CUgraphExecUpdateResult *to) {
  CUgraphExecUpdateResultInfo info{};
  const CUresult result = cuGraphExecUpdate(exec, graph, &info);
  if (culprit != nullptr) *culprit = info.errorNode;
  if (to != nullptr) *to = info.result;
  return result;
}
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  return plain([&] { return cudaGraphNodeSetEnabled(exec, node, enabled); });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled) {
  return plain([&] { return cudaGraphNodeGetEnabled(exec, node, enabled); });
}

#if CUDART_VERSION >= 12030
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *to, CUgraph graph, CUcontext,
                                        unsigned value, unsigned flags) {
  return plain([&] {
    cudaGraphConditionalHandle handle = 0;
    const cudaError_t error = cudaGraphConditionalHandleCreate(&handle, graph, value, flags);
    if (to != nullptr) *to = handle;
    return to == nullptr ? cudaErrorInvalidValue : error;
  });
}
WARPGRADE_NAMED(AddNode, CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraphNodeParams *);
CUresult AddNode(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, size_t count,
                 CUgraphNodeParams *p) {
  return add_node_of_any_type(to, graph, before, count, p);
}
WARPGRADE_NAMED(AddNode_v2, CUgraphNode *, CUgraph, const CUgraphNode *, const void *, size_t,
                CUgraphNodeParams *);
CUresult AddNode_v2(CUgraphNode *to, CUgraph graph, const CUgraphNode *before, const void *, size_t count,
                    CUgraphNodeParams *p) {
  return add_node_of_any_type(to, graph, before, count, p);
}
#endif
#undef WARPGRADE_NAMED

// User objects that graphs keep, and the memory of graphs
CUresult cuUserObjectCreate(CUuserObject *to, void *what, CUhostFn destroy, unsigned count, unsigned flags) {
  return plain([&] { return cudaUserObjectCreate(to, what, destroy, count, flags); });
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return plain([&] { return cudaUserObjectRetain(object, count); });
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return plain([&] { return cudaUserObjectRelease(object, count); });
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
  return plain([&] { return cudaGraphRetainUserObject(graph, object, count, flags); });
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return plain([&] { return cudaGraphReleaseUserObject(graph, object, count); });
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void *to) {
  return plain([&] {
    return cudaDeviceGetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(which), to);
  });
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void *value) {
  return plain([&] {
    return cudaDeviceSetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(which), value);
  });
}
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return plain([&] { return cudaDeviceGraphMemTrim(device); });
}

}  // extern "C"
