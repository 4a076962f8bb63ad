// The operations that the loop in hot/memory.cpp runs without a call.
#include "decode/decoder.hpp"

namespace warpgrade::simt {
namespace {

struct HotOp {
  const char *name;
  Hot hot;
};
constexpr HotOp hot_ops[] = {{"fma.f32", Hot::fma_f32},
                             {"load.shared.4x1", Hot::load_shared},
                             {"load.global.4x1", Hot::load_global},
                             {"load.shared.4x4", Hot::load_shared_v4},
                             {"add.b64", Hot::add_b64},
                             {"add.b32", Hot::add_b32}};

}  // namespace

void Decoder::mark_hot() {
  program_->loop = find_entry("loop")->run;
  for (const HotOp &one : hot_ops) {
    const Handler run = find_entry(one.name)->run;
    for (Op &op : program_->ops)
      if (op.run == run) op.hot = one.hot;
  }
}

}  // namespace warpgrade::simt
