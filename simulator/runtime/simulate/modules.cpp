#include "runtime/simulate/modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "ptx/fatbin.hpp"
#include "runtime/simulate/cubin.hpp"

namespace warpgrade::cuda {
namespace {

constexpr int no_kernel_image = 209, invalid_ptx = 218;

/// What nvcc's constructors hand over (section .nvFatBinSegment).
struct Wrapper {
  std::uint32_t magic, version;
  const std::byte *data;
  const void *more;  ///< of version 2: the fat binaries of the objects that were linked, nullptr at the end
};
constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::string_view fatbin_magic = "\x50\xed\x55\xba";
constexpr std::uint32_t whole_program = 1, separately_compiled = 2;

std::span<const std::byte> fatbin_at(const std::byte *data) {
  std::uint16_t header = 0;
  std::uint64_t size = 0;
  std::memcpy(&header, data + 6, sizeof header);
  std::memcpy(&size, data + 8, sizeof size);
  return {data, header + size};
}

/// PTX for this device alone, as of compute_90a, which newer ones do not run.
bool is_specific(const ptx::Image &image) {
  constexpr std::size_t most_before_target = 1024;
  const std::string_view text(reinterpret_cast<const char *>(image.bytes.data()),
                              std::min(image.bytes.size(), most_before_target));
  return image.kind == ptx::Image::Kind::ptx && text.find(".target sm_90a") != std::string_view::npos;
}

/// The newest for this device, and of two alike the specific one; where all are newer, the oldest: it may
/// still do.
const ptx::Image *best(const std::vector<ptx::Image> &images, ptx::Image::Kind kind, int sm) {
  const ptx::Image *found = nullptr;
  for (const ptx::Image &image : images) {
    if (image.kind != kind) continue;
    const bool fits = image.sm <= sm;
    const bool better = !found || (fits ? found->sm > sm || image.sm > found->sm : image.sm < found->sm) ||
                        (image.sm == found->sm && is_specific(image) && !is_specific(*found));
    if (better) found = &image;
  }
  return found;
}

/// Parses the text among `images` that fits best; there may be none.
void add_ptx(const std::vector<ptx::Image> &images, std::vector<ptx::Module> &parts) {
  if (const ptx::Image *text = best(images, ptx::Image::Kind::ptx, 90))
    parts.push_back(ptx::parse({reinterpret_cast<const char *>(text->bytes.data()), text->bytes.size()}));
}

}  // namespace

void Module::read_registered(std::vector<ptx::Module> &parts) {
  Wrapper wrapper;
  std::memcpy(&wrapper, wrapper_, sizeof wrapper);
  if (wrapper.magic != wrapper_magic ||
      (wrapper.version != whole_program && wrapper.version != separately_compiled)) {
    problem_ = {no_kernel_image, "the program's device code is in an unknown format"};
    return;
  }
  const std::vector<ptx::Image> images = ptx::read_fatbin(fatbin_at(wrapper.data));
  if (const ptx::Image *elf = best(images, ptx::Image::Kind::elf, 90)) registers_ = registers_in(elf->bytes);
  if (wrapper.version == whole_program)
    add_ptx(images, parts);
  else
    for (auto *part = static_cast<const std::byte *const *>(wrapper.more); *part != nullptr; ++part)
      add_ptx(ptx::read_fatbin(fatbin_at(*part)), parts);
  if (parts.empty())
    problem_ = {no_kernel_image,
                "the program contains only machine code and no PTX, which the simulator needs; compile with "
                "-arch=sm_80 or -gencode arch=compute_80,code=compute_80"};
}

void Module::read_image(std::vector<ptx::Module> &parts) {
  const std::string_view text(reinterpret_cast<const char *>(image_.data()), image_.size());
  if (text.starts_with(fatbin_magic)) {
    const std::vector<ptx::Image> images = ptx::read_fatbin(image_);
    if (const ptx::Image *elf = best(images, ptx::Image::Kind::elf, 90))
      registers_ = registers_in(elf->bytes);
    add_ptx(images, parts);
  } else if (!text.starts_with("\x7f"
                               "ELF")) {
    std::string_view rest = text.substr(0, text.find('\0'));
    for (std::size_t end; (end = rest.find(next_text)) != std::string_view::npos;
         rest.remove_prefix(end + next_text.size()))
      parts.push_back(ptx::parse(rest.substr(0, end)));
    parts.push_back(ptx::parse(rest));
  }
  if (parts.empty())
    problem_ = {
        no_kernel_image,
        "the module contains only machine code and no PTX, which the simulator needs; load what nvcc -ptx or "
        "nvrtcGetPTX (--gpu-architecture=compute_80) gives"};
}

void Module::read() {
  std::vector<ptx::Module> parts;
  if (wrapper_ != nullptr)
    read_registered(parts);
  else
    read_image(parts);
  if (parts.empty()) return;
  ptx_ = std::make_shared<ptx::Module>(ptx::link(std::move(parts)));
}

void Module::parse(std::set<std::string, std::less<>> &taken) {
  if (parsed_) return;
  parsed_ = true;
  try {
    read();
  } catch (const ptx::ParseError &error) {
    problem_ = {invalid_ptx,
                fmt::format("{} device code cannot be read: {}",
                            wrapper_ != nullptr ? "the program's" : "the module's", error.what())};
  } catch (const ptx::FormatError &error) {
    problem_ = {no_kernel_image,
                fmt::format("{} device code cannot be read: {}",
                            wrapper_ != nullptr ? "the program's" : "the module's", error.what())};
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
  ptx::rename(*changed, renamed_);
  ptx_ = std::move(changed);
}

const std::string &Module::renamed(const std::string &name) const {
  const auto found = renamed_.find(name);
  return found == renamed_.end() ? name : found->second;
}

const ptx::KernelLayout *Module::layout_of(const std::string &kernel) {
  if (const auto known = layouts_.find(kernel); known != layouts_.end()) return &known->second;
  const ptx::KernelFacts *facts = ptx::find_kernel(*ptx_, renamed(kernel));
  if (facts == nullptr) return nullptr;
  ptx::KernelLayout &made = layouts_[kernel];
  made.name = facts->name;
  made.argument_bytes = facts->argument_bytes;
  for (const ptx::Parameter &one : facts->parameters) made.parameters.push_back({one.offset, one.size});
  made.static_shared_bytes = facts->static_shared_bytes;
  made.local_bytes = facts->local_bytes;
  made.max_threads = facts->max_threads;
  if (const auto found = registers_.find(kernel); found != registers_.end())
    made.registers = static_cast<std::uint32_t>(found->second);
  return &made;
}

bool Module::fences_system(const std::string &kernel) {
  const auto is_fence = [](const ptx::Instruction &one) {
    return one.opcode == "membar.sys" || (one.opcode.starts_with("fence.") && one.opcode.ends_with(".sys"));
  };
  const std::string any_callee;
  if (!system_fences_) {
    system_fences_.emplace();
    for (const ptx::Function &one : ptx_->functions)
      if (std::any_of(one.instructions.begin(), one.instructions.end(), is_fence))
        system_fences_->insert(one.entry ? one.name : any_callee);
  }
  return system_fences_->count(kernel) != 0 || system_fences_->count(any_callee) != 0;
}

bool Module::is_scoped() {
  const auto reaches_host = [](const ptx::Instruction &one) {
    const std::string_view opcode = one.opcode;
    return opcode.find(".volatile") != opcode.npos || opcode.find(".sys") != opcode.npos ||
           opcode.find(".mmio") != opcode.npos;
  };
  if (!scoped_)
    scoped_ = std::none_of(ptx_->functions.begin(), ptx_->functions.end(), [&](const ptx::Function &one) {
      return std::any_of(one.instructions.begin(), one.instructions.end(), reaches_host);
    });
  return *scoped_;
}

}  // namespace warpgrade::cuda
