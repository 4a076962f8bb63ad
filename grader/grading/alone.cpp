#include "grading/alone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace warpgrade::grading {

namespace {

constexpr std::uint64_t most_searched = 1 << 20;  // elements of one input

/// "A[0, 5]" and "A[0][5]" alike: "A[0,5]"
std::string plain(const std::string &name) {
  std::string to;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ' ') continue;
    if (name.compare(i, 2, "][") == 0) {
      to += ',';
      ++i;
    } else {
      to += name[i];
    }
  }
  return to;
}

std::uint64_t elements(const run::HostBuffer &buffer) {
  return buffer.bytes.size() / std::max<std::uint64_t>(buffer.element_bytes, 1);
}

}  // namespace

std::optional<problem::Type> free_type(const problem::Problem &p, const problem::Case &c,
                                       const std::vector<run::HostBuffer> &inputs, std::size_t b) {
  std::optional<problem::Type> type;
  const auto product = p.product(c);
  const auto known = p.on_device(c);
  if (product)
    type = b == 0 ? product->a.fill.type : b == 1 ? product->b.fill.type : problem::Type::f32;
  else if (known && b < known->arrays && known->is_output[b] == 0)
    type = static_cast<problem::Type>(known->types[b]);
  const bool is_number = type && (*type == problem::Type::f32 || *type == problem::Type::f16 ||
                                  *type == problem::Type::f64 || *type == problem::Type::i32);
  if (!is_number || problem::bytes_of(*type) != inputs.at(b).element_bytes) return std::nullopt;
  return type;
}

std::string name_of(const problem::Problem &p, const problem::Case &c, std::size_t buffer,
                    std::uint64_t element) {
  if (!p.is_product()) return p.element_name(c, buffer, element);
  const problem::Extent e = p.extents(c).at(buffer);
  const auto major = static_cast<std::int64_t>(element) / std::max<std::int64_t>(e.pitch, 1),
             minor = static_cast<std::int64_t>(element) % std::max<std::int64_t>(e.pitch, 1);
  const char name = p.product(c)->names[std::min<std::size_t>(buffer, 2)];
  return e.by_columns ? problem::name_of({minor, major}, name) : problem::name_of({major, minor}, name);
}

bool same_element(const std::string &a, const std::string &b) {
  return plain(a) == plain(b);
}

double value_at(const std::vector<run::HostBuffer> &outputs, const problem::Problem::Place &place) {
  std::uint64_t bits = 0;
  const std::size_t bytes = problem::bytes_of(place.type);
  std::memcpy(&bits, outputs[place.buffer].bytes.data() + place.element * bytes, bytes);
  return problem::value_of(place.type, bits);
}

std::vector<run::HostBuffer> alone(const problem::Problem &p, const problem::Case &c,
                                   std::vector<run::HostBuffer> inputs,
                                   const std::vector<std::string> &names) {
  std::vector<std::string> wanted;
  for (const std::string &name : names) wanted.push_back(plain(name));
  std::vector<bool> found(wanted.size(), false);
  for (std::size_t b = 0; b < inputs.size(); ++b) {
    run::HostBuffer &input = inputs[b];
    const bool in_out = input.role == run::Role::in_out;
    const auto type = in_out || (input.role == run::Role::input && p.may_exchange(c, b))
                          ? free_type(p, c, inputs, b)
                          : std::nullopt;
    if (in_out || type) std::fill(input.bytes.begin(), input.bytes.end(), std::byte{0});
    if (!type || in_out || elements(input) > most_searched) continue;
    for (std::uint64_t i = 0; i < elements(input); ++i) {
      const auto at = std::find(wanted.begin(), wanted.end(), plain(name_of(p, c, b, i)));
      if (at == wanted.end()) continue;
      found[static_cast<std::size_t>(at - wanted.begin())] = true;
      const std::uint64_t one = problem::encode(*type, 1);
      std::memcpy(input.bytes.data() + i * input.element_bytes, &one, input.element_bytes);
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!found[i])
      throw std::invalid_argument(fmt::format(
          "there is no element '{}' of an input of numbers at {}; the first elements are written as {}",
          names[i], p.case_name(c), inputs.empty() ? "A[0][0]" : name_of(p, c, 0, 0)));
  return inputs;
}

namespace {

/// What an element may be multiplied by: lists of further elements, each to be tried beside it.
std::vector<std::vector<std::string>> partners(const problem::Problem &p, const problem::Case &c,
                                               const std::vector<run::HostBuffer> &inputs, std::size_t buffer,
                                               std::uint64_t suspect, std::size_t number) {
  constexpr std::size_t most_products = 48;
  constexpr std::uint64_t most_others = 256;
  std::vector<std::vector<std::string>> all;
  if (const auto product = p.product(c)) {
    const std::int64_t column = static_cast<std::int64_t>(number) % product->n,
                       row = static_cast<std::int64_t>(number) / product->n;
    const auto add = [&](std::int64_t k) {
      const std::int64_t at = product->b.at(product->row_of_b(row, k), column);
      all.push_back({name_of(p, c, 1, static_cast<std::uint64_t>(at))});
    };
    for (std::int64_t k = 0; k < product->k; ++k)
      if (static_cast<std::uint64_t>(product->a.at(row, k)) == suspect) return add(k), all;
    for (std::int64_t k = 0; k < product->k && all.size() < most_products; ++k) add(k);
    return all;
  }
  const std::string name = name_of(p, c, buffer, suspect);
  bool others = false;
  for (std::size_t b = 0; b < inputs.size(); ++b) {
    if (b == buffer || inputs[b].role != run::Role::input || !p.may_exchange(c, b) ||
        !free_type(p, c, inputs, b))
      continue;
    others = true;
    for (std::uint64_t i = 0; i < std::min(elements(inputs[b]), most_others); ++i) {
      const std::string other = name_of(p, c, b, i);
      if (p.reference(c, alone(p, c, inputs, {name, other})).want.at(number) != 0) all.push_back({other});
    }
  }
  if (!others) all.emplace_back();
  return all;
}

}  // namespace

std::vector<std::string> wrong_alone(const problem::Problem &p, const problem::Case &c,
                                     const std::vector<run::HostBuffer> &inputs, std::size_t buffer,
                                     const std::vector<std::uint64_t> &suspects, std::size_t number,
                                     const RunAgain &run_again) {
  int left = 64;  // runs
  const problem::Problem::Place place = p.places(c).at(number);
  for (const std::uint64_t suspect : suspects) {
    for (std::vector<std::string> names : partners(p, c, inputs, buffer, suspect, number)) {
      names.insert(names.begin(), name_of(p, c, buffer, suspect));
      if (left-- == 0) return {};
      const std::vector<run::HostBuffer> in = alone(p, c, inputs, names);
      const auto out = run_again(in);
      if (!out) return {};
      const double got = value_at(*out, place), want = p.reference(c, in).want.at(number);
      if (!(std::fabs(got - want) <= 1e-3 * std::max(1.0, std::fabs(want)))) return names;
    }
  }
  return {};
}

std::vector<run::HostBuffer> inputs_for(const Options &options, const problem::Problem &p,
                                        const problem::Case &c, std::uint64_t seed) {
  std::vector<run::HostBuffer> inputs = p.inputs(c, seed);
  return options.alone.empty() ? inputs : alone(p, c, std::move(inputs), options.alone);
}

std::vector<std::string> split_elements(const std::string &text) {
  std::vector<std::string> all;
  std::size_t from = 0, depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']' && depth > 0) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    if (i > from) all.push_back(text.substr(from, i - from));
    from = i + 1;
  }
  return all;
}

}  // namespace warpgrade::grading
