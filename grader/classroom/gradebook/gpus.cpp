#include "gradebook/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "gpu/retired.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::gradebook {

namespace {

std::string list_of(const std::vector<gpu::DeviceInfo> &all) {
  std::string text;
  for (const gpu::DeviceInfo &gpu : all)
    text += fmt::format("{}{} is {}", text.empty() ? "" : ", ", gpu.index, gpu.name);
  return text.empty() ? "there is none" : text;
}

}  // namespace

std::vector<gpu::DeviceInfo> pick_gpus(const std::vector<gpu::DeviceInfo> &all, const std::string &wanted) {
  std::vector<gpu::DeviceInfo> picked;
  if (wanted.empty()) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(picked),
                 [&](const gpu::DeviceInfo &gpu) { return gpu.name == all.front().name; });
    return picked;
  }
  std::istringstream words(wanted.ends_with(',') ? wanted + "," : wanted);  // an empty word at the end too
  for (std::string word; std::getline(words, word, ',');) {
    int index = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const gpu::DeviceInfo &gpu) { return gpu.index == index; });
    if (error != std::errc() || end != word.data() + word.size() || found == all.end())
      throw UsageError(fmt::format("--gpus {}: there is no GPU '{}' here ({})", wanted, word, list_of(all)));
    if (std::find(picked.begin(), picked.end(), *found) != picked.end()) continue;
    if (!picked.empty() && picked.front().name != found->name)
      throw UsageError(fmt::format(
          "--gpus {}: {} and {} are two kinds, whose times cannot be compared; name those of one kind ({})",
          wanted, picked.front().name, found->name, list_of(all)));
    picked.push_back(*found);
  }
  if (picked.empty()) throw UsageError(fmt::format("--gpus names none ({})", list_of(all)));
  return picked;
}

std::vector<gpu::DeviceInfo> gpus_in_use(std::vector<gpu::DeviceInfo> picked) {
  const std::string notes = std::filesystem::temp_directory_path().string();
  std::string out;
  std::erase_if(picked, [&](const gpu::DeviceInfo &gpu) {
    const std::string why = gpu::why_retired(notes, gpu);
    if (!why.empty()) out += (out.empty() ? "" : "\n") + why;
    return !why.empty();
  });
  if (picked.empty()) throw UsageError(out);
  if (!out.empty()) fmt::print(stderr, "{}\n", out);
  return picked;
}

}  // namespace warpgrade::gradebook
