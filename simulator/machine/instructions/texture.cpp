// Reads of textures, and reads and writes of surfaces, lane by lane. Every texel goes through the checks of
// global memory.
#include "machine/instructions/texture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "decode/handlers.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

using Texel = std::array<std::uint32_t, 4>;  ///< bits as the instruction returns them
using Color = std::array<float, 4>;

float to_float(const TexelFormat &format, std::uint32_t raw) {
  if (format.kind == TexelFormat::Kind::floating)
    return format.bits == 16 ? half_to_float(raw) : std::bit_cast<float>(raw);
  if (format.bits == 32) return std::bit_cast<float>(raw);
  if (format.kind == TexelFormat::Kind::unsigned_integer)
    return static_cast<float>(raw) / static_cast<float>((1u << format.bits) - 1);
  const float fraction =
      static_cast<float>(static_cast<std::int32_t>(raw)) / static_cast<float>((1u << (format.bits - 1)) - 1);
  return std::max(fraction, -1.0f);
}

/// The coordinate of a texel after the address mode; negative for the border.
std::int64_t place(std::int64_t i, std::int64_t size, AddressMode mode) {
  switch (mode) {
    case AddressMode::clamp:
      return std::clamp<std::int64_t>(i, 0, size - 1);
    case AddressMode::border:
      return i < 0 || i >= size ? -1 : i;
    case AddressMode::wrap:
      return (i % size + size) % size;
    case AddressMode::mirror: {
      const std::int64_t in_two = (i % (2 * size) + 2 * size) % (2 * size);
      return in_two < size ? in_two : 2 * size - 1 - in_two;
    }
  }
  return -1;
}

/// Coordinates far outside stay far outside, without overflow.
std::int64_t whole(float x) {
  if (std::isnan(x)) return 0;
  return static_cast<std::int64_t>(std::floor(std::clamp(x, -1e9f, 1e9f)));
}

/// One lane at a texture or surface.
class Lane {
 public:
  Lane(const Op &op, const TextureSite &how, BlockRun &run, std::uint32_t lane, const Texture &texture)
      : op_(op), how_(how), run_(run), lane_(lane), texture_(texture) {
    site_.space = ptx::Space::global;
  }

  Texel fetch();
  Texel gather();
  void surface();

 private:
  float coordinate(std::size_t i) const {
    const auto bits = static_cast<std::uint32_t>(run_.value(how_.coordinates[i], lane_, false));
    return how_.integer_coordinates ? static_cast<float>(static_cast<std::int32_t>(bits))
                                    : std::bit_cast<float>(bits);
  }
  std::int64_t integer(std::size_t i) const {
    return static_cast<std::int32_t>(run_.value(how_.coordinates[i], lane_, false));
  }
  std::byte *reach(std::uint64_t address, std::uint32_t bytes, bool store, const std::byte *value);
  Texel raw(const Image &, std::int64_t x, std::int64_t y, std::int64_t z);
  Texel tap(const Image &, std::int64_t x, std::int64_t y, std::int64_t z);
  std::array<double, 4> exact(const Image &, std::int64_t x, std::int64_t y, std::int64_t z);
  std::array<float, 3> position(std::int64_t &layer) const;
  Texel sample(const Image &, const std::array<float, 3> &at, std::int64_t layer);
  Color filter(const Image &, const std::array<float, 3> &at, std::int64_t layer);
  float level() const;
  float scaled(float x, std::uint64_t size, AddressMode mode) const;
  AddressMode mode(std::size_t dimension) const {
    // Repeating needs normalised coordinates; without them hardware clamps.
    const AddressMode wanted = texture_.modes[dimension];
    const bool repeats = wanted == AddressMode::wrap || wanted == AddressMode::mirror;
    return repeats && !texture_.normalized ? AddressMode::clamp : wanted;
  }
  bool gives_float() const {
    return texture_.as_float || texture_.levels[0].format.kind == TexelFormat::Kind::floating;
  }

  const Op &op_;
  const TextureSite &how_;
  BlockRun &run_;
  std::uint32_t lane_;
  const Texture &texture_;
  Site site_;
};

/// The bytes of a texel, after all checks of a global access.
std::byte *Lane::reach(std::uint64_t address, std::uint32_t bytes, bool store, const std::byte *value) {
  site_.bytes = static_cast<std::uint8_t>(bytes);
  site_.action = store ? Site::Action::store : Site::Action::load;
  const LaneAccess access{op_, site_, run_, lane_, address, bytes, store};
  const Target target = resolve(access);
  if (!store) check_valid(access, target);
  check_global(access, target, false, value);
  if (store && target.allocation && target.allocation->valid)
    std::memset(target.allocation->valid.get() + (address - target.allocation->begin), 1, bytes);
  return target.host;
}

Texel Lane::raw(const Image &image, std::int64_t x, std::int64_t y, std::int64_t z) {
  const std::uint32_t bytes = image.format.bytes(), each = image.format.bits / 8u;
  const std::uint64_t address = image.address + static_cast<std::uint64_t>(z) * image.slice +
                                static_cast<std::uint64_t>(y) * image.pitch +
                                static_cast<std::uint64_t>(x) * bytes;
  const std::byte *const from = reach(address, bytes, false, nullptr);
  Texel result{};
  for (std::uint32_t c = 0; c < image.format.channels; ++c) {
    std::memcpy(&result[c], from + c * each, each);
    if (image.format.kind == TexelFormat::Kind::signed_integer && each < 4) {
      const std::uint32_t unused = 32 - 8 * each;
      result[c] = static_cast<std::uint32_t>(static_cast<std::int32_t>(result[c] << unused) >> unused);
    }
  }
  return result;
}

/// A texel, or the border's colour.
Texel Lane::tap(const Image &image, std::int64_t x, std::int64_t y, std::int64_t z) {
  if (x >= 0 && y >= 0 && z >= 0) {
    Texel found = raw(image, x, y, z);
    if (gives_float())
      for (std::uint32_t c = 0; c < image.format.channels; ++c)
        found[c] = std::bit_cast<std::uint32_t>(to_float(image.format, found[c]));
    return found;
  }
  Texel border{};
  for (std::size_t c = 0; c < 4; ++c)
    border[c] = gives_float() ? std::bit_cast<std::uint32_t>(texture_.border[c])
                              : static_cast<std::uint32_t>(static_cast<std::int64_t>(texture_.border[c]));
  return border;
}

/// The same for a filter: the least signed integer is below -1 here.
std::array<double, 4> Lane::exact(const Image &image, std::int64_t x, std::int64_t y, std::int64_t z) {
  std::array<double, 4> color{};
  const bool integer = image.format.kind != TexelFormat::Kind::floating && image.format.bits < 32;
  if (x < 0 || y < 0 || z < 0 || !integer) {
    const auto values = std::bit_cast<Color>(tap(image, x, y, z));
    std::copy(values.begin(), values.end(), color.begin());
    return color;
  }
  const bool is_signed = image.format.kind == TexelFormat::Kind::signed_integer;
  const double most = (1u << (image.format.bits - (is_signed ? 1 : 0))) - 1;
  const Texel found = raw(image, x, y, z);
  for (std::size_t c = 0; c < image.format.channels; ++c)
    color[c] = (is_signed ? static_cast<double>(static_cast<std::int32_t>(found[c])) : found[c]) / most;
  return color;
}

/// The face of a cube that a direction meets, and where.
std::array<float, 3> face_of(float x, float y, float z, std::int64_t &face) {
  const float ax = std::abs(x), ay = std::abs(y), az = std::abs(z);
  float s = 0, t = 0, m = 0;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
  }
  return {(s / m + 1) / 2, (t / m + 1) / 2, 0};
}

/// Coordinates as the program gave them, and the layer (or face) of the image.
std::array<float, 3> Lane::position(std::int64_t &layer) const {
  std::size_t next = 0;
  layer = 0;
  if (how_.layered) layer = std::max<std::int64_t>(integer(next++), 0);
  std::array<float, 3> at{};
  for (std::size_t d = 0; d < how_.dimensions; ++d) at[d] = coordinate(next++);
  if (how_.cube) {
    std::int64_t face = 0;
    at = face_of(at[0], at[1], at[2], face);
    layer = 6 * layer + face;
  }
  return at;
}

/// In texels. Normalised coordinates are reduced first, so that large ones lose nothing.
float Lane::scaled(float x, std::uint64_t size, AddressMode mode) const {
  if (!texture_.normalized && !how_.cube) return x;
  if (mode == AddressMode::wrap) x -= std::floor(x);
  return x * static_cast<float>(size);
}

/// Shares of the 2, 4 or 8 texels around a point, in 256ths, as an H200 rounds them: first between slices,
/// then between columns, then between rows. `second`: of the farther texel in each dimension.
std::array<int, 8> shares(const int (&second)[3], std::size_t dimensions) {
  std::array<int, 8> all{};
  const int slices[2] = {256 - second[2], second[2]};
  for (std::size_t z = 0; z < (dimensions == 3 ? 2 : 1); ++z) {
    const int right = (slices[z] * second[0] + 128) >> 8, left = slices[z] - right;
    const int upper_right = (right * second[1] + 128) >> 8, upper_left = (left * second[1] + 127) >> 8;
    const int four[4] = {left - upper_left, right - upper_right, upper_left, upper_right};
    std::copy(std::begin(four), std::end(four), all.begin() + static_cast<std::ptrdiff_t>(4 * z));
  }
  return all;
}

/// A sum of texels as it leaves the filter. Fractions of integers are rounded to 16 bits; those of signed
/// bytes, as an H200 does it, after a product by 258 in place of 32767 / 127, and with eighths of what is
/// missing.
float leave_filter(const TexelFormat &format, double sum) {
  if (format.kind == TexelFormat::Kind::floating && format.bits == 16)
    return half_to_float(double_to_half(sum, Rounding::nearest));
  if (format.kind == TexelFormat::Kind::floating) return static_cast<float>(sum);
  const bool is_signed = format.kind == TexelFormat::Kind::signed_integer;
  const double most = is_signed ? 32767 : 65535;
  const double unit = format.bits == 16 ? most : is_signed ? 127 : 255;
  const std::int64_t parts = std::llround(sum * unit * 256);  // of texels, in 256ths
  const std::int64_t whole = format.bits == 16 ? (parts + 128) >> 8
                             : is_signed       ? (parts * 258 + 32 * (parts >> 12) + 128) >> 8
                                               : (parts * 257 + 128) >> 8;
  return static_cast<float>(std::clamp(static_cast<double>(whole), -most, most) / most);
}

Color Lane::filter(const Image &image, const std::array<float, 3> &at, std::int64_t layer) {
  const std::uint64_t sizes[3] = {image.width, image.height, image.depth};
  // One dimension is filtered as a row of two dimensions, at its lower edge.
  const bool row = how_.dimensions == 1 && !how_.layered;
  const std::size_t dimensions = how_.cube || row ? 2 : how_.dimensions;
  std::int64_t taps[3][2] = {};
  int second[3] = {};
  for (std::size_t d = 0; d < dimensions; ++d) {
    const AddressMode m = how_.cube ? AddressMode::clamp : mode(d);
    const float x = scaled(at[d], sizes[d], m) - 0.5f;
    // Hardware keeps 8 bits of the fraction.
    const float fixed = std::floor(std::clamp(x, -1e7f, 1e7f) * 256.0f + 0.5f) / 256.0f;
    const std::int64_t i = whole(fixed);
    second[d] = static_cast<int>((fixed - std::floor(fixed)) * 256);
    for (int k = 0; k < 2; ++k) taps[d][k] = place(i + k, static_cast<std::int64_t>(sizes[d]), m);
  }
  if (dimensions < 3) taps[2][0] = layer;
  const std::array<int, 8> share = shares(second, dimensions);
  std::array<double, 4> sum{};
  for (std::size_t corner = 0; corner < std::size_t{1} << dimensions; ++corner) {
    if (share[corner] == 0) continue;
    const std::array<double, 4> one =
        exact(image, taps[0][corner & 1], taps[1][corner >> 1 & 1], taps[2][corner >> 2 & 1]);
    for (std::size_t c = 0; c < 4; ++c) sum[c] += share[corner] * one[c];
  }
  Color result{};
  for (std::size_t c = 0; c < 4; ++c) result[c] = leave_filter(image.format, sum[c] / 256);
  return result;
}

Texel Lane::sample(const Image &image, const std::array<float, 3> &at, std::int64_t layer) {
  const std::uint64_t sizes[3] = {image.width, image.height, image.depth};
  const std::size_t dimensions = how_.cube ? 2 : how_.dimensions;
  layer = std::min<std::int64_t>(layer, static_cast<std::int64_t>(image.depth) - 1);
  if (texture_.linear && gives_float()) return std::bit_cast<Texel>(filter(image, at, layer));
  std::int64_t texel[3] = {0, 0, dimensions < 3 ? layer : 0};
  for (std::size_t d = 0; d < dimensions; ++d) {
    const AddressMode m = how_.cube ? AddressMode::clamp : mode(d);
    texel[d] = place(whole(scaled(at[d], sizes[d], m)), static_cast<std::int64_t>(sizes[d]), m);
  }
  return tap(image, texel[0], texel[1], texel[2]);
}

float Lane::level() const {
  if (how_.lod == TextureSite::Lod::given)
    return std::bit_cast<float>(static_cast<std::uint32_t>(run_.value(how_.level, lane_, false)));
  if (how_.lod == TextureSite::Lod::none) return 0;
  const Image &image = texture_.levels[0];
  const std::uint64_t sizes[3] = {image.width, image.height, image.depth};
  float longest = 0;
  for (std::size_t half = 0; half < 2; ++half) {
    float sum = 0;
    for (std::size_t d = 0; d < how_.dimensions; ++d) {
      const Ref ref = how_.gradients[half * 3 + d];
      const float step = std::bit_cast<float>(static_cast<std::uint32_t>(run_.value(ref, lane_, false))) *
                         static_cast<float>(sizes[d]);
      sum += step * step;
    }
    longest = std::max(longest, std::sqrt(sum));
  }
  return longest <= 0 ? 0 : std::log2(longest);
}

Texel Lane::fetch() {
  if (how_.integer_coordinates && how_.dimensions == 1 && !how_.layered) {  // tex1Dfetch: outside is zero
    const std::int64_t x = integer(0);
    const Image &image = texture_.levels[0];
    if (x < 0 || static_cast<std::uint64_t>(x) >= image.width) return {};
    return tap(image, x, 0, 0);
  }
  std::int64_t layer = 0;
  const std::array<float, 3> at = position(layer);
  const auto last = static_cast<float>(texture_.levels.size() - 1);
  if (last == 0) return sample(texture_.levels[0], at, layer);
  const float most = std::clamp(texture_.most_level, 0.0f, last);
  const float least = std::clamp(texture_.least_level, 0.0f, most);
  const float wanted = std::clamp(level() + texture_.bias, least, most);
  if (!texture_.level_linear || !gives_float())
    return sample(texture_.levels[static_cast<std::size_t>(wanted + 0.5f)], at, layer);
  const auto first = static_cast<std::size_t>(wanted);
  const float weight = std::floor((wanted - std::floor(wanted)) * 256.0f) / 256.0f;
  const auto a = std::bit_cast<Color>(sample(texture_.levels[first], at, layer));
  if (weight == 0) return std::bit_cast<Texel>(a);
  const std::size_t second = std::min(first + 1, texture_.levels.size() - 1);
  const auto b = std::bit_cast<Color>(sample(texture_.levels[second], at, layer));
  Color mixed{};
  for (std::size_t c = 0; c < 4; ++c) mixed[c] = (1 - weight) * a[c] + weight * b[c];
  return std::bit_cast<Texel>(mixed);
}

/// One channel of the four texels that a bilinear filter would mix, counterclockwise from the lower left.
Texel Lane::gather() {
  std::int64_t layer = 0;
  const std::array<float, 3> at = position(layer);
  const Image &image = texture_.levels[0];
  const std::uint64_t sizes[2] = {image.width, image.height};
  std::int64_t taps[2][2];
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t i = whole(scaled(at[d], sizes[d], mode(d)) - 0.5f);
    for (int k = 0; k < 2; ++k) taps[d][k] = place(i + k, static_cast<std::int64_t>(sizes[d]), mode(d));
  }
  layer = std::min<std::int64_t>(layer, static_cast<std::int64_t>(image.depth) - 1);
  constexpr int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  Texel result{};
  for (std::size_t i = 0; i < 4; ++i)
    result[i] = tap(image, taps[0][order[i][0]], taps[1][order[i][1]], layer)[how_.channel];
  return result;
}

/// suld and sust: x counts bytes, y and z rows and slices.
void Lane::surface() {
  const Image &image = texture_.levels[0];
  std::size_t next = 0;
  std::int64_t at[3] = {0, 0, 0};
  const std::int64_t layer = how_.layered ? integer(next++) : 0;
  for (std::size_t d = 0; d < how_.dimensions; ++d) at[d] = integer(next++);
  if (how_.layered) at[2] = layer;
  const std::uint32_t bytes = how_.element_bytes * how_.elements;
  const auto texel = static_cast<std::int64_t>(image.format.bytes());
  const std::int64_t limits[3] = {static_cast<std::int64_t>(image.width) * texel,
                                  static_cast<std::int64_t>(image.height),
                                  static_cast<std::int64_t>(image.depth)};
  const std::int64_t last[3] = {limits[0] - bytes, limits[1] - 1, limits[2] - 1};
  const bool store = how_.action == TextureSite::Action::store;
  bool outside = false;
  for (std::size_t d = 0; d < 3; ++d) {
    outside = outside || at[d] < 0 || at[d] > last[d];
    if (how_.bounds == TextureSite::Bounds::clamp)
      at[d] = std::clamp<std::int64_t>(at[d], 0, std::max<std::int64_t>(last[d], 0));
  }
  std::byte value[16] = {};
  if (outside && how_.bounds == TextureSite::Bounds::trap)
    run_.fail(run_.diagnostic(
        Code::out_of_bounds, Severity::error, run_.here(lane_, op_),
        fmt::format(
            "surface {} of {} bytes at byte {} of row {}, slice {}: the surface has {} bytes a row, {} "
            "rows and {} slices",
            store ? "write" : "read", bytes, at[0], at[1], at[2], limits[0], limits[1], limits[2])));
  const bool nothing = outside && how_.bounds == TextureSite::Bounds::zero;
  const std::uint64_t address = image.address + static_cast<std::uint64_t>(at[2]) * image.slice +
                                static_cast<std::uint64_t>(at[1]) * image.pitch +
                                static_cast<std::uint64_t>(at[0]);
  const Site &rows = run_.program.sites[op_.site];
  if (store) {
    for (std::uint32_t e = 0; e < how_.elements; ++e) {
      const std::uint64_t one = run_.value(rows.rows[e], lane_, rows.wide[e]);
      std::memcpy(value + e * how_.element_bytes, &one, how_.element_bytes);
    }
    if (!nothing) std::memcpy(reach(address, bytes, true, value), value, bytes);
    return;
  }
  if (!nothing) std::memcpy(value, reach(address, bytes, false, nullptr), bytes);
  for (std::uint32_t e = 0; e < how_.elements; ++e) {
    if (!rows.used[e]) continue;
    std::uint64_t one = 0;
    std::memcpy(&one, value + e * how_.element_bytes, how_.element_bytes);
    std::memcpy(run_.context.rows + rows.rows[e] + lane_ * (rows.wide[e] ? 8 : 4), &one,
                rows.wide[e] ? 8 : 4);
  }
}

}  // namespace

void texture_access(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  const TextureSite &how = run.program.textures[op.immediate];
  const bool surface = how.action == TextureSite::Action::load || how.action == TextureSite::Action::store;
  const Site &rows = run.program.sites[op.site];
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const std::uint64_t handle = run.value(op.a, lane, true);
    const auto found = run.launch.textures->find(handle);
    if (found == run.launch.textures->end())
      run.fail(run.diagnostic(Code::out_of_bounds, Severity::error, run.here(lane, op),
                              fmt::format("{:#x} is not a {} object: was it created, and not destroyed yet?",
                                          handle, surface ? "surface" : "texture")));
    Lane one(op, how, run, lane, found->second);
    if (surface) {
      one.surface();
      continue;
    }
    const Texel texel = how.action == TextureSite::Action::gather ? one.gather() : one.fetch();
    for (std::uint32_t e = 0; e < rows.elements; ++e)
      if (rows.used[e]) std::memcpy(context.rows + rows.rows[e] + lane * 4, &texel[e], 4);
  }
}

}  // namespace warpgrade::simt
