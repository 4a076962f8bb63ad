#include "course/viva.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/did_you_mean.hpp"
#include "course/assignment.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

namespace {

constexpr int most_questions = 30, most_minutes = 600;

std::string read_kernel(const Yaml &y, const std::vector<Step> &kernels) {
  const std::string id = y.text();
  std::vector<std::string> ids;
  for (const Step &s : kernels)
    if (s.has_kernel() && !s.beyond) ids.push_back(s.id);
  if (std::find(ids.begin(), ids.end(), id) == ids.end())
    y.fail(fmt::format("there is no kernel '{}' in the steps before{} (there are: {})", id,
                       did_you_mean(id, ids), fmt::join(ids, ", ")));
  return id;
}

}  // namespace

Viva read_viva(const Yaml &step, const std::vector<Step> &kernels) {
  Viva viva;
  if (const auto questions = step.find("questions"))
    viva.questions = static_cast<std::size_t>(questions->integer(1, most_questions));
  if (const auto minutes = step.find("minutes"))
    viva.minutes = static_cast<int>(minutes->integer(1, most_minutes));
  if (const auto about = step.find("about"))
    for (const Yaml &one : about->items()) viva.about.push_back(read_kernel(one, kernels));
  return viva;
}

}  // namespace warpgrade::course
