// Small PTX kernels run on 32 lanes: what the tests of the simulator share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "machine/device.hpp"

namespace warpgrade::simt::testing {

extern const char *const folder;  ///< of these tests; places_of() of CMake defines it

inline std::string read_text(const std::string &name) {
  std::ifstream file(std::string(folder) + "/" + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::shared_ptr<const ptx::Module> parse(const std::string &text) {
  return std::make_shared<const ptx::Module>(ptx::parse(text));
}

/// A module around `body`: kernel k(in: u64, out: u64). %in and %out are global addresses of the thread's 32
/// bytes (thread t of the block at 32 t); registers %r, %d (b64), %f, %g (f64), %h (b16), %p are declared.
inline std::string kernel(const std::string &body, const std::string &before = "") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 k_in, .param .u64 k_out)\n{\n"
         ".reg .b32 %r<40>; .reg .b64 %d<40>; .reg .f32 %f<40>; .reg .f64 %g<40>; .reg .b16 %h<40>; .reg "
         ".pred %p<20>;\n"
         ".reg .b64 %in, %out, %off; .reg .b32 %tid;\n"
         "mov.u32 %tid, %tid.x; mul.wide.u32 %off, %tid, 32;\n"
         "ld.param.u64 %in, [k_in]; ld.param.u64 %out, [k_out]; add.s64 %in, %in, %off; add.s64 %out, %out, "
         "%off;\n" +
         body + "\nret;\n}\n";
}

struct Run {
  LaunchResult result;
  std::vector<std::uint64_t> out;  ///< four words of 8 bytes per thread
  std::uint64_t word(std::size_t thread, std::size_t index = 0) const { return out[thread * 4 + index]; }
};

/// in: four 8-byte words per thread, missing ones are 0.
inline Run run(const std::string &text, std::vector<std::uint64_t> in = {}, std::uint32_t threads = 32,
               Options options = {}, std::uint32_t dynamic_shared = 0) {
  Device device(options);
  device.load(parse(text));
  in.resize(threads * 4);
  Run made;
  made.out.resize(threads * 4);
  const Address from = device.allocate(in.size() * 8, "in"), to = device.allocate(in.size() * 8, "out");
  device.write(from, std::as_bytes(std::span(in)));
  device.fill(to, std::byte{0}, in.size() * 8);
  Launch launch;
  launch.kernel = "k";
  launch.block = {threads, 1, 1};
  launch.dynamic_shared_bytes = dynamic_shared;
  launch.arguments.resize(16);
  std::memcpy(launch.arguments.data(), &from, 8);
  std::memcpy(launch.arguments.data() + 8, &to, 8);
  made.result = device.launch(launch);
  device.read(to, std::as_writable_bytes(std::span(made.out)));
  return made;
}

/// The text of the last diagnostic, or the status if there is none.
inline std::string last(const LaunchResult &result) {
  return result.diagnostics.empty() ? std::string(name_of(result.status))
                                    : to_text(result.diagnostics.back());
}

}  // namespace warpgrade::simt::testing
