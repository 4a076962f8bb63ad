#include "problem/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {

void on_all_cores(std::uint64_t elements, const std::function<void(std::uint64_t, std::uint64_t)> &body,
                  std::uint64_t operations) {
  constexpr std::uint64_t worth_a_thread = 1 << 20;
  const std::uint64_t most =
      std::min<std::uint64_t>(elements, std::max(1U, std::thread::hardware_concurrency()));
  const std::uint64_t workers =
      std::clamp<std::uint64_t>(elements * operations / worth_a_thread, 1, std::max<std::uint64_t>(most, 1));
  std::vector<std::thread> threads;
  for (std::uint64_t w = 1; w < workers; ++w)
    threads.emplace_back([&, w] { body(elements * w / workers, elements * (w + 1) / workers); });
  body(0, elements / workers);
  for (std::thread &t : threads) t.join();
}

namespace {

constexpr std::size_t most_shown = 4;

/// Where the members of the elements are in memory. An element that is not a structure has one member.
class Layout {
 public:
  explicit Layout(const Array &array) {
    if (array.fields.empty()) add(array.type);
    for (const Field &f : array.fields) add(f.type);
    bytes_ = up_to(bytes_, alignment_);
  }
  std::size_t bytes() const { return bytes_; }  ///< of an element
  Type type(std::uint64_t i) const { return member(i).type; }
  std::uint64_t offset(std::uint64_t i) const {
    return members_.size() == 1 ? i * bytes_ : i / members_.size() * bytes_ + member(i).offset;
  }

 private:
  struct Member {
    std::size_t offset;
    Type type;
  };
  static std::size_t up_to(std::size_t bytes, std::size_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
  }
  const Member &member(std::uint64_t i) const {
    return members_.size() == 1 ? members_.front() : members_[i % members_.size()];
  }
  void add(Type type) {
    const std::size_t size = bytes_of(type);
    alignment_ = std::max(alignment_, size);
    members_.push_back({up_to(bytes_, size), type});
    bytes_ = members_.back().offset + size;
  }

  std::vector<Member> members_;
  std::size_t bytes_ = 0, alignment_ = 1;
};

/// The elements of a buffer as their bits, member by member.
class Elements {
 public:
  Elements(const run::HostBuffer &buffer, const Array &array) : data_(buffer.bytes.data()), layout_(array) {}
  Type type(std::uint64_t i) const { return layout_.type(i); }
  std::uint64_t bits(std::uint64_t i) const {
    std::uint64_t word = 0;
    std::memcpy(&word, data_ + layout_.offset(i), bytes_of(type(i)));
    return word;
  }
  double value(std::uint64_t i) const { return value_of(type(i), bits(i)); }

 private:
  const std::byte *data_;
  Layout layout_;
};

/// "x[3]", "A[1, 2]", "points[3].x"
std::string name_in(const Array &a, std::uint64_t i) {
  const std::uint64_t fields = std::max<std::uint64_t>(a.fields.size(), 1), element = i / fields;
  const std::string member = a.fields.empty() ? "" : "." + a.fields[i % fields].name;
  if (a.columns == 0) return fmt::format("{}[{}]{}", a.name, element, member);
  const auto columns = static_cast<std::uint64_t>(a.columns);
  return fmt::format("{}[{}, {}]{}", a.name, element / columns, element % columns, member);
}

/// Where the wrong elements of an array lie: "every element", "only d[8]", "one element in 8, from d[0]",
/// "d[256] to d[511]". Empty when nothing is wrong.
std::string where_in_row(const std::vector<bool> &wrong, const std::string &name) {
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    if (wrong[i]) at.push_back(i);
  if (at.empty()) return "";
  if (at.size() == wrong.size()) return "every element";
  if (at.size() == 1) return fmt::format("only {}[{}]", name, at.front());
  const std::size_t step = at[1] - at[0];
  bool regular = step > 1 && at.front() < step && at.back() + step >= wrong.size();
  for (std::size_t i = 2; i < at.size() && regular; ++i) regular = at[i] - at[i - 1] == step;
  if (regular) return fmt::format("one element in {}, from {}[{}]", step, name, at.front());
  const bool all = at.back() - at.front() + 1 == at.size();
  constexpr std::size_t most_listed = 6;
  if (!all && at.size() <= most_listed) {
    std::string list;
    for (std::size_t i = 0; i < at.size(); ++i)
      list += fmt::format("{}{}[{}]", i == 0 ? "only " : i + 1 == at.size() ? " and " : ", ", name, at[i]);
    return list;
  }
  return all ? fmt::format("{0}[{1}] to {0}[{2}]", name, at.front(), at.back())
             : fmt::format("between {0}[{1}] and {0}[{2}]", name, at.front(), at.back());
}

std::int64_t rows_of(const Array &a) {
  return a.columns > 0 ? static_cast<std::int64_t>(a.elements) / a.columns : 1;
}
std::int64_t columns_of(const Array &a) {
  return a.columns > 0 ? a.columns : static_cast<std::int64_t>(a.elements);
}

std::uint64_t different(const Elements &a, const Elements &b, std::uint64_t elements) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < elements; ++i) count += a.bits(i) != b.bits(i);
  return count;
}

/// One output with what it should hold.
class Output {
 public:
  /// from: where this output begins in the reference
  Output(const Array &array, const Reference &ref, std::size_t from, std::uint64_t in_any_order,
         const run::HostBuffer &before, const run::HostBuffer &after, double tolerance)
      : array_(array),
        before_(before, array),
        after_(after, array),
        tolerance_(tolerance),
        ref_(ref),
        from_(from) {
    if (in_any_order > 0) match(in_any_order);
  }

  double got(std::uint64_t i) const { return after_.value(i); }
  double want(std::uint64_t i) const { return ref_.want[place(i)]; }
  bool written(std::uint64_t i) const { return after_.bits(i) != before_.bits(i); }
  /// In units of the tolerance; infinite for what is not finite, and for what must be exact and is not.
  double error(std::uint64_t i) const {
    const std::size_t at = place(i);
    if (is_integer(after_.type(i)) && !ref_.words.empty())
      return after_.bits(i) == ref_.words[at] ? 0.0 : std::numeric_limits<double>::infinity();
    const double value = got(i), off = std::fabs(value - ref_.want[at]);
    if (value == ref_.want[at]) return 0.0;
    if (!(off <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    return off / (tolerance_ * ref_.scale[at]);
  }

 private:
  std::size_t place(std::uint64_t i) const { return from_ + (i < order_.size() ? order_[i] : i); }

  /// Pairs the first elements with those that they should be, in any order: equal ones first, then, by size,
  /// those that are left over.
  void match(std::uint64_t count) {
    std::vector<std::size_t> is(count), should_be(count);
    for (std::size_t i = 0; i < count; ++i) is[i] = should_be[i] = i;
    std::sort(is.begin(), is.end(),
              [&](std::size_t a, std::size_t b) { return after_.bits(a) < after_.bits(b); });
    const auto bits = [&](std::size_t i) { return ref_.words[from_ + i]; };
    std::sort(should_be.begin(), should_be.end(),
              [&](std::size_t a, std::size_t b) { return bits(a) < bits(b); });
    order_.assign(count, 0);
    std::vector<std::size_t> surplus, missing;
    std::size_t s = 0, w = 0;
    while (s < count || w < count) {
      if (w == count || (s < count && after_.bits(is[s]) < bits(should_be[w])))
        surplus.push_back(is[s++]);
      else if (s == count || bits(should_be[w]) < after_.bits(is[s]))
        missing.push_back(should_be[w++]);
      else
        order_[is[s++]] = should_be[w++];
    }
    for (std::size_t i = 0; i < surplus.size(); ++i) order_[surplus[i]] = missing[i];
  }

  const Array &array_;
  Elements before_, after_;
  double tolerance_;
  const Reference &ref_;
  std::size_t from_;
  std::vector<std::size_t>
      order_;  // of the elements that may come in any order: which one of the reference it is
};

/// The largest error of an output; more than 1: something is wrong.
double largest_error(const Output &output, std::uint64_t elements) {
  double largest = 0;
  std::mutex mutex;
  on_all_cores(elements, [&](std::uint64_t first, std::uint64_t last) {
    double mine = 0;
    for (std::uint64_t i = first; i < last; ++i) mine = std::max(mine, output.error(i));
    const std::lock_guard lock(mutex);
    largest = std::max(largest, mine);
  });
  return largest;
}

/// Compares results that may hold NaN, which compare() never accepts: where both hold it, both become 0.
/// Where some elements alone are as the hypothesis says, the others must be as they should be.
class Explanation {
 public:
  Explanation(const std::vector<Problem::Place> &places, const Reference &right, double tolerance)
      : places_(places), right_(right), tolerance_(tolerance) {}
  void adapt(Reference &said, std::vector<run::HostBuffer> &outputs, bool in_some) const {
    for (std::size_t e = 0; e < places_.size(); ++e) {
      const std::size_t size = bytes_of(places_[e].type);
      std::byte *const at = outputs[places_[e].buffer].bytes.data() + places_[e].element * size;
      std::uint64_t bits = 0;
      std::memcpy(&bits, at, size);
      const double got = value_of(places_[e].type, bits);
      if (in_some && std::fabs(got - right_.want[e]) <= tolerance_ * right_.scale[e]) {
        said.want[e] = right_.want[e];
        said.scale[e] = right_.scale[e];
      } else if (std::isnan(said.want[e]) && std::isnan(got)) {
        said.want[e] = 0;
        std::memset(at, 0, size);
      }
    }
  }

 private:
  const std::vector<Problem::Place> &places_;
  const Reference &right_;
  double tolerance_;
};

/// What would explain results of any kind: they are one element, row or column away from their place, or
/// rounded to half precision.
class OutOfPlace {
 public:
  OutOfPlace(const Array &array, const Output &output) : array_(array), output_(output) {}

  std::vector<std::string> all() const {
    std::vector<std::string> found;
    const std::int64_t columns = columns_of(array_);
    const auto test = [&](std::string_view from, std::int64_t rows, std::int64_t across) {
      if (shifted(rows, across))
        found.push_back(fmt::format("each element of {} holds the result {}; is an index off by one?",
                                    array_.name, from));
    };
    test(array_.columns > 0 ? "of the column to its left" : "of the element before it", 0, -1);
    test(array_.columns > 0 ? "of the column to its right" : "of the element after it", 0, 1);
    if (array_.columns > 0 && columns > 0) {
      test("of the row above", -1, 0);
      test("of the row below", 1, 0);
    }
    if (in_half()) found.emplace_back("the results are rounded to half precision");
    return found;
  }

 private:
  bool close(double got, double want) const {
    return std::fabs(got - want) <= std::max(1e-5 * std::fabs(want), 1e-12);
  }
  bool shifted(std::int64_t rows, std::int64_t across) const {
    constexpr int enough = 3;  // elements that are right elsewhere alone
    const std::int64_t columns = columns_of(array_);
    int telling = 0;
    for (std::uint64_t i = 0; i < array_.elements; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t row = at / columns + rows, column = at % columns + across;
      if (row < 0 || column < 0 || row >= rows_of(array_) || column >= columns) continue;
      const auto from = static_cast<std::uint64_t>(row * columns + column);
      if (!close(output_.got(i), output_.want(from))) return false;
      telling += output_.error(i) > 1;
    }
    return telling >= enough;
  }
  bool in_half() const {
    constexpr std::uint64_t enough = 4;
    if (array_.type != Type::f32 || array_.elements < enough) return false;
    for (std::uint64_t i = 0; i < array_.elements; ++i) {
      const double got = output_.got(i), want = output_.want(i), rounding = std::ldexp(std::fabs(want), -9);
      if (got != value_of(Type::f16, encode(Type::f16, static_cast<float>(got))) ||
          !(std::fabs(got - want) <= rounding))
        return false;
    }
    return true;
  }

  const Array &array_;
  const Output &output_;
};

/// Counts, names and places what is wrong in an output.
void add_wrong(const Array &array, const Output &output, Comparison &result) {
  std::vector<bool> wrong(array.elements);
  const std::uint64_t fields = std::max<std::uint64_t>(array.fields.size(), 1);
  for (std::uint64_t i = 0; i < array.members(); ++i) {
    if (output.error(i) <= 1) continue;
    wrong[i / fields] = true;
    ++result.wrong;
    const double got = output.got(i);
    if (!std::isfinite(got)) ++result.not_finite;
    if (!output.written(i)) ++result.never_written;
    if (result.first.size() < most_shown) result.first.push_back({name_in(array, i), got, output.want(i)});
  }
  if (!result.output.empty()) return;  // the first output that is wrong stands for all
  result.output = array.name;
  result.located = array.columns > 0 ? locate(wrong, rows_of(array), columns_of(array), array.name)
                                     : where_in_row(wrong, array.name);
  result.map = map_of(wrong, rows_of(array), columns_of(array));
}

}  // namespace

std::string ArrayProblem::case_name(const Case &c) const {
  std::string name;
  const auto add = [&](const std::string &text) { name += (name.empty() ? "" : " ") + text; };
  for (std::size_t i = 0; i < facts_.integers.size(); ++i) {
    const Integer &known = facts_.integers[i];
    if (known.size || known.otherwise != c.integers.at(i))
      add(fmt::format("{}={}", known.name, c.integers.at(i)));
  }
  for (std::size_t r = 0; r < facts_.reals.size(); ++r)
    if (c.reals.at(r) != facts_.reals[r].otherwise)
      add(fmt::format("{}={:g}", facts_.reals[r].name, c.reals.at(r)));
  return name;
}

double ArrayProblem::compulsory_bytes(const Case &c) const {
  double bytes = 0;
  for (const Array &a : arrays(c)) bytes += static_cast<double>(a.elements * Layout(a).bytes());
  return bytes;
}

std::uint64_t ArrayProblem::outputs(const Case &c) const {
  std::uint64_t all = 0;
  for (const Array &a : arrays(c)) all += a.is_output ? a.members() : 0;
  return all;
}

bool ArrayProblem::needs_kernel(const Case &c) const {
  const std::vector<Array> all = arrays(c);
  const auto empty_if = [&](bool output) {
    return std::all_of(all.begin(), all.end(),
                       [&](const Array &a) { return a.is_output != output || a.elements == 0; });
  };
  const bool has_inputs = std::any_of(all.begin(), all.end(), [](const Array &a) { return !a.is_output; });
  return !empty_if(true) && !(has_inputs && empty_if(false));
}

std::vector<plan::Buffer> ArrayProblem::buffers(const Case &c) const {
  std::vector<plan::Buffer> all;
  for (const Array &a : arrays(c))
    all.push_back({plan::Owner::judge, a.name, a.elements * Layout(a).bytes(), a.device});
  return all;
}

std::vector<Extent> ArrayProblem::extents(const Case &c) const {
  std::vector<Extent> all;
  for (const Array &a : arrays(c)) all.push_back({rows_of(a), columns_of(a), columns_of(a), false});
  return all;
}

std::vector<run::HostBuffer> ArrayProblem::inputs(const Case &c, std::uint64_t seed) const {
  std::vector<run::HostBuffer> made;
  const std::vector<Array> all = arrays(c);
  for (std::size_t b = 0; b < all.size(); ++b) {
    const Layout layout(all[b]);
    const std::size_t size = layout.bytes();
    made.push_back({all[b].name, all[b].is_output ? run::Role::in_out : run::Role::input, {}, size});
    made[b].bytes.resize(all[b].elements * size);
    on_all_cores(all[b].members(), [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t bits = element(c, seed, b, i);
        std::memcpy(made[b].bytes.data() + layout.offset(i), &bits, bytes_of(layout.type(i)));
      }
    });
  }
  return made;
}

std::optional<OnDeviceCase> ArrayProblem::on_device(const Case &c) const {
  const std::vector<Array> all = arrays(c);
  OnDeviceCase made;
  if (all.size() > OnDeviceCase::most_arrays || c.integers.size() > OnDeviceCase::most_integers ||
      c.reals.size() > OnDeviceCase::most_reals)
    return std::nullopt;
  std::ranges::copy(c.integers, made.integers);
  std::ranges::copy(c.reals, made.reals);
  for (const Array &array : all) {
    // A double cannot hold every number of 64 bits.
    const bool wide = array.is_output && is_integer(array.type) && bytes_of(array.type) == 8;
    if (!array.fields.empty() || wide) return std::nullopt;
    made.elements[made.arrays] = array.elements;
    made.types[made.arrays] = static_cast<std::uint32_t>(array.type);
    made.is_output[made.arrays++] = array.is_output;
  }
  return made;
}

std::string ArrayProblem::element_name(const Case &c, std::size_t buffer, std::uint64_t element) const {
  return name_in(arrays(c).at(buffer), element);
}

bool ArrayProblem::may_exchange(const Case &c, std::size_t buffer) const {
  return arrays(c).at(buffer).exchangeable;
}

std::vector<Problem::Place> ArrayProblem::places(const Case &c) const {
  std::vector<Place> places;
  const std::vector<Array> all = arrays(c);
  for (std::size_t b = 0; b < all.size(); ++b) {
    const Layout layout(all[b]);
    // A member's offset is a multiple of its size, so it has a place among elements of its type.
    for (std::uint64_t i = 0; all[b].is_output && i < all[b].members(); ++i)
      places.push_back({b, layout.offset(i) / bytes_of(layout.type(i)), layout.type(i)});
  }
  return places;
}

Comparison ArrayProblem::compare(const Case &c, const std::vector<run::HostBuffer> &inputs,
                                 const Reference &ref, const std::vector<run::HostBuffer> &outputs,
                                 double tolerance) const {
  Comparison result;
  result.output.clear();
  const std::vector<Array> all = arrays(c);
  std::size_t from = 0;  // in the reference, which holds the outputs one after the other
  for (std::size_t b = 0; b < all.size(); ++b) {
    const Array &array = all[b];
    if (!array.is_output) {
      const std::uint64_t changed = inputs.at(b).bytes == outputs.at(b).bytes
                                        ? 0
                                        : different({inputs[b], array}, {outputs[b], array}, array.members());
      if (changed > 0)
        result.changed_inputs.push_back(
            fmt::format("the read-only {} ({} element{})", array.name, changed, changed == 1 ? "" : "s"));
      continue;
    }
    const auto free = ref.in_any_order.find(b);
    const Output output(array, ref, from, free == ref.in_any_order.end() ? 0 : free->second, inputs.at(b),
                        outputs.at(b), tolerance);
    const double error = largest_error(output, array.members());
    result.max_error = std::max(result.max_error, error);
    result.checked += array.members();
    if (error > 1) add_wrong(array, output, result);
    from += array.members();
  }
  if (result.output.empty())
    for (const Array &a : all)
      if (a.is_output && result.output.empty()) result.output = a.name;
  return result;
}

std::optional<std::string> ArrayProblem::spot_check(const Case &c, const std::vector<run::HostBuffer> &inputs,
                                                    const std::vector<run::HostBuffer> &outputs,
                                                    double tolerance, std::uint64_t) const {
  const Comparison found = compare(c, inputs, reference(c, inputs), outputs, tolerance);
  if (!found.changed_inputs.empty()) return found.changed_inputs.front() + " was changed";
  if (found.wrong == 0) return std::nullopt;
  const Mismatch &first = found.first.front();
  return fmt::format("{} is {}, should be {}", first.where, number_in_words(first.got),
                     number_in_words(first.want));
}

std::vector<std::string> ArrayProblem::mistakes(const Case &c, const std::vector<run::HostBuffer> &inputs,
                                                const std::vector<run::HostBuffer> &outputs,
                                                double tolerance) const {
  std::vector<std::string> found;
  const std::vector<Place> places_of_outputs = places(c);
  const Reference right = reference(c, inputs);
  const Explanation explanation(places_of_outputs, right, tolerance);
  for (Hypothesis &h : hypotheses(c, inputs)) {
    if (h.in_some ? !found.empty() : std::find(found.begin(), found.end(), h.clause) != found.end()) continue;
    std::vector<run::HostBuffer> adapted = outputs;
    explanation.adapt(h.result, adapted, h.in_some);
    if (compare(c, inputs, h.result, adapted, tolerance).wrong == 0) found.push_back(h.clause);
  }
  if (!found.empty() || !right.in_any_order.empty()) return found;
  const std::vector<Array> all = arrays(c);
  const auto is_output = [](const Array &a) { return a.is_output; };
  const auto first = std::find_if(all.begin(), all.end(), is_output);
  if (std::count_if(all.begin(), all.end(), is_output) != 1 || !first->fields.empty()) return found;
  const auto b = static_cast<std::size_t>(first - all.begin());
  const Output output(*first, right, 0, 0, inputs.at(b), outputs.at(b), tolerance);
  return OutOfPlace(*first, output).all();
}

}  // namespace warpgrade::problem
