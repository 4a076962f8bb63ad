// cudaGraphDebugDotPrint: a graph as text for Graphviz.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <string>

#include "runtime/simulate/graph_calls.hpp"

namespace warpgrade::cuda {
namespace {

/// In quotes, where a backslash begins an escape.
std::string quoted(const std::string &text) {
  std::string made;
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

std::string sizes(const dim3 &d) {
  return fmt::format("({}, {}, {})", d.x, d.y, d.z);
}
std::string sizes(const Box &box) {
  return fmt::format("{} x {} x {} bytes", box.width, box.height, box.depth);
}
std::string place(const Place &p) {
  return fmt::format("{}, pitch {}", fmt::ptr(p.at), p.pitch);
}

std::string name_of(const void *function) {
  Kernel *kernel = nullptr;
  if (find_kernel("cudaGraphDebugDotPrint", function, kernel) != cudaSuccess) return "?";
  return ptx::demangle(kernel->name);
}

/// What a node does; with its parameters where `flags` ask for them.
struct Label {
  unsigned flags;
  bool asks(unsigned flag) const { return (flags & (flag | cudaGraphDebugDotFlagsVerbose)) != 0; }

  std::string operator()(const EmptyWork &) const { return "empty"; }
  std::string operator()(const KernelWork &work) const {
    std::string text = "kernel\n" + name_of(work.function);
    if (asks(cudaGraphDebugDotFlagsKernelNodeParams))
      text += fmt::format("\ngrid {}, block {}\n{} bytes of dynamic shared memory", sizes(work.grid),
                          sizes(work.block), work.shared);
    return text;
  }
  std::string operator()(const CopyWork &work) const {
    constexpr const char *kinds[] = {"host to host", "host to device", "device to host", "device to device",
                                     "default"};
    std::string text = "memcpy";
    if (asks(cudaGraphDebugDotFlagsMemcpyNodeParams))
      text += fmt::format("\n{}, {}\nfrom {}\nto {}", kinds[work.kind], sizes(work.box), place(work.from),
                          place(work.to));
    return text;
  }
  std::string operator()(const FillWork &work) const {
    std::string text = "memset";
    if (asks(cudaGraphDebugDotFlagsMemsetNodeParams))
      text += fmt::format("\n{} as {} bytes, {}\nto {}", work.value, work.element, sizes(work.box),
                          place(work.to));
    return text;
  }
  std::string operator()(const HostWork &work) const {
    std::string text = "host";
    if (asks(cudaGraphDebugDotFlagsHostNodeParams))
      text += fmt::format("\nfunction {}, data {}", fmt::ptr(reinterpret_cast<void *>(work.function)),
                          fmt::ptr(work.data));
    return text;
  }
  std::string operator()(const EventWork &work) const {
    std::string text = work.records ? "event record" : "event wait";
    if (asks(cudaGraphDebugDotFlagsEventNodeParams))
      text += fmt::format("\nevent {}", fmt::ptr(static_cast<void *>(work.event)));
    return text;
  }
  std::string operator()(const GraphWork &) const { return "graph"; }
  std::string operator()(const ConditionalWork &work) const {
    constexpr const char *kinds[] = {"if", "while", "switch"};
    std::string text = fmt::format("conditional\n{}", kinds[static_cast<int>(work.kind)]);
    if (asks(1u << 15))  // cudaGraphDebugDotFlagsConditionalNodeParams, which CUDA 12.2 lacks
      text += fmt::format("\nhandle {:#x}, {} bodies", work.handle, work.bodies.size());
    return text;
  }
  std::string operator()(const AllocateWork &work) const {
    return asks(0) ? fmt::format("memory allocation\n{} bytes at {}", work.bytes, fmt::ptr(work.memory))
                   : "memory allocation";
  }
  std::string operator()(const FreeWork &work) const {
    return asks(0) ? fmt::format("memory free\n{}", fmt::ptr(work.memory)) : "memory free";
  }
};

class Dot {
 public:
  explicit Dot(unsigned flags) : flags_(flags) {}

  /// The graph as a box; returns  its name.
  std::string add(const Graph &graph, const std::string &indent) {
    const std::string name = fmt::format("graph_{}", graphs_++);
    text_ += fmt::format("{0}subgraph cluster_{1} {{\n{0}  label=\"{1}\";\n", indent, name);
    std::map<const GraphNode *, std::string> names;
    for (const auto &node : graph.nodes) {
      const std::string own = fmt::format("{}_node_{}", name, names.size());
      std::string label = std::visit(Label{flags_}, node->work);
      if ((flags_ & (cudaGraphDebugDotFlagsHandles | cudaGraphDebugDotFlagsVerbose)) != 0)
        label += fmt::format("\nnode {}", fmt::ptr(node.get()));
      text_ += fmt::format("{}  {} [shape=box, label=\"{}\"];\n", indent, own, lines(label));
      names[node.get()] = own;
    }
    for (const auto &node : graph.nodes)
      for (const GraphNode *one : node->before)
        text_ += fmt::format("{}  {} -> {};\n", indent, names.at(one), names.at(node.get()));
    for (const auto &node : graph.nodes)
      for (const auto &inner : graphs_in(node->work)) {
        const std::string box = add(*inner, indent + "  ");
        if (!inner->nodes.empty())
          text_ += fmt::format("{}  {} -> {}_node_0 [style=dashed];\n", indent, names.at(node.get()), box);
      }
    text_ += indent + "}\n";
    return name;
  }
  std::string text() const { return "digraph cuda {\n" + text_ + "}\n"; }

 private:
  static std::string lines(const std::string &label) {
    std::string made;
    for (const char c : quoted(label)) made += c == '\n' ? std::string("\\n") : std::string(1, c);
    return made;
  }
  unsigned flags_;
  std::size_t graphs_ = 0;
  std::string text_;
};

}  // namespace
}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" cudaError_t cudaGraphDebugDotPrint(cudaGraph_t given, const char *path, unsigned flags) {
  return api("cudaGraphDebugDotPrint", Waits::no, [&](Runtime &r) {
    const Graph *graph = find_graph(r, given);
    if (graph == nullptr || path == nullptr) return cudaErrorInvalidValue;
    Dot dot(flags);
    dot.add(*graph, "  ");
    std::FILE *file = std::fopen(path, "w");
    if (file == nullptr) return cudaErrorOperatingSystem;
    const bool written = std::fputs(dot.text().c_str(), file) >= 0;
    return std::fclose(file) == 0 && written ? cudaSuccess : cudaErrorOperatingSystem;
  });
}
