#include "nccl/call.hpp"

#include <fmt/format.h>

namespace warpgrade::nccl {
namespace {

const std::byte *address(const void *p) {
  return static_cast<const std::byte *>(p);
}

}  // namespace

Kind kind_of(What what) {
  switch (what) {
    case What::reduce:
      return Kind::reduce;
    case What::broadcast:
      return Kind::broadcast;
    case What::reduce_scatter:
      return Kind::reduce_scatter;
    case What::all_gather:
      return Kind::all_gather;
    default:
      return Kind::all_reduce;
  }
}

std::string Member::words() const {
  return fmt::format("rank {} (device {})", rank, device);
}

std::string words_of(const Call &call) {
  if (call.what == What::send) return fmt::format("{} to rank {}", call.name, call.peer);
  if (call.what == What::receive) return fmt::format("{} from rank {}", call.name, call.peer);
  return call.name;
}

std::vector<Buffer> buffers_of(const Call &call, int rank, int ranks) {
  const std::uint64_t part = call.count * bytes_of(call.type),
                      whole = part * static_cast<std::uint64_t>(ranks);
  const Buffer sent{call.send, call.what == What::reduce_scatter ? whole : part, false};
  const Buffer received{call.receive, call.what == What::all_gather ? whole : part, true};
  if (call.what == What::send || (call.what == What::reduce && rank != call.peer)) return {sent};
  if (call.what == What::receive || (call.what == What::broadcast && rank != call.peer)) return {received};
  return {sent, received};
}

std::optional<std::string> overlap_of(const Call &call, int rank, int ranks) {
  const std::vector<Buffer> both = buffers_of(call, rank, ranks);
  if (both.size() < 2) return std::nullopt;
  const std::byte *const sent = address(both[0].at), *const received = address(both[1].at);
  if (sent + both[0].bytes <= received || received + both[1].bytes <= sent) return std::nullopt;
  const std::uint64_t part = call.count * bytes_of(call.type), mine = part * static_cast<std::uint64_t>(rank);
  switch (call.what) {
    case What::all_gather:
      if (sent == received + mine) return std::nullopt;
      return "in place, the send buffer is the receive buffer + rank * sendcount elements";
    case What::reduce_scatter:
      if (received == sent + mine) return std::nullopt;
      return "in place, the receive buffer is the send buffer + rank * recvcount elements";
    default:
      if (sent == received) return std::nullopt;
      return "in place, both are the same pointer";
  }
}

std::optional<std::string> difference_of(const Call &call, Member member, const Call &other,
                                         Member other_member) {
  const auto differ = [&](const std::string &here, const std::string &there, const char *rule) {
    return fmt::format("{} gives {}, and {} gives {}: {}", member.words(), here, other_member.words(), there,
                       rule);
  };
  if (call.is_collective() && call.what != other.what)
    return fmt::format(
        "{} calls {}, and {} calls {}: all ranks must call the same collectives in the same order",
        member.words(), call.name, other_member.words(), other.name);
  const char *const all = call.is_collective() ? "all ranks must agree" : "sender and receiver must agree";
  if (call.count != other.count)
    return differ(fmt::format("a count of {}", call.count), fmt::format("{}", other.count), all);
  if (call.type != other.type) return differ(name_of(call.type), name_of(other.type), all);
  if (call.reduces() && call.op != other.op) return differ(name_of(call.op), name_of(other.op), all);
  if (call.has_root() && call.peer != other.peer)
    return differ(fmt::format("{} as the root", call.peer), fmt::format("{}", other.peer), all);
  return std::nullopt;
}

}  // namespace warpgrade::nccl
