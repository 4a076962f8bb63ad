#include "gpu/shared_library.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace warpgrade::gpu {
namespace {

/// From `directory`, or "" for the linker's own search.
void *open_in(const std::string &directory, const SharedLibrary::Name &name, std::string &where) {
  for (const std::string &ending : name.endings) {
    const auto in = [&](const std::string &file) {
      return (directory.empty() ? "" : directory + "/") + file + ending;
    };
    if (!directory.empty() && !std::filesystem::exists(in(name.file))) continue;
    if (!name.before.empty()) ::dlopen(in(name.before).c_str(), RTLD_NOW | RTLD_GLOBAL);
    where = in(name.file);
    if (void *handle = ::dlopen(where.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  return nullptr;
}

std::string joined(const std::vector<std::string> &all) {
  std::string text;
  for (const std::string &one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

}  // namespace

std::vector<std::string> and_beside_the_program(std::vector<std::string> directories) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  directories.push_back(program.string());
  directories.push_back((program / "build/grader/bin").string());
  return directories;
}

SharedLibrary::SharedLibrary(const Name &name, std::vector<std::string> directories) {
  directories.insert(directories.end(), {"", "/usr/local/cuda/lib64"});
  for (const std::string &directory : directories)
    if (handle_ = open_in(directory, name, where_); handle_ != nullptr) return;
  for (std::string &directory : directories)
    if (directory.empty()) directory = "the linker's search path";
  throw DriverUnavailable(name.called + (name.many ? " were" : " was") + " not found (" + name.file +
                          joined(name.endings) + "; looked in " + joined(directories) + ")");
}

void *SharedLibrary::symbol(const char *name) const {
  void *found = ::dlsym(handle_, name);
  if (found == nullptr) throw DriverUnavailable(where_ + " has no " + name);
  return found;
}

}  // namespace warpgrade::gpu
