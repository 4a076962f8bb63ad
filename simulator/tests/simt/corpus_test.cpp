// The simulator against an NVIDIA H200: every kernel of the corpus, every result of every thread. See
// corpus/README.md.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "corpus/bounds.hpp"
#include "corpus/inputs.hpp"
#include "corpus_rows.hpp"
#include "harness.hpp"

namespace warpgrade::corpus {
namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<std::uint8_t>;

std::string folder() {
  return std::string(simt::testing::folder) + "/corpus";
}

/// What the GPU gave, by file name: corpus/results.zst, see corpus/pack.sh.
std::map<std::string, Bytes> read_results() {
  const std::string packed = simt::testing::read_text("corpus/results.zst");
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  std::string all(size < (1u << 28) ? size : 0, '\0');  // unknown and wrong sizes are huge
  if (ZSTD_isError(ZSTD_decompress(all.data(), all.size(), packed.data(), packed.size())))
    throw std::runtime_error("corpus/results.zst is damaged");
  std::map<std::string, Bytes> made;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t space = all.find(' ', at), end = all.find('\n', at);
    const std::size_t bytes = std::stoul(all.substr(space + 1, end - space));
    made[all.substr(at, space - at)] = Bytes(all.begin() + static_cast<std::ptrdiff_t>(end + 1),
                                             all.begin() + static_cast<std::ptrdiff_t>(end + 1 + bytes));
    at = end + 1 + bytes;
  }
  return made;
}

const Bytes &result_of(const std::string &kernel) {
  static const std::map<std::string, Bytes> results = read_results();
  const auto found = results.find(kernel + ".out");
  if (found == results.end()) throw std::runtime_error("results.zst has nothing about " + kernel);
  return found->second;
}

/// "ptx/bits_1", ...
std::vector<std::string> kernels() {
  std::vector<std::string> names;
  for (const char *part : {"ptx", "cuda"})
    for (const auto &entry : fs::directory_iterator(folder() + "/" + part))
      if (entry.path().extension() == ".ptx")
        names.push_back(std::string(part) + "/" + entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

constexpr std::uint32_t nobody = 99;

/// atomics_75.cu reads with a plain load what other threads change with atomicCAS(), as programs do.
bool is_true_race(const simt::Diagnostic &one) {
  return one.code == simt::Code::race && one.buffer == "most";
}

/// The bytes of the output. skip: see Header.
Bytes simulate(const std::string &text, const Header &header, std::uint32_t skip) {
  simt::Device device{simt::Options{}};
  device.load(simt::testing::parse(text));
  const Bytes input = make_inputs(header.input);
  const simt::Address in = device.allocate(input.size(), "in"),
                      out = device.allocate(header.output_bytes, "out");
  device.write(in, std::as_bytes(std::span(input)));
  device.fill(out, std::byte{0xCD}, header.output_bytes);
  simt::Launch launch;
  launch.kernel = "k";
  launch.grid = {header.blocks, 1, 1};
  launch.block = {header.threads, 1, 1};
  launch.arguments.resize(20);
  std::memcpy(launch.arguments.data(), &in, 8);
  std::memcpy(launch.arguments.data() + 8, &out, 8);
  std::memcpy(launch.arguments.data() + 16, &skip, 4);
  const simt::LaunchResult result = device.launch(launch);
  for (const simt::Diagnostic &one : result.diagnostics)
    if (one.severity != simt::Severity::info && !is_true_race(one)) ADD_FAILURE() << simt::to_text(one);
  EXPECT_EQ(result.status, simt::Status::completed);
  Bytes output(header.output_bytes);
  device.read(out, std::as_writable_bytes(std::span(output)));
  return output;
}

std::uint64_t word_at(const Bytes &bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, width);
  return value;
}

/// What a thread's result is in some output.
std::uint64_t value_of(const Row &row, const Bytes &bytes, std::uint32_t thread) {
  const std::size_t at = row.offset + thread * row.width;
  std::uint64_t value = word_at(bytes, at, row.width);
  if (row.split) value |= word_at(bytes, at + all_threads * row.width, row.width) << 32;
  return value & row.mask;
}

/// "%ra = 0x0000002a, ..." of the operands that a piece of PTX names.
std::string operands_of(const std::string &text, const Bytes &input, std::uint32_t thread) {
  std::string made;
  for (const Region &region : regions)
    for (std::uint32_t k = 0; k < 3; ++k)
      for (const char letter : std::string{region.letter, region.letter == 'p'   ? 'i'
                                                          : region.letter == 'q' ? 'j'
                                                                                 : ' '}) {
        const std::string name = {'%', letter, static_cast<char>('a' + k)};
        if (text.find(name) == std::string::npos) continue;
        const std::size_t at = region.begin + (k * all_threads + thread) * region.bytes;
        made += fmt::format(" {} = {:#x}", name, word_at(input, at, region.bytes));
      }
  return made;
}

/// Whether a result is what the hardware returns, or near enough if no more is promised.
bool agrees(const Row &row, std::uint64_t got, std::uint64_t want) {
  return got == want || (row.bound && near(*row.bound, got, want));
}

struct Comparison {
  const std::string &kernel;
  const Bytes &input, &got, &want;
  std::uint32_t skip;
};

/// Says where a row differs: at most three threads of it. How many threads differ.
std::uint32_t compare(const Comparison &c, const Row &row) {
  std::uint32_t wrong = 0;
  std::string text;
  const Bytes untouched(c.got.size(), 0xCD);
  for (std::uint32_t thread = 0; thread < all_threads; ++thread) {
    const bool skipped = thread % 4 == c.skip;
    const std::uint64_t got = value_of(row, c.got, thread),
                        want = value_of(row, skipped ? untouched : c.want, thread);
    if (skipped ? got == want : agrees(row, got, want)) continue;
    if (++wrong <= 3)
      text += fmt::format("\n  thread {}{}:{} gives {:#x}, want {:#x}", thread,
                          skipped ? ", which does nothing" : "", operands_of(row.name, c.input, thread),
                          got >> row.shift, want >> row.shift);
  }
  if (wrong)
    ADD_FAILURE() << c.kernel << ": " << row.name << "  (" << wrong << " of " << all_threads << " threads)"
                  << text;
  return wrong;
}

void compare_all(const Comparison &c, const std::vector<Row> &rows) {
  int shown = 0;
  for (const Row &row : rows)
    if (compare(c, row) && ++shown == 40) return;
}

class HardwareCorpus : public testing::TestWithParam<std::string> {};

TEST_P(HardwareCorpus, KernelGivesWhatAnH200Gives) {
  const std::string name = GetParam().substr(GetParam().find('/') + 1);
  const std::string text = simt::testing::read_text("corpus/" + GetParam() + ".ptx");
  Header header;
  ASSERT_EQ(std::sscanf(text.c_str(), header_format, &header.blocks, &header.threads, &header.input,
                        &header.output_bytes),
            4);
  const Bytes &want = result_of(name);
  ASSERT_EQ(want.size(), header.output_bytes);
  const Bytes input = make_inputs(header.input);
  const std::vector<Row> rows = find_rows(name, text, header);
  ASSERT_FALSE(rows.empty());
  const Bytes got = simulate(text, header, nobody);
  compare_all({GetParam(), input, got, want, nobody}, rows);
  if (HasFailure() || text.find("bra DONE;") == std::string::npos) return;
  // The same with threads that do nothing: the masked form of every operation.
  for (const std::uint32_t skip : {0u, 3u}) {
    const Bytes masked = simulate(text, header, skip);
    compare_all({GetParam(), input, masked, want, skip}, rows);
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, HardwareCorpus, testing::ValuesIn(kernels()), [](const auto &one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

// Of the corpus, random_1044, 1052 and 1109 have this for pairs; no kernel of it has it for other types.
TEST(GuardedComparison, WritesBothResultsWhereTheGuardHeldBeforeEvenIfOneIsTheGuard) {
  // The results are (lane < 8) and (lane >= 8), of numbers and of pairs of halves; the guard holds in odd
  // lanes.
  std::string body =
      "setp.lt.u32 %p3, %tid, 8; selp.b32 %r1, 0x00003C00, 0x3C000000, %p3; mov.b32 %r2, 0x3C003C00;\n"
      "and.b32 %r3, %tid, 1; mov.b32 %r4, 0;\n";
  int word = 0;
  for (const char *comparison : {"setp.lt.u32 %p1|%p2, %tid, 8;\n", "setp.eq.f16x2 %p1|%p2, %r1, %r2;\n"})
    for (const char *guard : {"%p1", "%p2"}) {
      body += "setp.ne.u32 %p1, %r4, 0; setp.ne.u32 %p2, %r4, 0; setp.ne.u32 " + std::string(guard) +
              ", %r3, 0;\n@" + guard + " " + comparison +
              "selp.b32 %r5, 1, 0, %p1; selp.b32 %r6, 2, 0, %p2; or.b32 %r5, %r5, %r6;\n" +
              fmt::format("st.global.u32 [%out+{}], %r5;\n", 8 * word++);
    }
  const simt::testing::Run got = simt::testing::run(simt::testing::kernel(body));
  ASSERT_EQ(got.result.status, simt::Status::completed) << simt::testing::last(got.result);
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(got.word(lane, i), lane % 2 == 0 ? 0u
                                   : lane < 8    ? 1u
                                                 : 2u)
          << "lane " << lane << " case " << i;
}

}  // namespace
}  // namespace warpgrade::corpus
