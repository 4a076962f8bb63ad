// One rank's call of a collective, a send or a receive, as plain data, and what is wrong with it or with two that should
// belong together, in words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nccl/arithmetic.hpp"
#include "nccl/moves.hpp"

namespace warpgrade::nccl {

/// An exchange is made of sends and receives: an all-to-all, a gather, a scatter.
enum class What { all_reduce, reduce, broadcast, reduce_scatter, all_gather, exchange, send, receive };

/// What a reduction of ncclRedOpCreatePreMulSum multiplies the input of its rank by: a value, or where the device has it.
struct Scaled {
  Type type = Type::float32;
  std::array<std::byte, 8> value = {};
  const void *on_device = nullptr;
};

struct Call {
  What what = What::all_reduce;
  const char *name = "";  ///< of the function: "ncclAllReduce"
  const void *send = nullptr;
  void *receive = nullptr;
  std::uint64_t count = 0;  ///< elements, as the function counts them
  Type type = Type::float32;
  Reduction op = Reduction::sum;
  int peer = 0;  ///< the root of a reduce, broadcast, gather or scatter; the other rank of a send or receive
  Scaled scaled = {};  ///< of Reduction::scaled_sum
  bool is_collective() const { return what != What::send && what != What::receive; }
  bool has_root() const { return what == What::reduce || what == What::broadcast; }
  bool reduces() const {
    return what == What::all_reduce || what == What::reduce || what == What::reduce_scatter;
  }
};

/// Of a collective.
Kind kind_of(What);

/// A place in a program: "rank 1 (device 3)".
struct Member {
  int rank = 0, device = 0;
  std::string words() const;
};

/// Memory that the call reads or writes on its rank.
struct Buffer {
  const void *at = nullptr;
  std::uint64_t bytes = 0;
  bool written = false;
};
/// Without those that NCCL ignores, such as the receive buffer of ranks that are not the root of a reduce.
std::vector<Buffer> buffers_of(const Call &, int rank, int ranks);

/// Where the two buffers of a call share bytes and are not the same place as NCCL wants it; nothing if all is well.
std::optional<std::string> overlap_of(const Call &, int rank, int ranks);

/// What differs between the calls of two ranks that belong together; nothing if they agree.
std::optional<std::string> difference_of(const Call &, Member, const Call &other, Member other_member);

/// "ncclSend to rank 2", "ncclAllReduce"
std::string words_of(const Call &);

}  // namespace warpgrade::nccl
