#include "grading/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ptx/module.hpp"

namespace warpgrade::grading {

namespace {

constexpr std::size_t most_operations = 40, most_kernels = 3;
constexpr std::uint64_t most_threads = 1024;
constexpr std::uint32_t most_extent = 1 << 16;
constexpr std::uint32_t shared_without_opt_in = 49152;

/// "multiply" of "multiply(int, float*)".
std::string short_name(const std::string &kernel) {
  const std::string name = ptx::demangle(kernel);
  return name.substr(0, name.find('('));
}

/// "32 x 8", or "256" for a block of one dimension.
std::string shape_in_words(const plan::Dim3 &d) {
  return d.y == 1 && d.z == 1 ? std::to_string(d.x) : fmt::format("{} x {}", d.x, d.y);
}

struct Filled {
  plan::Place to;
  std::uint64_t bytes = 0;
  const char *what = "";
};
/// What a copy or fill in one piece writes.
std::optional<Filled> filled_by(const plan::Operation &o) {
  if (const auto *copy = std::get_if<plan::CopyIn>(&o))
    return Filled{copy->to, copy->bytes.size(), "a copy from the host fills"};
  if (const auto *copy = std::get_if<plan::CopyWithin>(&o); copy && copy->rows == 1)
    return Filled{copy->to, copy->width, "a copy fills"};
  if (const auto *fill = std::get_if<plan::SetMemory>(&o); fill && fill->rows == 1)
    return Filled{fill->to, fill->width, "cudaMemset sets"};
  return std::nullopt;
}

class Trials {
 public:
  explicit Trials(const plan::LaunchPlan &plan) : plan_(plan) {}

  std::vector<Trial> all() {
    std::set<std::string> kernels;
    for (const plan::Operation &o : plan_.operations)
      if (const auto *launch = std::get_if<plan::Launch>(&o)) kernels.insert(launch->kernel);
    if (kernels.size() > most_kernels || plan_.operations.size() > most_operations) return {};
    for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
      if (const auto *fill = std::get_if<plan::SetMemory>(&plan_.operations[i])) longer_fill(i, *fill);
      if (const auto *copy = std::get_if<plan::CopyWithin>(&plan_.operations[i])) other_copy(i, *copy);
    }
    for (const std::string &kernel : kernels) launches_of(kernel);
    return std::move(all_);
  }

 private:
  std::uint64_t bytes_at(const plan::Place &place) const {
    const std::uint64_t bytes = plan_.buffers.at(place.buffer).bytes;
    return place.offset == 0 ? bytes : 0;
  }
  const std::string &name_at(const plan::Place &place) const { return plan_.buffers.at(place.buffer).name; }

  void add(const char *what, std::string sentence, std::size_t i, plan::Operation changed) {
    all_.push_back({plan_, std::move(sentence), fmt::format("{} {}", what, i)});
    all_.back().plan.operations[i] = std::move(changed);
  }

  void longer_fill(std::size_t i, const plan::SetMemory &fill) {
    const std::uint64_t bytes = bytes_at(fill.to);
    if (fill.rows != 1 || fill.width == 0 || fill.width >= bytes) return;
    plan::SetMemory longer = fill;
    longer.width = bytes;
    add("longer fill",
        fmt::format("cudaMemset sets {} of the {} bytes of {}; with all of them, this case is right: does "
                    "its size lack a sizeof?",
                    fill.width, bytes, name_at(fill.to)),
        i, longer);
  }

  void other_copy(std::size_t i, const plan::CopyWithin &copy) {
    if (copy.rows != 1) return;
    const std::uint64_t bytes = std::min(bytes_at(copy.to), bytes_at(copy.from));
    if (copy.width > 0 && copy.width < bytes) {
      plan::CopyWithin longer = copy;
      longer.width = bytes;
      add("longer copy",
          fmt::format("a copy from {} to {} moves {} of {} bytes; with all of them, this case is right: does "
                      "its size lack a sizeof?",
                      name_at(copy.from), name_at(copy.to), copy.width, bytes),
          i, longer);
    }
    plan::CopyWithin other = copy;
    std::swap(other.to, other.from);
    add("copy back",
        fmt::format("{} is never copied to: with the first two arguments of the copy from {} to {} "
                    "exchanged, this case is right. The destination comes first",
                    name_at(copy.from), name_at(copy.from), name_at(copy.to)),
        i, other);
  }

  /// Changes all launches of a kernel in the same way; nothing if the change leaves one as it is.
  template <typename Change>
  void launch(const std::string &kernel, const std::string &what, std::string sentence,
              const Change &change) {
    plan::LaunchPlan plan = plan_;
    for (plan::Operation &o : plan.operations)
      if (auto *one = std::get_if<plan::Launch>(&o); one && one->kernel == kernel) change(*one);
    if (plan != plan_) all_.push_back({std::move(plan), std::move(sentence), what + " " + kernel});
  }

  void launches_of(const std::string &kernel) {
    const plan::Launch *first = nullptr;
    for (const plan::Operation &o : plan_.operations)
      if (const auto *one = std::get_if<plan::Launch>(&o); one && one->kernel == kernel && !first)
        first = one;
    const std::string name = short_name(kernel);
    shared_memory(kernel, name, first->dynamic_shared_bytes);
    blocks(kernel, name, first->block);
    if (first->grid.x != first->grid.y)
      launch(
          kernel, "grid",
          fmt::format("with x and y of the grid of {} exchanged, this case is right: x counts columns", name),
          [](plan::Launch &one) { std::swap(one.grid.x, one.grid.y); });
    const std::uint32_t wide = first->grid.x * first->block.x, high = first->grid.y * first->block.y;
    if (first->block.x != first->block.y && wide != high && wide < most_extent && high < most_extent)
      launch(kernel, "sizes",
             fmt::format(
                 "the grid of {} covers {} columns and {} rows; with {} columns and {} rows, this case is "
                 "right: are the two sizes exchanged in its launch?",
                 name, wide, high, high, wide),
             [=](plan::Launch &one) {
               one.grid.x = (high + one.block.x - 1) / one.block.x;
               one.grid.y = (wide + one.block.y - 1) / one.block.y;
             });
  }

  void shared_memory(const std::string &kernel, const std::string &name, std::uint32_t bytes) {
    const auto with = [&](std::string sentence, std::uint32_t more) {
      launch(kernel, fmt::format("shared {}", bytes == 0 ? 0 : more / bytes), std::move(sentence),
             [=](plan::Launch &one) { one.dynamic_shared_bytes = more; });
    };
    if (bytes == 0)
      return with(fmt::format("the launch of {} gives it no dynamic shared memory: its third argument, the "
                              "number of bytes, is missing",
                              name),
                  shared_without_opt_in / 2);
    for (const std::uint32_t size : {4U, 2U, 8U})
      if (bytes <= shared_without_opt_in / size)
        with(
            fmt::format("the launch gives {} {} bytes of dynamic shared memory; with {}, this case is right: "
                        "its third argument counts bytes, not elements",
                        name, bytes, bytes * size),
            bytes * size);
  }

  void blocks(const std::string &kernel, const std::string &name, const plan::Dim3 &block) {
    std::vector<plan::Dim3> shapes;
    const auto shape = [&](std::uint64_t x, std::uint64_t y) {
      const plan::Dim3 one{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), block.z};
      if (x * y * block.z <= most_threads && !(one == block) &&
          std::find(shapes.begin(), shapes.end(), one) == shapes.end())
        shapes.push_back(one);
    };
    if (block.y == 1)
      for (const std::uint64_t times : {2, 4, 8}) shape(block.x * times, 1);
    shape(block.x, block.x);
    shape(block.y, block.y);
    shape(block.y, block.x);
    for (const std::uint64_t times : {2, 4}) {
      shape(block.x, block.y * times);
      shape(block.x * times, block.y);
    }
    for (const plan::Dim3 &one : shapes)
      launch(kernel, fmt::format("block {} {}", one.x, one.y),
             fmt::format("with {} threads in a block of {} instead of {}, this case is right: does the tile "
                         "of a block need {}?",
                         shape_in_words(one), name, shape_in_words(block),
                         one.count() > block.count() ? fmt::format("{} threads", one.count()) : "that shape"),
             [&](plan::Launch &each) { each.block = one; });
  }

  const plan::LaunchPlan &plan_;
  std::vector<Trial> all_;
};

}  // namespace

std::string short_copies(const plan::LaunchPlan &plan, const std::string &buffer) {
  std::map<std::uint32_t, int> writes;  // copies and fills of each buffer
  for (const plan::Operation &o : plan.operations)
    if (const auto one = filled_by(o)) ++writes[one->to.buffer];
  for (const plan::Operation &o : plan.operations) {
    const auto one = filled_by(o);
    if (!one || one->to.offset != 0 || one->bytes == 0 || writes[one->to.buffer] > 1) continue;
    const plan::Buffer &to = plan.buffers.at(one->to.buffer);
    if (!buffer.empty() && to.name != buffer) continue;
    for (const std::uint64_t size : {4, 8, 2, 16})
      if (one->bytes * size == to.bytes)
        return fmt::format("; {} {} of the {} bytes of {}: does its size lack a sizeof?", one->what,
                           one->bytes, to.bytes, to.name);
  }
  return "";
}

std::vector<Trial> trials_of(const plan::LaunchPlan &plan) {
  return Trials(plan).all();
}

}  // namespace warpgrade::grading
