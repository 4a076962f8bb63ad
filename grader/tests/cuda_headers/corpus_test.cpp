// Files of the simulator's corpus, compiled by clang with the headers of build/include, against the code
// that nvcc made of the same files, which gives what an H200 gave (tests/simt/corpus).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>

#include "corpus/inputs.hpp"
#include "tests/cuda_headers/kernels.hpp"

namespace warpgrade {
namespace {

std::vector<std::uint32_t> output_of(const std::shared_ptr<const ptx::Module> &module,
                                     const corpus::Header &header) {
  simt::Options options;
  options.check_initialized = false;  // some leave rows to the reader of the hardware's results
  simt::Device device{options};
  device.load(module);
  const auto input = corpus::make_inputs(header.input);
  const simt::Address in = device.allocate(input.size(), "in"),
                      out = device.allocate(header.output_bytes, "out");
  device.write(in, std::as_bytes(std::span(input)));
  device.fill(out, std::byte{0xCD}, header.output_bytes);
  simt::Launch launch;
  launch.kernel = "k";
  launch.grid = {header.blocks, 1, 1};
  launch.block = {header.threads, 1, 1};
  launch.arguments.resize(20);
  std::memcpy(&launch.arguments[0], &in, 8);
  std::memcpy(&launch.arguments[8], &out, 8);
  const simt::LaunchResult result = device.launch(launch);
  EXPECT_EQ(result.status, simt::Status::completed)
      << (result.diagnostics.empty() ? "" : simt::to_text(result.diagnostics.back()));
  std::vector<std::uint32_t> words(header.output_bytes / 4);
  device.read(out, std::as_writable_bytes(std::span(words)));
  return words;
}

struct Program {
  const char *name;
  std::uint32_t units;  ///< of the last place, by which results of functions may differ; 0: bit for bit
};
void PrintTo(const Program &p, std::ostream *out) {
  *out << p.name;
}

bool agree(std::uint32_t got, std::uint32_t want, std::uint32_t units) {
  if (got == want) return true;
  const auto a = std::bit_cast<float>(got), b = std::bit_cast<float>(want);
  if (a != a && b != b) return true;                 // which of the many NaNs is nowhere promised
  return std::min(got - want, want - got) <= units;  // of a double the lower word differs
}

/// Whether word i may be the lower half of a double NaN: its upper half is one row further.
bool is_low_of_nan(const std::vector<std::uint32_t> &words, std::size_t i) {
  return i + 128 < words.size() && (words[i + 128] & 0x7ff00000) == 0x7ff00000;
}

class Corpus : public ::testing::TestWithParam<Program> {};
TEST_P(Corpus, GivesWhatNvccsCodeGives) {
  std::ostringstream text;
  text << std::ifstream(std::string(WARPGRADE_CORPUS) + "/" + GetParam().name + ".ptx").rdbuf();
  corpus::Header header;
  ASSERT_EQ(std::sscanf(text.str().c_str(), corpus::header_format, &header.blocks, &header.threads,
                        &header.input, &header.output_bytes),
            4);
  const auto want = output_of(std::make_shared<const ptx::Module>(ptx::parse(text.str())), header);
  const auto got = output_of(tests::module_of(GetParam().name), header);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (agree(got[i], want[i], GetParam().units)) continue;
    if (GetParam().units > 0 && is_low_of_nan(got, i) && is_low_of_nan(want, i)) continue;
    if (++wrong <= 8)
      ADD_FAILURE() << "row " << i / 128 << ", thread " << i % 128 << std::hex << ": " << got[i]
                    << " instead of " << want[i];
  }
  EXPECT_EQ(wrong, 0u) << "of " << want.size() << " words";
}
INSTANTIATE_TEST_SUITE_P(
    Programs, Corpus,
    ::testing::Values(Program{"bit_tricks", 0}, Program{"cache_hints", 0}, Program{"cooperative_groups", 2},
                      Program{"double_functions", 4}, Program{"double_intrinsics", 0},
                      Program{"double_special_values", 8}, Program{"float_intrinsics", 0},
                      Program{"histogram", 0}, Program{"local_arrays", 0}, Program{"math_special_values", 4},
                      Program{"recursion_with_arrays", 0}, Program{"scan_and_sort", 0},
                      Program{"switches", 0}, Program{"templates", 0}, Program{"warp_intrinsics", 0}),
    [](const auto &program) { return std::string(program.param.name); });

}  // namespace
}  // namespace warpgrade
