#include "exercise.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "machine/device.hpp"
#include "ptx/fatbin.hpp"
#include "ptx/module.hpp"
#include "ptx/sass.hpp"

namespace warpgrade::fuzz {
namespace {

constexpr std::size_t most_kernels = 8;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::optional<ptx::Module> parse(std::span<const std::byte> bytes) {
  try {
    return ptx::parse(text_of(bytes));
  } catch (const ptx::ParseError &) {
    return std::nullopt;
  }
}

void ask_everything(const ptx::Module &module) {
  for (const ptx::KernelFacts &kernel : module.kernels) {
    ptx::demangle(kernel.name);
    ptx::find_kernel(module, kernel.name);
  }
  for (const ptx::Function &function : module.functions) {
    ptx::find_function(module, function.name);
    for (const ptx::Instruction &instruction : function.instructions)
      ptx::source_line(module, instruction.location);
  }
  for (const ptx::Variable &variable : module.variables) ptx::demangle(variable.name);
  ptx::tensor_core_uses(module);
  ptx::low_precision_uses(module);
  ptx::device_launch_or_malloc_uses(module);
  ptx::cache_hint_uses(module);
}

/// The packed arguments of a kernel.
std::vector<std::byte> arguments(const ptx::KernelFacts &kernel, simt::Address buffer) {
  std::vector<std::byte> packed(kernel.argument_bytes);
  const std::uint32_t small = 8;
  for (const ptx::Parameter &parameter : kernel.parameters) {
    if (parameter.size == 8)
      std::memcpy(&packed[parameter.offset], &buffer, 8);
    else if (parameter.size >= 4)
      std::memcpy(&packed[parameter.offset], &small, 4);
  }
  return packed;
}

void launch(simt::Device &device, const ptx::KernelFacts &kernel) {
  simt::Launch made;
  made.kernel = kernel.name;
  made.grid = {2, 1, 1};
  made.block = {kernel.max_threads == 0 ? 40 : std::min(kernel.max_threads, 40u), 1, 1};
  made.dynamic_shared_bytes = 1024;
  made.arguments = arguments(kernel, device.allocate(4096, "buffer"));
  for (const simt::Diagnostic &diagnostic : device.launch(made).diagnostics) simt::to_text(diagnostic);
}

}  // namespace

void exercise_ptx(std::span<const std::byte> bytes) {
  if (const auto module = parse(bytes)) ask_everything(*module);
}

void exercise_fatbin(std::span<const std::byte> bytes) {
  try {
    for (const ptx::Image &image : ptx::read_fatbin(bytes))
      if (image.kind == ptx::Image::Kind::ptx)
        exercise_ptx(image.bytes);
      else
        ptx::read_machine_code(image);
  } catch (const ptx::FormatError &) {
  }
}

void exercise_simt(std::span<const std::byte> bytes) {
  auto parsed = parse(bytes);
  if (!parsed) return;
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  simt::Options options;
  options.instruction_budget = 1000;
  options.memory_bytes = 8 << 20;
  options.printf_bytes = 4096;
  options.schedule_seed = bytes.size() % 3;
  simt::Device device(options);
  try {
    device.load(module);
    for (std::size_t i = 0; i < std::min(module->kernels.size(), most_kernels); ++i)
      launch(device, module->kernels[i]);
  } catch (const simt::OutOfMemory &) {
  }
}

}  // namespace warpgrade::fuzz
