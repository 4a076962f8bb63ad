#include "ptx/tensor_map.hpp"

#include <algorithm>
#include <cstring>

namespace warpgrade::ptx {
namespace {

constexpr std::uint64_t mark = 0x3150414d54475721;  // no address, and no small number
constexpr std::uint32_t most_type = 12;             // those behind it hold packed elements of 4 and 6 bits
constexpr std::uint32_t tf32 = 11, tf32_flushed = 12;
constexpr std::uint32_t first_mode_of_blackwell = 4;

std::uint32_t span_of(std::uint32_t swizzle) {
  return swizzle == 0 ? 0 : 16u << swizzle;
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

template <class Value>
void put(std::byte *&to, Value value) {
  std::memcpy(to, &value, sizeof value);
  to += sizeof value;
}
template <class Value>
Value take(const std::byte *&from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  from += sizeof value;
  return value;
}

}  // namespace

std::uint32_t TensorMap::element_bytes() const {
  static constexpr std::uint8_t sizes[most_type + 1] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return type <= most_type ? sizes[type] : 1;
}

bool TensorMap::is_float() const {
  return type >= 6 && type <= most_type;
}

std::uint32_t TensorMap::count(std::uint32_t dimension) const {
  if (dimension == 0) return box[0];  // which has no element stride
  return (box[dimension] + element_strides[dimension] - 1) / element_strides[dimension];
}

std::uint32_t TensorMap::box_bytes() const {
  std::uint64_t all = element_bytes();
  for (std::uint32_t i = 0; i < rank; ++i) all *= count(i);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(all, UINT32_MAX));
}

void TensorMap::arrive(std::byte *elements, std::uint32_t size) const {
  if (type != tf32 && type != tf32_flushed) return;
  constexpr std::uint32_t dropped = 0x1FFF, exponent = 0x7F800000, nan = 0x7FFFE000;
  for (std::uint32_t at = 0; at < size; at += 4) {
    std::uint32_t value;
    std::memcpy(&value, elements + at, 4);
    const bool finite = (value & exponent) != exponent;
    if (finite)
      value = (value + dropped / 2 + (value >> 13 & 1)) & ~dropped;
    else if ((value & ~(exponent | 0x80000000)) != 0)
      value = nan;
    std::memcpy(elements + at, &value, 4);
  }
}

std::uint64_t TensorMap::swizzled(std::uint64_t shared_address) const {
  const std::uint64_t pieces = span_of(swizzle) / 16;  // 2, 4 or 8 in a row
  if (pieces == 0) return shared_address;
  return shared_address ^ (shared_address >> 7 & (pieces - 1)) << 4;
}

std::uint64_t TensorMap::place(std::uint64_t shared_address, std::uint64_t offset) const {
  const std::uint64_t row = std::uint64_t{box[0]} * element_bytes(),
                      pitch = swizzle != 0 ? span_of(swizzle) : row;
  return swizzled(shared_address + offset / row * pitch + offset % row);
}

std::string why_invalid(const TensorMap &map) {
  if (map.rank == 0 || map.rank > TensorMap::most_rank)
    return "a tensor has 1 to 5 dimensions, not " + number(map.rank);
  if (map.interleave != 0 && map.rank < 3) return "an interleaved tensor has at least 3 dimensions";
  if (map.address % 16 != 0) return "globalAddress is not a multiple of 16 bytes";
  for (std::uint32_t i = 0; i < map.rank; ++i) {
    const std::string at = "[" + number(i) + "]";
    if (map.dimensions[i] == 0 || map.dimensions[i] > std::uint64_t{1} << 32)
      return "globalDim" + at + " is " + number(map.dimensions[i]) + ": it has to be 1 to 2^32";
    if (map.box[i] == 0 || map.box[i] > 256)
      return "boxDim" + at + " is " + number(map.box[i]) + ": it has to be 1 to 256";
    if (map.element_strides[i] == 0 || map.element_strides[i] > 8)
      return "elementStrides" + at + " is " + number(map.element_strides[i]) + ": it has to be 1 to 8";
    if (i + 1 < map.rank && (map.strides[i] % 16 != 0 || map.strides[i] >= std::uint64_t{1} << 40))
      return "globalStrides" + at + " is " + number(map.strides[i]) +
             " bytes: it has to be a multiple of 16 below 2^40";
  }
  if (map.type > most_type) return {};
  const std::uint64_t inner = std::uint64_t{map.box[0]} * map.element_bytes();
  const std::string row = "a row of the box, boxDim[0] elements, has " + number(inner) + " bytes: ";
  if (map.interleave == 0 && inner % 16 != 0) return row + "it has to be a multiple of 16";
  if (map.interleave == 0 && map.swizzle != 0 && map.swizzle < first_mode_of_blackwell &&
      inner > span_of(map.swizzle))
    return row + "with this swizzle, at most " + number(span_of(map.swizzle)) + " are possible";
  if (map.fill != 0 && !map.is_float())
    return "only elements that are floating-point numbers are filled with NaN";
  return {};
}

std::string why_unsupported(const TensorMap &map) {
  if (map.type > most_type) return "tensor maps of packed elements of 4 and 6 bits";
  if (map.interleave != 0) return "interleaved tensor maps";
  if (map.swizzle >= first_mode_of_blackwell) return "swizzles that keep 32 or 64 bytes together";
  return {};
}

void encode(const TensorMap &map, std::byte *to) {
  std::memset(to, 0, TensorMap::bytes);
  put(to, mark);
  put(to, map.address);
  for (const std::uint64_t one : map.dimensions) put(to, static_cast<std::uint32_t>(one - 1));  // up to 2^32
  for (const std::uint64_t one : map.strides) put(to, one);
  for (const std::uint32_t one : map.box) put(to, static_cast<std::uint16_t>(one));
  for (const std::uint32_t one : map.element_strides) put(to, static_cast<std::uint8_t>(one));
  for (const std::uint32_t one : {map.type, map.rank, map.interleave, map.swizzle, map.promotion, map.fill})
    put(to, static_cast<std::uint8_t>(one));
}

std::optional<TensorMap> decode_tensor_map(const std::byte *from) {
  if (take<std::uint64_t>(from) != mark) return std::nullopt;
  TensorMap map;
  map.address = take<std::uint64_t>(from);
  for (std::uint64_t &one : map.dimensions) one = std::uint64_t{take<std::uint32_t>(from)} + 1;
  for (std::uint64_t &one : map.strides) one = take<std::uint64_t>(from);
  for (std::uint32_t &one : map.box) one = take<std::uint16_t>(from);
  for (std::uint32_t &one : map.element_strides) one = take<std::uint8_t>(from);
  for (std::uint32_t *one : {&map.type, &map.rank, &map.interleave, &map.swizzle, &map.promotion, &map.fill})
    *one = take<std::uint8_t>(from);
  // A kernel may have changed the bytes.
  if (!why_invalid(map).empty() || !why_unsupported(map).empty()) return std::nullopt;
  return map;
}

}  // namespace warpgrade::ptx
