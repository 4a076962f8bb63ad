#include "cudart/library/modules.hpp"

#include <fmt/format.h>

#include <cstring>
#include <span>

#include "cudart/library/cubin.hpp"
#include "ptx/fatbin.hpp"

namespace warpgrade::cudart {
namespace {

constexpr int no_kernel_image = 209, invalid_ptx = 218;

/// What nvcc's constructors hand over (section .nvFatBinSegment).
struct Wrapper {
  std::uint32_t magic, version;
  const std::byte *data;
  const void *more;
};
constexpr std::uint32_t wrapper_magic = 0x466243b1;

std::span<const std::byte> fatbin_of(const Wrapper &wrapper) {
  std::uint16_t header = 0;
  std::uint64_t size = 0;
  std::memcpy(&header, wrapper.data + 6, sizeof header);
  std::memcpy(&size, wrapper.data + 8, sizeof size);
  return {wrapper.data, header + size};
}

/// The newest for this device; where all are newer, the oldest: it may still do.
const ptx::Image *best(const std::vector<ptx::Image> &images, ptx::Image::Kind kind, int sm) {
  const ptx::Image *found = nullptr;
  for (const ptx::Image &image : images) {
    if (image.kind != kind) continue;
    const bool fits = image.sm <= sm;
    const bool better = !found || (fits ? found->sm > sm || image.sm > found->sm : image.sm < found->sm);
    if (better) found = &image;
  }
  return found;
}

void rename(ptx::Operand &operand, const std::map<std::string, std::string> &names) {
  if (operand.kind == ptx::Operand::Kind::symbol || operand.kind == ptx::Operand::Kind::memory)
    if (const auto found = names.find(operand.name); found != names.end()) operand.name = found->second;
  for (ptx::Operand &element : operand.elements) rename(element, names);
}

void rename(ptx::Module &module, const std::map<std::string, std::string> &names) {
  const auto change = [&](std::string &name) {
    if (const auto found = names.find(name); found != names.end()) name = found->second;
  };
  for (ptx::KernelFacts &kernel : module.kernels) change(kernel.name);
  for (ptx::Variable &variable : module.variables) {
    change(variable.name);
    for (ptx::Variable::Relocation &relocation : variable.relocations) change(relocation.symbol);
  }
  for (ptx::Function &function : module.functions) {
    change(function.name);
    for (ptx::Instruction &instruction : function.instructions)
      for (ptx::Operand &operand : instruction.operands) rename(operand, names);
  }
}

}  // namespace

void Module::read() {
  Wrapper wrapper;
  std::memcpy(&wrapper, wrapper_, sizeof wrapper);
  if (wrapper.magic != wrapper_magic || wrapper.version != 1) {
    problem_ = {no_kernel_image,
                wrapper.magic == wrapper_magic
                    ? "the program was built with -rdc=true (separate compilation), which leaves no PTX in "
                      "it; build it without"
                    : "the program's device code is in a format that is not known"};
    return;
  }
  const std::vector<ptx::Image> images = ptx::read_fatbin(fatbin_of(wrapper));
  if (const ptx::Image *elf = best(images, ptx::Image::Kind::elf, 90)) registers_ = registers_in(elf->bytes);
  const ptx::Image *text = best(images, ptx::Image::Kind::ptx, 90);
  if (!text) {
    problem_ = {no_kernel_image,
                "the program holds machine code alone and no PTX, which the simulator runs; compile with "
                "-arch=sm_80 or -gencode arch=compute_80,code=compute_80"};
    return;
  }
  auto module = std::make_shared<ptx::Module>(
      ptx::parse({reinterpret_cast<const char *>(text->bytes.data()), text->bytes.size()}));
  ptx_ = std::move(module);
}

void Module::parse(std::set<std::string, std::less<>> &taken) {
  if (parsed_) return;
  parsed_ = true;
  try {
    read();
  } catch (const ptx::ParseError &error) {
    problem_ = {invalid_ptx, fmt::format("the program's device code cannot be read: {}", error.what())};
  } catch (const ptx::FormatError &error) {
    problem_ = {no_kernel_image, fmt::format("the program's device code cannot be read: {}", error.what())};
  }
  if (!ptx_) return;
  const auto meet = [&](const std::string &name) {
    if (taken.insert(name).second) return;
    for (int i = 2;; ++i) {
      const std::string other = fmt::format("{}.{}", name, i);
      if (!taken.insert(other).second) continue;
      renamed_[name] = other;
      return;
    }
  };
  for (const ptx::KernelFacts &kernel : ptx_->kernels) meet(kernel.name);
  for (const ptx::Variable &variable : ptx_->variables)
    if (variable.space != ptx::Space::shared && !variable.external) meet(variable.name);
  if (renamed_.empty()) return;
  auto changed = std::make_shared<ptx::Module>(*ptx_);
  rename(*changed, renamed_);
  ptx_ = std::move(changed);
}

const std::string &Module::renamed(const std::string &name) const {
  const auto found = renamed_.find(name);
  return found == renamed_.end() ? name : found->second;
}

int Module::registers_of(const std::string &kernel) const {
  const auto found = registers_.find(kernel);
  return found == registers_.end() ? 0 : found->second;
}

}  // namespace warpgrade::cudart
