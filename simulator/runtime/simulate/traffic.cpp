#include "runtime/simulate/traffic.hpp"

#include "runtime/simulate/callers.hpp"
#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

constexpr std::size_t most_operations = 200'000;

/// The place whose memory a block is; managed memory moves as the system likes, and is left out.
std::optional<int> place_of(const Block *block) {
  if (block == nullptr) return links::host;
  if (block->kind == Kind::managed) return std::nullopt;
  return block->host_sees_it() ? links::host : block->device;
}

std::vector<streams::Placed> places_of_variable(const Runtime &r, const std::string &name) {
  std::vector<streams::Placed> all;
  const Block *const last = r.blocks.named(name);
  if (last == nullptr || last->kind != Kind::variable) return all;
  for (const auto &[begin, block] : r.blocks.all())
    if (block.kind == Kind::variable && block.name == name) all.push_back({begin, block.end(), block.device});
  return all;
}

}  // namespace

bool Traffic::is_on(const Runtime &r) const {
  return r.options.traffic && history_.size() < most_operations;
}

void Traffic::kernel(Runtime &r, const std::string &name, const simt::LaunchResult &result) {
  if (!is_on(r)) return;
  const streams::Places places{[&](const std::string &buffer) -> std::optional<int> {
                                 const Block *const block = r.blocks.named(buffer);
                                 return block == nullptr ? std::nullopt : place_of(block);
                               },
                               [&](std::uint64_t address) { return place_of(r.blocks.at(address)); },
                               [&](const std::string &buffer) { return places_of_variable(r, buffer); }};
  add(r, streams::kernel(name, r.current, result, places));
}

void Traffic::copy(Runtime &r, const char *call, const Side &to, const Side &from, const Box &box) {
  if (!is_on(r)) return;
  links::Operation one = streams::copy(
      call, r.order.device(r),
      {place_of(to.block), place_of(from.block), !from.used, box.width, box.height * box.depth});
  if (!one.transfers.empty()) one.callers = callers();
  add(r, std::move(one));
}

void Traffic::step(Runtime &r, std::string what, std::vector<links::Transfer> transfers,
                   std::uint64_t in_own_memory) {
  if (!is_on(r)) return;
  links::Operation one;
  one.device = r.order.device(r);
  one.what = std::move(what);
  one.transfers = std::move(transfers);
  one.device_bytes = in_own_memory;
  add(r, std::move(one));
}

void Traffic::add(Runtime &r, links::Operation one) {
  const streams::Numbered now = r.order.number_operation(r);
  one.stream = StreamOrder::words_of(now.stream);
  history_.add(one, now.stream, now.number, now.known);
  r.journal.note_operation(one);
}

}  // namespace warpgrade::cuda
