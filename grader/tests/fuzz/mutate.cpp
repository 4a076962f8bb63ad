// A mutator that knows what a line of PTX is. Half of its steps are libFuzzer's own; the others shuffle
// lines, and words within a line, so that what comes out still parses more often than not and the decoder
// sees something odd.
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t most);

namespace {

using Lines = std::vector<std::string>;

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '%' || c == '_' ||
         c == '$';
}

/// Where the words of a line begin and end: registers, numbers, the parts of an opcode.
std::vector<std::pair<std::size_t, std::size_t>> words_of(const std::string &line) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  for (std::size_t i = 0; i < line.size();) {
    if (!in_word(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && in_word(line[end])) ++end;
    words.push_back({i, end - i});
    i = end;
  }
  return words;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void step(Lines &lines) {
    const std::size_t here = below(lines.size()), there = below(lines.size());
    switch (below(8)) {
      case 0:
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(here));
        break;
      case 1:
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(here), std::string(lines[there]));
        break;
      case 2:
        std::swap(lines[here], lines[there]);
        break;
      case 3:
        drop_word(lines[here]);
        break;
      default:
        copy_word(lines[there], lines[here]);
    }
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

 private:
  void copy_word(const std::string &from, std::string &to) {
    static constexpr std::string_view odd[] = {
        "0",          "1",     "-1",      "4095", "4294967295", "18446744073709551615",
        "2147483648", "65536", "WARP_SZ", "_",    "0f7FC00000", "0dFFF0000000000000"};
    const auto sources = words_of(from), targets = words_of(to);
    if (targets.empty()) return;
    const auto [at, size] = targets[below(targets.size())];
    if (sources.empty() || below(4) == 0) {
      to.replace(at, size, odd[below(std::size(odd))]);
      return;
    }
    const auto [begin, length] = sources[below(sources.size())];
    to.replace(at, size, std::string(from.substr(begin, length)));
  }
  void drop_word(std::string &line) {
    const auto words = words_of(line);
    if (words.empty()) return;
    const auto [at, size] = words[below(words.size())];
    line.erase(at, size + (at + size < line.size() && line[at + size] == ',' ? 1 : 0));
  }
  std::minstd_rand random_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  Mutator mutator(seed);
  if (size == 0 || mutator.below(2) == 0) return LLVMFuzzerMutate(data, size, most);
  Lines lines = split({reinterpret_cast<const char *>(data), size});
  for (std::size_t steps = 1 + mutator.below(3); steps > 0 && !lines.empty(); --steps) mutator.step(lines);
  std::string text;
  for (const std::string &line : lines) text += line;
  const std::size_t kept = std::min(text.size(), most);
  text.copy(reinterpret_cast<char *>(data), kept);
  return kept;
}
