// Products of warpgroups of random matrices: what test_simt and test_gpu share. Each case is a kernel as PTX,
// which the simulator and a GPU run alike: a block fills its shared memory from an image, multiplies once,
// and writes its sums. What it computes follows from the case and the number of the block.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "machine/device.hpp"
#include "tests/simt/tensor_cases.hpp"

namespace warpgrade::simt::tensor {

struct GroupCase {
  Element d = Element::f32, a = Element::f16, b = Element::f16;
  std::uint32_t n = 64;
  bool a_in_registers = false;
  std::uint32_t row = 128;  ///< bytes of a row of the swizzle of both matrices; 16: none
  bool transposes_a = false, transposes_b = false, negates_a = false, negates_b = false, saturates = false;
  std::uint32_t base = 0;  ///< base offset of both descriptors

  static constexpr std::uint32_t threads = 128, bytes_a = 8192;
  std::uint32_t k() const { return 256 / bits_of(a); }
  std::uint32_t words_d() const { return n / per_register(d) / 2; }  ///< of a thread
  /// Of the image of shared memory: A, then B from bytes_a on.
  std::uint32_t bytes() const { return bytes_a + (n * row + 2047) / 2048 * 2048; }
  std::string kernel() const;
};

inline std::string GroupCase::kernel() const {
  return fmt::format("n{}_{}_{}_{}{}_{}{}{}{}{}{}{}", n, name_of(d), name_of(a), name_of(b),
                     a_in_registers ? "_registers" : "", row, transposes_a ? "_ta" : "",
                     transposes_b ? "_tb" : "", negates_a ? "_na" : "", negates_b ? "_nb" : "",
                     saturates ? "_sat" : "", base != 0 ? fmt::format("_base{}", base) : "");
}

inline std::vector<GroupCase> group_cases() {
  using enum Element;
  std::vector<GroupCase> made;
  std::vector<GroupCase> types = {{f32, f16, f16}, {f16, f16, f16}, {f32, bf16, bf16}, {f32, tf32, tf32}};
  for (const Element d : {f32, f16})
    for (const Element a : {e4m3, e5m2})
      for (const Element b : {e4m3, e5m2}) types.push_back({d, a, b});
  for (const bool saturates : {false, true})
    for (const Element a : {s8, u8})
      for (const Element b : {s8, u8}) {
        GroupCase one{s32, a, b};
        one.saturates = saturates;
        types.push_back(one);
      }
  types.push_back({s32, b1, b1});
  for (GroupCase one : types)
    for (const bool registers : {false, true}) {
      one.a_in_registers = registers;
      made.push_back(one);
    }
  const std::vector<GroupCase> some = {{f32, f16, f16}, {f32, tf32, tf32}, {f32, e4m3, e4m3}, {s32, s8, s8}};
  for (GroupCase one : some) {
    for (const std::uint32_t n : {8u, 24u, 144u, 256u}) {
      one.n = n;
      made.push_back(one);
    }
    one.n = 64;
    for (const std::uint32_t row : {16u, 32u, 64u}) {
      one.row = row;
      made.push_back(one);
    }
  }
  for (const std::uint32_t row : {16u, 32u, 64u, 128u})
    for (const auto &[a, b] : {std::pair{true, false}, {false, true}, {true, true}})
      for (const Element type : {f16, bf16}) {
        GroupCase one{f32, type, type};
        one.row = row, one.transposes_a = a, one.transposes_b = b;
        made.push_back(one);
        if (a) continue;
        one.a_in_registers = true;
        made.push_back(one);
      }
  for (const auto &[row, base] : {std::pair{128u, 1u}, {128u, 6u}, {64u, 3u}, {64u, 5u}, {32u, 7u}})
    for (const bool transposes : {false, true}) {
      GroupCase one{f32, f16, f16};
      one.row = row, one.base = base, one.transposes_a = one.transposes_b = transposes;
      made.push_back(one);
    }
  for (const Element type : {f16, bf16, tf32, e4m3, e5m2})
    for (const auto &[a, b] : {std::pair{true, false}, {false, true}, {true, true}}) {
      GroupCase one{f32, type, type};
      one.negates_a = a, one.negates_b = b;
      made.push_back(one);
    }
  return made;
}

/// The upper bits of a matrix descriptor: leading and stride dimension byte offset, base offset, swizzle.
inline std::uint64_t descriptor_fields(const GroupCase &of, bool transposed, std::uint32_t lines) {
  const std::uint32_t leading = !transposed    ? 128
                                : of.row == 16 ? 16 * lines
                                               : 16 * of.row,
                      stride = of.row == 16 ? (transposed ? 128 : 256) : 8 * of.row;
  const std::uint64_t swizzle = of.row == 16 ? 0 : of.row == 128 ? 1 : of.row == 64 ? 2 : 3;
  return std::uint64_t{leading / 16} << 16 | std::uint64_t{stride / 16} << 32 | std::uint64_t{of.base} << 49 |
         swizzle << 62;
}

/// (image, fragments of A, sums, results): block i has the i-th of each. Word r of thread t of n words a
/// thread is at 128 r + t.
inline std::string ptx_of(const GroupCase &of) {
  const std::string name = of.kernel();
  const std::uint32_t words = of.words_d();
  const auto list = [](char letter, std::uint32_t count) {
    std::string text = "{";
    for (std::uint32_t i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i ? "," : "", letter, i);
    return text + "}";
  };
  const auto each = [](char letter, std::uint32_t count, const char *line) {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i)
      text += fmt::format(fmt::runtime(line), fmt::arg("reg", fmt::format("%{}{}", letter, i)),
                          fmt::arg("at", 4 * GroupCase::threads * i));
    return text;
  };
  std::string end = ", %p1";
  if (of.d != Element::s32) end += fmt::format(", {}, {}", of.negates_a ? -1 : 1, of.negates_b ? -1 : 1);
  if (bits_of(of.a) == 16) {
    if (!of.a_in_registers) end += of.transposes_a ? ", 1" : ", 0";
    end += of.transposes_b ? ", 1" : ", 0";
  }
  return fmt::format(
      R"(.visible .entry {name}(.param .u64 {name}_i, .param .u64 {name}_a, .param .u64 {name}_c, .param .u64 {name}_d)
{{
.shared .align 1024 .b8 {name}_image[{bytes}];
.reg .b32 %c<{words}>, %a<4>, %t<8>, %v<4>; .reg .b64 %x<12>; .reg .pred %p<2>;
mov.u32 %t0, %tid.x; mov.u32 %t1, %ctaid.x; mov.u32 %t2, {name}_image; mul.wide.u32 %x9, %t0, 4;
ld.param.u64 %x0, [{name}_i]; mul.wide.u32 %x1, %t1, {bytes}; add.u64 %x0, %x0, %x1;
mul.wide.u32 %x1, %t0, 16; add.u64 %x0, %x0, %x1; mad.lo.u32 %t3, %t0, 16, %t2; mov.u32 %t4, 0;
{name}_next:
ld.global.v4.b32 {{%v0,%v1,%v2,%v3}}, [%x0]; st.shared.v4.b32 [%t3], {{%v0,%v1,%v2,%v3}};
add.u64 %x0, %x0, 2048; add.u32 %t3, %t3, 2048; add.u32 %t4, %t4, 2048;
setp.lt.u32 %p0, %t4, {bytes}; @%p0 bra {name}_next;
ld.param.u64 %x2, [{name}_a]; mul.wide.u32 %x1, %t1, 2048; add.u64 %x2, %x2, %x1; add.u64 %x2, %x2, %x9;
{load_a}ld.param.u64 %x3, [{name}_c]; mul.wide.u32 %x1, %t1, {stride}; add.u64 %x3, %x3, %x1; add.u64 %x3, %x3, %x9;
{load_c}ld.param.u64 %x4, [{name}_d]; add.u64 %x4, %x4, %x1; add.u64 %x4, %x4, %x9;
fence.proxy.async; bar.sync 0;
shr.u32 %t5, %t2, 4; cvt.u64.u32 %x5, %t5; add.u64 %x6, %x5, {b_at}; or.b64 %x5, %x5, {fields_a:#x}U;
or.b64 %x6, %x6, {fields_b:#x}U; setp.ne.u32 %p1, %t2, 0xffffffff;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n{n}k{k}{sat}.{d}.{a}.{b}{count} {sums}, {left}, %x6{end};
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
{store}ret;
}}
)",
      fmt::arg("name", name), fmt::arg("bytes", of.bytes()), fmt::arg("words", words),
      fmt::arg("stride", 4 * GroupCase::threads * words), fmt::arg("b_at", GroupCase::bytes_a / 16),
      fmt::arg("fields_a", descriptor_fields(of, of.transposes_a, 64)),
      fmt::arg("fields_b", descriptor_fields(of, of.transposes_b, of.n)), fmt::arg("n", of.n),
      fmt::arg("k", of.k()), fmt::arg("sat", of.saturates ? ".satfinite" : ""), fmt::arg("d", name_of(of.d)),
      fmt::arg("a", name_of(of.a)), fmt::arg("b", name_of(of.b)),
      fmt::arg("count", of.a == Element::b1 ? ".and.popc" : ""), fmt::arg("sums", list('c', words)),
      fmt::arg("left", of.a_in_registers ? list('a', 4) : "%x5"), fmt::arg("end", end),
      fmt::arg("load_a", of.a_in_registers ? each('a', 4, "ld.global.b32 {reg}, [%x2+{at}];\n") : ""),
      fmt::arg("load_c", each('c', words, "ld.global.b32 {reg}, [%x3+{at}];\n")),
      fmt::arg("store", each('c', words, "st.global.b32 [%x4+{at}], {reg};\n")));
}

/// All of these kernels.
inline std::string ptx_of(const std::vector<GroupCase> &cases) {
  std::string text = ".version 8.4\n.target sm_90a\n.address_size 64\n";
  for (const GroupCase &one : cases) text += ptx_of(one);
  return text;
}

/// The operands of a block, as the kernel takes them.
struct GroupOperands {
  std::vector<std::uint32_t> image, a, c;
  GroupOperands(const GroupCase &of, std::uint64_t number) {
    RandomWords random(number);
    image = random.factors(GroupCase::bytes_a / 4, of.a);
    std::vector<std::uint32_t> b = random.factors((of.bytes() - GroupCase::bytes_a) / 4, of.b);
    a = random.factors(std::size_t{4} * GroupCase::threads, of.a);
    c = random.sums(std::size_t{of.words_d()} * GroupCase::threads, of.d);
    std::vector<std::uint32_t> none;
    random.cancel(image, b, of.a);
    random.cancel(a, none, of.a);
    image.insert(image.end(), b.begin(), b.end());
  }
};

/// What the simulator makes of a kernel whose parameters are pointers to three operands and to `words` words
/// of results.
/// throws std::runtime_error with the finding that stopped it
inline std::vector<std::uint32_t> simulated(const std::string &kernel,
                                            const std::shared_ptr<const ptx::Module> &module,
                                            std::size_t blocks,
                                            const std::array<const std::vector<std::uint32_t> *, 3> &operands,
                                            std::size_t words) {
  Options options;
  options.count = options.check_races = false;
  Device device(options);
  device.load(module);
  Launch launch;
  launch.kernel = kernel;
  launch.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
  launch.block = {GroupCase::threads, 1, 1};
  std::vector<std::uint32_t> results(words);
  const auto pass = [&](const std::vector<std::uint32_t> &operand) {
    const Address at = device.allocate(4 * operand.size(), "operand");
    device.write(at, std::as_bytes(std::span(operand)));
    const auto *bytes = reinterpret_cast<const std::byte *>(&at);
    launch.arguments.insert(launch.arguments.end(), bytes, bytes + sizeof at);
    return at;
  };
  for (const std::vector<std::uint32_t> *const one : operands) pass(*one);
  const Address to = pass(results);
  const LaunchResult result = device.launch(launch);
  if (result.status != Status::completed)
    throw std::runtime_error(kernel + ": " +
                             (result.diagnostics.empty() ? "" : to_text(result.diagnostics.back())));
  device.read(to, std::as_writable_bytes(std::span(results)));
  return results;
}

/// What the simulator makes of blocks first, first + 1, ...: the results of one after the other.
/// module   of ptx_of()
inline std::vector<std::uint32_t> simulated(const GroupCase &of,
                                            const std::shared_ptr<const ptx::Module> &module,
                                            const std::vector<GroupOperands> &blocks) {
  std::vector<std::uint32_t> all[3];
  const auto add = [](std::vector<std::uint32_t> &to, const std::vector<std::uint32_t> &from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const GroupOperands &one : blocks) add(all[0], one.image), add(all[1], one.a), add(all[2], one.c);
  return simulated(of.kernel(), module, blocks.size(), {&all[0], &all[1], &all[2]},
                   blocks.size() * of.words_d() * GroupCase::threads);
}

}  // namespace warpgrade::simt::tensor
