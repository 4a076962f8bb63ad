// corpus_generate SEED COUNT DIR: writes the kernels of the corpus as PTX files, COUNT random ones among
// them. Results come from a GPU: see hardware.cpp.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>

#include "spec.hpp"

namespace {

using namespace warpgrade::corpus;

void write(const std::filesystem::path &folder, const KernelText &kernel) {
  std::ofstream file(folder / (kernel.name + ".ptx"));
  file << kernel.ptx;
  if (!file.flush()) throw std::runtime_error("cannot write into " + folder.string());
}

/// Kernels of at most `most` instructions each: a failing one is then short enough to read.
void write_family(const std::filesystem::path &folder, const Family &family, std::uint32_t &input) {
  constexpr std::size_t most = 64;
  const std::size_t parts = (family.specs.size() + most - 1) / most;
  const std::size_t each = (family.specs.size() + parts - 1) / parts;
  for (std::size_t part = 0; part < parts; ++part) {
    Family piece{parts == 1 ? family.name : family.name + "_" + std::to_string(part + 1), {}};
    for (std::size_t i = part * each; i < std::min(family.specs.size(), (part + 1) * each); ++i)
      piece.specs.push_back(family.specs[i]);
    write(folder, family_kernel(piece, ++input));
  }
}

void generate(std::uint64_t seed, int count, const std::filesystem::path &folder) {
  std::filesystem::create_directories(folder);
  std::uint32_t input = 0;
  for (const Family &family : exact_families()) write_family(folder, family, input);
  for (const Family &family : approximate_families()) write_family(folder, family, input);
  for (const KernelText &kernel : kernels_by_hand()) write(folder, kernel);
  for (int i = 0; i < count; ++i) write(folder, random_kernel(seed + static_cast<std::uint64_t>(i)));
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: corpus_generate SEED COUNT DIR\n");
    return 2;
  }
  try {
    generate(std::strtoull(argv[1], nullptr, 0), std::atoi(argv[2]), argv[3]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "corpus_generate: %s\n", error.what());
    return 3;
  }
}
