// The operations that the loop in hot/memory.cpp does by itself.
#include "simt/decoder.hpp"

namespace warpgrade::simt {
namespace {

struct Kind {
  const char *name;
  Hot hot;
};
constexpr Kind kinds[] = {{"fma.f32", Hot::fma_f32},
                          {"load.shared.4x1", Hot::load_shared},
                          {"load.global.4x1", Hot::load_global},
                          {"load.shared.4x4", Hot::load_shared_v4},
                          {"add.b64", Hot::add_b64},
                          {"add.b32", Hot::add_b32}};

}  // namespace

void Decoder::mark_hot() {
  program_->loop = find_entry("loop")->run;
  for (const Kind &kind : kinds) {
    const Handler run = find_entry(kind.name)->run;
    for (Op &op : program_->ops)
      if (op.run == run) op.hot = kind.hot;
  }
}

}  // namespace warpgrade::simt
