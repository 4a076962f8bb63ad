// A worker's stream, written by hand: what an honest worker would write, and what a dishonest one might.
#pragma once

#include <cstring>

#include "base/wire.hpp"
#include "plan/addresses.hpp"
#include "plan/decode.hpp"
#include "plan/request.hpp"

namespace warpgrade::plan {

/// sgemm with M = N = 4, K = 2: A has 32 bytes, B 32, C 64. Kernel 0 takes (int, float*, float), kernel 1 a
/// struct of 24 bytes, kernel 2 two tensor maps and a pointer, in clusters of 2. One variable of 16 bytes.
inline CallRequest small_request() {
  CallRequest request;
  request.parameters =
      "int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C";
  request.integers = {4, 4, 2};
  request.reals = {1.5, 0.0};
  request.buffers = {{Owner::judge, "A", 32}, {Owner::judge, "B", 32}, {Owner::judge, "C", 64}};
  request.kernels = {{"_Z4stepiPff", 20, {{0, 4}, {8, 8}, {16, 4}}}, {"_Z4pair4Pair", 24, {{0, 24}}}};
  request.kernels.push_back({"_Z6mapped", 264, {{0, 128}, {128, 128}, {256, 8}}});
  request.kernels[2].cluster = {2, 1, 1};
  request.device = simulated_device(90);
  request.variables = {{Owner::module, "coefficients", 16}};
  return request;
}

class Stream {
 public:
  Writer to;
  Stream &tag(Tag t) {
    to.put(t);
    return *this;
  }
  Stream &allocate(std::uint64_t slot, std::uint64_t bytes, std::uint8_t device = 0) {
    tag(Tag::allocate);
    to.put(address_of_slot(slot));
    to.put(bytes);
    to.put(device);
    return *this;
  }
  Stream &free(std::uint64_t address) {
    tag(Tag::free);
    to.put(address);
    return *this;
  }
  Stream &variable(std::uint32_t index, std::uint64_t slot, std::uint8_t device = 0) {
    tag(Tag::variable);
    to.put(index);
    to.put(address_of_slot(slot));
    to.put(device);
    return *this;
  }
  Stream &set(std::uint64_t address, std::uint64_t width, std::uint64_t rows = 1, std::uint64_t pitch = 0) {
    tag(Tag::set_memory);
    to.put(address);
    to.put<std::uint8_t>(0);
    to.put(width);
    to.put(rows);
    to.put(pitch);
    return *this;
  }
  Stream &copy_in(std::uint64_t address, std::size_t bytes) {
    return copy_in(address, std::vector<std::byte>(bytes, std::byte{7}));
  }
  Stream &copy_in(std::uint64_t address, const std::vector<std::byte> &bytes) {
    tag(Tag::copy_in);
    to.put(address);
    to.put_bytes(bytes);
    return *this;
  }
  Stream &copy(std::uint64_t target, std::uint64_t source, std::uint64_t width) {
    tag(Tag::copy_within);
    for (const std::uint64_t field :
         {target, source, width, std::uint64_t{1}, std::uint64_t{0}, std::uint64_t{0}}) {
      to.put(field);
    }
    return *this;
  }
  Stream &attribute(std::uint32_t kernel, std::uint8_t which, std::int32_t value) {
    tag(Tag::attribute);
    to.put(kernel);
    to.put(which);
    to.put(value);
    return *this;
  }
  Stream &launch(std::uint32_t kernel, Dim3 grid, Dim3 block, const std::vector<std::byte> &arguments) {
    tag(Tag::launch);
    to.put(kernel);
    for (const std::uint32_t side : {grid.x, grid.y, grid.z, block.x, block.y, block.z, std::uint32_t{0}})
      to.put(side);
    to.put_bytes(arguments);
    return *this;
  }
  Stream &cluster(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    tag(Tag::cluster);
    for (const std::uint32_t blocks : {x, y, z}) to.put(blocks);
    return *this;
  }
  Stream &say(Tag t, const char *text) {
    tag(t);
    to.put_string(text);
    return *this;
  }
};

/// Arguments of kernel 0.
inline std::vector<std::byte> arguments_of_0(std::int32_t n, std::uint64_t pointer, float x) {
  std::vector<std::byte> bytes(20);
  std::memcpy(&bytes[0], &n, 4);
  std::memcpy(&bytes[8], &pointer, 8);
  std::memcpy(&bytes[16], &x, 4);
  return bytes;
}

/// Of 4 rows of 16 bytes at that address, two at a time.
inline ptx::TensorMap rows_at(std::uint64_t address) {
  ptx::TensorMap map;
  map.address = address;
  map.type = 7;  // CU_TENSOR_MAP_DATA_TYPE_FLOAT32
  map.rank = 2;
  map.dimensions = {4, 4};
  map.strides = {16};
  map.box = {4, 2};
  map.element_strides = {1, 1};
  return map;
}

/// Arguments of kernel 2.
inline std::vector<std::byte> arguments_of_2(const ptx::TensorMap &one, const ptx::TensorMap &two,
                                             std::uint64_t pointer) {
  std::vector<std::byte> bytes(264);
  ptx::encode(one, &bytes[0]);
  ptx::encode(two, &bytes[128]);
  std::memcpy(&bytes[256], &pointer, 8);
  return bytes;
}

/// A plan with everything that takes a GPU of compute capability 9.0.
inline Stream stream_with_maps() {
  ptx::TensorMap swizzled = rows_at(address_of_slot(2) + 32);
  swizzled.swizzle = 1;
  swizzled.box = {8, 1};
  Stream s;
  s.attribute(2, 2, 1).cluster(2, 1, 1);
  s.launch(2, {4, 1, 1}, {32, 1, 1},
           arguments_of_2(rows_at(address_of_slot(0)), swizzled, address_of_slot(1)));
  s.tag(Tag::ended);
  return s;
}

/// A copy of bytes in which a tensor map of buffer 0 begins 64 bytes into scratch memory.
inline Stream stream_with_copied_map() {
  std::vector<std::byte> bytes(24 + ptx::TensorMap::bytes, std::byte{7});
  ptx::encode(rows_at(address_of_slot(0) + 16), &bytes[16]);
  return std::move(
      Stream().tag(Tag::started).allocate(3, 256).copy_in(address_of_slot(3) + 48, bytes).tag(Tag::ended));
}

/// A plan that uses every operation.
inline Stream full_stream() {
  Stream s;
  s.tag(Tag::started).allocate(3, 128).variable(0, 4).copy_in(address_of_slot(4) + 4, 8);
  s.set(address_of_slot(3), 16, 4, 32).copy(address_of_slot(3) + 64, address_of_slot(0), 32);
  s.attribute(0, 0, 65536).launch(0, {2, 3, 1}, {32, 1, 1}, arguments_of_0(5, address_of_slot(2) + 16, 2.5f));
  s.free(address_of_slot(3)).tag(Tag::ended);
  return s;
}

/// The message of the PlanError, or "" when the stream is a plan.
inline std::string complaint(const Stream &stream, const Limits &limits = {}) {
  try {
    decode(stream.to.bytes(), small_request(), limits);
    return "";
  } catch (const PlanError &e) {
    return e.what();
  }
}

}  // namespace warpgrade::plan
