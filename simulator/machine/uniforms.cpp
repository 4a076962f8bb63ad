// Rows that hold one value for all lanes: constants, parameters, and what special registers say of the launch
// and of the block.
#include <cstring>

#include "machine/block_run.hpp"

namespace warpgrade::simt {

void BlockRun::set_uniform(std::uint32_t offset, bool wide, std::uint64_t bits) {
  std::byte *row = uniforms_.data()->bytes + offset;
  for (int lane = 0; lane < 32; ++lane) {
    if (wide)
      std::memcpy(row + lane * 8, &bits, 8);
    else
      std::memcpy(row + lane * 4, &bits, 4);
  }
}

void BlockRun::fill_uniforms() {
  const Launch &l = launch.launch;
  for (const UniformRow &row : program.uniforms) {
    std::uint64_t bits = row.bits;
    using Kind = UniformRow::Kind;
    switch (row.kind) {
      case Kind::constant:
      case Kind::zero:
        break;
      case Kind::parameter: {
        std::uint64_t raw = 0;
        if (row.bits + row.bytes <= l.arguments.size())
          std::memcpy(&raw, l.arguments.data() + row.bits, row.bytes);
        const int unused = 64 - 8 * row.bytes;
        bits = row.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << unused) >> unused)
                             : raw;
        break;
      }
      case Kind::address: {
        const auto at = launch.variables->find(row.symbol);
        bits = (at == launch.variables->end() ? 0 : at->second) + row.bits;
        break;
      }
      case Kind::ntid_x:
        bits = l.block.x;
        break;
      case Kind::ntid_y:
        bits = l.block.y;
        break;
      case Kind::ntid_z:
        bits = l.block.z;
        break;
      case Kind::nctaid_x:
        bits = l.grid.x;
        break;
      case Kind::nctaid_y:
        bits = l.grid.y;
        break;
      case Kind::nctaid_z:
        bits = l.grid.z;
        break;
      case Kind::total_shared:
        bits = program.static_shared_bytes + l.dynamic_shared_bytes;
        break;
      case Kind::dynamic_shared:
        bits = l.dynamic_shared_bytes;
        break;
      case Kind::warps:
        bits = warps_.size();
        break;
      case Kind::workspace_low:
        bits = launch.workspace & UINT32_MAX;
        break;
      case Kind::workspace_high:
        bits = launch.workspace >> 32;
        break;
      case Kind::cluster_x:
        bits = l.cluster.x;
        break;
      case Kind::cluster_y:
        bits = l.cluster.y;
        break;
      case Kind::cluster_z:
        bits = l.cluster.z;
        break;
      case Kind::cluster_blocks:
        bits = l.cluster.x * l.cluster.y * l.cluster.z;
        break;
      case Kind::clusters_x:
        bits = l.grid.x / l.cluster.x;
        break;
      case Kind::clusters_y:
        bits = l.grid.y / l.cluster.y;
        break;
      case Kind::clusters_z:
        bits = l.grid.z / l.cluster.z;
        break;
      case Kind::is_explicit_cluster:
        bits = launch.explicit_cluster ? full_mask : 0;
        break;
      default:  // of each block: see prepare_block
        continue;
    }
    set_uniform(row.offset, row.wide, bits);
  }
}

void BlockRun::set_block_uniforms() {
  using Kind = UniformRow::Kind;
  const Dim3 shape = launch.launch.cluster;
  for (const UniformRow &row : program.uniforms) {
    const auto set = [&](Kind kind, std::uint32_t number) {
      if (row.kind == kind) set_uniform(row.offset, row.wide, number);
    };
    set(Kind::ctaid_x, block_.x), set(Kind::ctaid_y, block_.y), set(Kind::ctaid_z, block_.z);
    if (row.kind < Kind::cluster_index_x || row.kind > Kind::rank_in_cluster) continue;
    set(Kind::cluster_index_x, block_.x / shape.x), set(Kind::cluster_index_y, block_.y / shape.y);
    set(Kind::cluster_index_z, block_.z / shape.z), set(Kind::block_in_cluster_x, block_.x % shape.x);
    set(Kind::block_in_cluster_y, block_.y % shape.y), set(Kind::block_in_cluster_z, block_.z % shape.z);
    set(Kind::rank_in_cluster,
        (block_.z % shape.z * shape.y + block_.y % shape.y) * shape.x + block_.x % shape.x);
  }
}

}  // namespace warpgrade::simt
