#include "search/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <numeric>
#include <stdexcept>

namespace warpgrade::search {
namespace {

constexpr std::size_t considered_for_each = 6;  // sizes side by side, for each case that there may be
constexpr std::int64_t large = 1024;            // for a literal, or a size, that is no side of a tile
constexpr double beside = 0.7, likely = 0.5, unlikely = 0.1;  // fitness, where 1 is a constant of the branch
constexpr std::size_t most_values = 160;                      // of one size
constexpr std::size_t most_paired = 12;                       // constants whose products are sizes too
constexpr std::int64_t usual_tile = 32;                       // where nothing is known

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Code without comments, strings and characters, line by line as it was.
std::string code_of(std::string_view text) {
  std::string code(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, code.size()); ++i)
      if (code[i] != '\n') code[i] = ' ';
  };
  for (std::size_t i = 0; i < code.size();) {
    std::size_t end = i + 1;
    const char c = text[i];
    if (text.substr(i, 2) == "//") {
      end = std::min(text.find('\n', i), text.size());
      blank(i, end);
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t close = text.find("*/", i + 2);
      end = close == std::string_view::npos ? text.size() : close + 2;
      blank(i, end);
    } else if (c == '"' || (c == '\'' && (i == 0 || !is_word(text[i - 1])))) {  // 1'000 is a number
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      blank(i, end);
    }
    i = end;
  }
  return code;
}

/// "0x20", "1'024u", "256ULL"; nothing if the word is not an integer.
std::optional<std::int64_t> integer_of(std::string word) {
  word.erase(std::remove(word.begin(), word.end(), '\''), word.end());
  while (!word.empty() &&
         (word.back() == 'u' || word.back() == 'U' || word.back() == 'l' || word.back() == 'L'))
    word.pop_back();
  const bool hex = word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
  const std::string digits = hex ? word.substr(2) : word;
  if (digits.empty() || digits.size() > 12) return std::nullopt;
  std::int64_t value = 0;
  for (const char d : digits) {
    const bool digit = std::isdigit(static_cast<unsigned char>(d)) != 0;
    if (!digit && !(hex && std::isxdigit(static_cast<unsigned char>(d)) != 0)) return std::nullopt;
    value =
        value * (hex ? 16 : 10) + (digit ? d - '0' : std::tolower(static_cast<unsigned char>(d)) - 'a' + 10);
  }
  return value;
}

std::int64_t rounded_up(std::int64_t value, std::int64_t divisor) {
  return divisor > 1 ? (value + divisor - 1) / divisor * divisor : value;
}

}  // namespace

Shape shape_of(const course::Step &step, bool advisory) {
  Shape shape;
  const auto &integers = step.problem->integers();
  for (std::size_t i = 0; i < integers.size(); ++i)
    if (integers[i].size) shape.sizes.push_back(i);
  shape.divisors.assign(shape.sizes.size(), 0);
  for (const course::Case &c : step.cases) {
    if (c.visibility != course::Visibility::open || (c.advisory && !advisory)) continue;
    for (std::size_t s = 0; s < shape.sizes.size(); ++s) {
      const std::int64_t value = c.values.integers.at(shape.sizes[s]);
      shape.divisors[s] = std::gcd(shape.divisors[s], value);
      shape.all_alike = shape.all_alike && value == c.values.integers.at(shape.sizes[0]);
    }
  }
  return shape;
}

std::map<std::int64_t, int> literals_of(std::string_view source) {
  std::map<std::int64_t, int> all;
  const std::string code = code_of(source);
  int line = 1;
  for (std::size_t i = 0; i < code.size();) {
    if (!is_word(code[i])) {
      line += code[i] == '\n';
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < code.size() &&
           (is_word(code[end]) || (code[end] == '\'' && end + 1 < code.size() && is_word(code[end + 1]))))
      ++end;
    const bool real = (end < code.size() && code[end] == '.') || (i > 0 && code[i - 1] == '.');
    if (std::isdigit(static_cast<unsigned char>(code[i])) != 0 && !real)
      if (const auto value = integer_of(code.substr(i, end - i)); value && *value > 1 && *value <= 1 << 20)
        all.try_emplace(*value, line);
    i = end;
  }
  return all;
}

std::set<std::int64_t> constants_of(const plan::LaunchPlan &plan, const problem::Case &c,
                                    const Shape &shape) {
  std::set<std::int64_t> all;
  const auto add = [&](std::uint64_t value) {
    if (value > 1 && value <= 1 << 16) all.insert(static_cast<std::int64_t>(value));
  };
  for (const plan::Operation &o : plan.operations) {
    const auto *launch = std::get_if<plan::Launch>(&o);
    if (!launch) continue;
    add(launch->block.x), add(launch->block.y), add(launch->block.z), add(launch->block.count());
    for (const std::uint64_t blocks : {launch->grid.x, launch->grid.y, launch->grid.z})
      for (const std::size_t s : shape.sizes) {
        const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(c.integers.at(s), 0));
        if (blocks < 2 || size < blocks) continue;
        // The tile of a block is a power of two between these, or else it is not unique.
        for (std::uint64_t tile = 2; tile <= 4096; tile *= 2)
          if ((size + tile - 1) / tile == blocks) add(tile);
      }
  }
  return all;
}

Candidates::Candidates(const course::Step &step, const problem::Case &base, const Shape &shape,
                       Knowledge known, const Bounds &bounds)
    : step_(step), shape_(shape), known_(std::move(known)), tries_(known_.branches.size()) {
  for (const course::Case &c : step.cases)
    if (c.visibility == course::Visibility::open && !c.values.reals.empty() &&
        std::find(factors_.begin(), factors_.end(), c.values.reals) == factors_.end())
      factors_.push_back(c.values.reals);
  fill(base, bounds);
}

/// What a size may be: around each constant, its multiples, and products of the most telling ones.
std::vector<std::int64_t> Candidates::values_of(std::size_t size) const {
  const problem::Integer &integer = step_.problem->integers()[shape_.sizes[size]];
  std::vector<std::int64_t> all;
  const auto add = [&](std::int64_t value) {
    value = rounded_up(value, shape_.divisors[size]);
    if (value >= integer.least && value <= integer.most && all.size() < most_values &&
        std::find(all.begin(), all.end(), value) == all.end())
      all.push_back(value);
  };
  for (const std::int64_t few : {1, 2, 3}) add(few);
  std::vector<std::int64_t> constants;
  const auto know = [&](std::int64_t value) {
    if (std::find(constants.begin(), constants.end(), value) == constants.end()) constants.push_back(value);
  };
  // A number that is no power of two is hardly the side of a tile: it was written for a reason of its own.
  for (const bool power : {false, true})
    for (const std::int64_t value : known_.constants)
      if (std::has_single_bit(static_cast<std::uint64_t>(value)) == power) know(value);
  for (const std::int64_t value : known_.geometry) know(value);
  for (const Branch &branch : known_.branches)
    for (const std::int64_t value : branch.constants) know(value);
  for (const auto &[value, line] : known_.literals) know(value);
  if (constants.empty()) know(usual_tile);
  for (const std::int64_t c : constants) add(c);
  for (const std::int64_t c : constants) add(c + 1), add(c - 1);
  for (const std::int64_t c : constants) add(2 * c), add(2 * c + 1), add(2 * c - 1), add(3 * c);
  const std::size_t paired = std::min(constants.size(), most_paired);
  for (std::size_t a = 0; a < paired; ++a)
    for (std::size_t b = a; b < paired; ++b) {
      const std::int64_t product = constants[a] * constants[b];
      add(product), add(product + 1), add(product - 1), add(constants[a] + constants[b]);
    }
  // A bound on the number of blocks shows itself where they cover no more: 65535 blocks of 8.
  for (const auto &[literal, line] : known_.literals)
    if (literal >= large)
      for (const std::int64_t side : known_.geometry) add(literal * side + 1);
  return all;
}

void Candidates::fill(const problem::Case &base, const Bounds &bounds) {
  const std::size_t sizes = shape_.sizes.size();
  if (sizes == 0) return;
  std::vector<std::vector<std::int64_t>> values;
  for (std::size_t s = 0; s < sizes; ++s) values.push_back(values_of(s));
  std::size_t longest = 0;
  for (const auto &one : values) longest = std::max(longest, one.size());
  const auto alike = [&](std::size_t which) {
    for (std::size_t s = 0; s < sizes; ++s)
      if (which < values[s].size()) add(std::vector<std::int64_t>(sizes, values[s][which]), base, bounds);
  };
  if (shape_.all_alike) {
    for (std::size_t i = 0; i < longest; ++i) alike(i);
    return;
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(longest, 6); ++i) alike(i);
  // One size takes each of its values, while the others are few, and then more than a tile.
  const std::int64_t tile = known_.geometry.empty() ? usual_tile : *known_.geometry.begin();
  for (const std::int64_t rest : {std::int64_t{3}, tile + 1, std::int64_t{1}})
    for (std::size_t i = 0; i < longest; ++i)
      for (std::size_t s = 0; s < sizes; ++s) {
        if (i >= values[s].size()) continue;
        std::vector<std::int64_t> one(sizes);
        for (std::size_t other = 0; other < sizes; ++other)
          one[other] = rounded_up(std::max(rest, step_.problem->integers()[shape_.sizes[other]].least),
                                  shape_.divisors[other]);
        one[s] = values[s][i];
        add(one, base, bounds);
      }
  // Values side by side that have not met yet.
  std::uint64_t state = 0x9E3779B97F4A7C15ULL;
  for (std::size_t i = 0; i < considered_for_each * bounds.cases && all_.size() < bounds.cases; ++i) {
    std::vector<std::int64_t> one(sizes);
    for (std::size_t s = 0; s < sizes; ++s) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      one[s] = values[s].empty() ? 1 : values[s][state % values[s].size()];
    }
    add(one, base, bounds);
  }
}

bool may_try(const problem::Case &c, const course::Step &step, const Bounds &bounds) {
  const problem::Problem &p = *step.problem;
  if (p.work(c) > bounds.work || !p.needs_kernel(c) || p.outputs(c) == 0) return false;
  if (problem::parse_case(p, p.case_name(c), step.with) != c) return false;
  std::uint64_t bytes = 0;
  for (const plan::Buffer &b : p.buffers(c)) bytes += b.bytes;
  return bytes <= bounds.bytes;
}

void Candidates::add(const std::vector<std::int64_t> &sizes, const problem::Case &base,
                     const Bounds &bounds) {
  if (all_.size() >= bounds.cases || !seen_.insert(sizes).second) return;
  const problem::Problem &p = *step_.problem;
  problem::Given given = problem::sizes_of(p, base);
  for (std::size_t s = 0; s < sizes.size(); ++s) given.integers[shape_.sizes[s]] = sizes[s];
  if (!factors_
           .empty()) {  // in turn, those of the step's cases: a factor of 0 or 1 may have a branch of its own
    const std::vector<double> &factors = factors_[all_.size() % factors_.size()];
    given.reals.assign(factors.begin(), factors.end());
  }
  try {
    const problem::Case c = problem::complete(p, given, step_.with);
    if (!may_try(c, step_, bounds)) return;
    all_.push_back({c, aims_of(sizes), false});
    ++left_;
  } catch (const std::invalid_argument &) {  // no case of this problem
  }
}

/// How well a size fits a branch: it is one of its constants, beside one, a multiple, few, or large; 0: not at all.
double Candidates::fitness(const Branch &branch, std::int64_t size) {
  if (size > large && branch.constants.empty()) return likely;
  double best = size <= 3 ? unlikely : 0;
  for (const std::int64_t c : branch.constants) {
    if (size == c) return 1;
    if (size == c - 1 || size == c + 1)
      best = std::max(best, beside);
    else if ((size + 1) % c <= 2)
      best = std::max(best, likely);
  }
  return best;
}

/// Branches that one of the sizes may send the other way: those that a parameter of that size decides, or all sizes
/// where that is not known.
std::vector<Candidates::Aim> Candidates::aims_of(const std::vector<std::int64_t> &sizes) const {
  std::vector<Aim> aims;
  for (std::size_t b = 0; b < known_.branches.size(); ++b) {
    const Branch &branch = known_.branches[b];
    std::set<std::size_t> deciding;
    for (const std::uint32_t at : branch.parameters)
      if (const auto found = known_.size_of.find(at); found != known_.size_of.end())
        deciding.insert(found->second);
    double best = 0;
    for (std::size_t s = 0; s < sizes.size(); ++s)
      if (deciding.empty() || deciding.contains(s)) best = std::max(best, fitness(branch, sizes[s]));
    if (best > 0) aims.push_back({b, best});
  }
  return aims;
}

std::optional<problem::Case> Candidates::next(const Coverage &coverage) {
  Candidate *best = nullptr;
  double most = -1;
  for (Candidate &one : all_) {
    if (one.done) continue;
    double gain = 0;  // a branch that many cases have missed may have one way only
    for (const Aim &aim : one.aims)
      if (!coverage.both(known_.branches[aim.branch])) gain += aim.fitness / (1 + tries_[aim.branch]);
    if (gain > most) best = &one, most = gain;
  }
  if (!best) return std::nullopt;
  best->done = true;
  --left_;
  for (const Aim &aim : best->aims)
    if (!coverage.both(known_.branches[aim.branch])) tries_[aim.branch] += aim.fitness;
  return best->values;
}

void Candidates::skip(const problem::Case &c) {
  for (Candidate &one : all_)
    if (!one.done && one.values == c) one.done = true, --left_;
}

}  // namespace warpgrade::search
