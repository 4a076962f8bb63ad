#include "machine/checks/shared_flags.hpp"

#include "decode/handlers.hpp"

namespace warpgrade::simt {

void SharedFlags::begin(std::size_t warps) {
  if (!used()) return;
  pending_.assign(warps, Seen{});
  needs_fence_.assign(warps, false);
  signaled_.assign(warps, {});
  fenced_.assign(warps, 0);
  words_.clear();
}

void SharedFlags::fence(std::uint32_t warp) {
  fenced_[warp] = time_.now();
  acquire_pending(warp);
}

void SharedFlags::acquire_pending(std::uint32_t warp) {
  clocks_.of(warp).join(pending_[warp]);
  pending_[warp] = {};
  needs_fence_[warp] = false;
}

void SharedFlags::add_pending(std::uint32_t warp, const Seen &seen) {
  pending_[warp].join(seen);
  needs_fence_[warp] = true;
}

void SharedFlags::access(std::uint32_t warp, std::uint64_t offset, const Site &site, bool reads,
                         bool writes) {
  Word &word = words_[offset];
  if (reads) read(warp, word, site);
  if (writes) write(warp, word, site, reads);
}

void SharedFlags::read(std::uint32_t warp, Word &word, const Site &site) {
  const bool at_once =
      site.acquires || (site.action == Site::Action::atomic && !site.says_order && !site.locks);
  // Reading an unchanged flag again adds no order.
  const std::uint32_t acquired = word.version << 1 | (at_once ? 1 : 0);
  if (std::uint32_t &last = word.acquired[warp]; (last | 1) != (acquired | 1) || last < acquired) {
    (at_once ? clocks_.of(warp) : pending_[warp]).join(word.released);
    last = acquired;
  }
  if (!at_once && (site.locks || site.says_order)) needs_fence_[warp] = true;
  auto &signaled = signaled_[warp];
  if (site.spins || site.locks || site.counts)
    for (std::size_t w = 0; w < signaled.size(); ++w)
      if (word.unfenced[w] > signaled[w].time) signaled[w] = {word.unfenced[w], word.sites[w]};
  if (!global_.tracked()) return;
  WarpOrder &order = global_.of(warp);
  (at_once ? order.known : order.pending_in_block).join(word.elsewhere);
  order.without_acquire_fence.join(word.elsewhere);
}

void SharedFlags::write(std::uint32_t warp, Word &word, const Site &site, bool reads) {
  const std::uint32_t version = word.version + 1;
  if (!reads) word = {};  // nobody can read what was there before
  word.version = version;
  word.released.join(clocks_.of(warp));
  if (clocks_.of_some(warp).lanes != 0) word.released.join(clocks_.of_some(warp).seen);
  word.released.add(warp, 0, true, fenced_[warp]);
  if (global_.tracked()) word.elsewhere.join(global_.of(warp).released_in_block);
  const bool may_fail =
      site.action == Site::Action::atomic && static_cast<AtomicKind>(site.atomic) == AtomicKind::cas;
  if (may_fail) return;
  time_.advance();  // what the warp does from now on comes after this
  word.unfenced[warp] = time_.now();
  word.sites[warp] = static_cast<std::uint32_t>(&site - program_.sites.data());
}

}  // namespace warpgrade::simt
