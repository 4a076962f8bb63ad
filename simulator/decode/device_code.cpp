#include "decode/device_code.hpp"

#include "decode/contract.hpp"
#include "decode/program.hpp"

namespace warpgrade::simt {

DeviceCode::DeviceCode(std::shared_ptr<const ptx::Module> module) : module_(contracted(std::move(module))) {}

std::shared_ptr<const Program> DeviceCode::program(const std::string &kernel) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Program> &program = programs_[kernel];
  if (!program) program = decode(module_, kernel);
  return program;
}

}  // namespace warpgrade::simt
