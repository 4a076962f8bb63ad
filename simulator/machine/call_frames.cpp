#include "machine/call_frames.hpp"

#include <cstring>

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t most_open_calls = 512;  // per thread

}  // namespace

void CallFrames::begin_block() {
  for (std::vector<std::byte> &frames : frames_) frames.clear();
}

std::size_t CallFrames::depth(const Context &context, std::uint32_t lane) const {
  return frames_[thread(context, lane)].size() / rows_.bytes();
}

const char *CallFrames::push(const Context &context, std::uint32_t lane, std::uint32_t local_bytes) {
  const std::size_t open = depth(context, lane);
  if (open >= most_open_calls) return "calls of recursive functions are open";
  const std::uint64_t base = rows_.stack_begin + open * rows_.local_bytes;
  if (base + rows_.local_bytes > local_bytes && rows_.local_bytes != 0)
    return "calls of recursive functions with arrays are open";
  std::vector<std::byte> &frames = frames_[thread(context, lane)];
  const auto save = [&](const std::byte *from, std::size_t bytes) {
    frames.insert(frames.end(), from, from + bytes);
  };
  for (const Ref ref : rows_.words) save(context.rows + ref + lane * 4, 4);
  for (const Ref ref : rows_.wides) save(context.rows + ref + lane * 8, 8);
  for (const Ref ref : rows_.predicates) {
    std::uint32_t holds;
    std::memcpy(&holds, context.rows + ref, 4);
    frames.push_back(std::byte{static_cast<unsigned char>(holds >> lane & 1)});
  }
  if (rows_.local_bytes != 0) std::memcpy(context.rows + rows_.base + lane * 8, &base, 8);
  return nullptr;
}

void CallFrames::pop(const Context &context, std::uint32_t lane) {
  std::vector<std::byte> &frames = frames_[thread(context, lane)];
  const std::byte *from = frames.data() + frames.size() - rows_.bytes();
  for (const Ref ref : rows_.words) std::memcpy(context.rows + ref + lane * 4, from, 4), from += 4;
  for (const Ref ref : rows_.wides) std::memcpy(context.rows + ref + lane * 8, from, 8), from += 8;
  for (const Ref ref : rows_.predicates) {
    std::uint32_t holds;
    std::memcpy(&holds, context.rows + ref, 4);
    holds = (holds & ~(1u << lane)) | std::to_integer<std::uint32_t>(*from++) << lane;
    std::memcpy(context.rows + ref, &holds, 4);
  }
  frames.resize(frames.size() - rows_.bytes());
}

}  // namespace warpgrade::simt
