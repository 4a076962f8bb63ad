#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "explain/checklist.hpp"
#include "report/explain.hpp"
#include "report/figures.hpp"
#include "report/lanes.hpp"
#include "report/links.hpp"
#include "report/text.hpp"
#include "report/what_if.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t worst_lines = 5;
constexpr int context = 2;  // lines of source around those with figures

using simt::per;

/// "1 sector", "16.5 sectors"
std::string counted(std::uint64_t all, std::uint64_t requests, std::string_view word) {
  const std::string number = requests == 1 ? std::to_string(all) : figure(per(all, requests));
  return fmt::format("{} {}{}", number, word, number == "1" ? "" : "s");
}

std::string percent(double share) {
  return share == 0 ? "" : share < 0.005 ? "<1%" : fmt::format("{:.0f}%", 100 * share);
}

class Explainer {
 public:
  Explainer(const ExplainView &view, const Style &style) : v_(view), style_(style) {
    for (const explain::Line &line : v_.explanation.lines)
      if (line.at.file == v_.file) lines_[line.at.line] = &line;
  }

  std::string whole() {
    head();
    gutter();
    checks();
    links();
    worst();
    return out_;
  }

  std::string one(int number) {
    const auto found = lines_.find(number);
    if (found == lines_.end()) return {};
    const explain::Line &line = *found->second;
    source_line(number, &line);
    out_ += "\n";
    advice(line);
    for (const explain::Access &access : line.accesses)
      if (access.sample) out_ += lanes_to_text(access) + "\n";
    if (const explain::Product *product = explain::hottest_product(v_.explanation, &line.at))
      out_ += product_to_text(*product) + "\n";
    return out_;
  }

 private:
  std::string paint(std::string_view code, std::string_view text) const {
    return style_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
  void paragraph(std::string_view text, std::size_t indent, std::string_view code = "") {
    for (const std::string &part : wrap(text, std::clamp(style_.columns, narrowest, widest) - indent))
      out_ += std::string(indent, ' ') + (code.empty() ? part : paint(code, part)) + "\n";
  }

  void head() {
    const simt::Counters &c = v_.counters.counts;
    out_ += paint("1", v_.title) + "\n";
    paragraph("Counted on the simulator: the same figures on every machine, and no times.", 0, "2");
    const auto intensity = [&](std::uint64_t bytes) { return figure(per(flops_of(c), bytes)); };
    if (c.requested_bytes() > 0)
      paragraph(fmt::format("{} {}flops for each byte requested from global memory; {} if every byte "
                            "moved once ({} KiB requested, {} KiB compulsory).",
                            intensity(c.requested_bytes()), c.tensor_flops > 0 ? "" : "fp32 ",
                            intensity(c.compulsory_bytes()), c.requested_bytes() / 1024,
                            c.compulsory_bytes() / 1024),
                0);
    tensor_cores();
    out_ += "\n";
  }

  /// What tensor cores do, by instruction, and what is moved for it.
  void tensor_cores() {
    const simt::Counters &c = v_.counters.counts;
    if (c.tensor_flops == 0) return;
    std::map<std::string, simt::ProductCounters> by_instruction;
    for (const explain::Product &p : v_.explanation.products) by_instruction[p.key.instruction] += p.counts;
    for (const auto &[instruction, counts] : by_instruction)
      paragraph(
          fmt::format("Tensor cores: {} of their operations are {} products by {}.",
                      counts.flops == c.tensor_flops ? "all" : percent(per(counts.flops, c.tensor_flops)),
                      counts.executions, for_terminal(instruction)),
          0);
    std::vector<std::string> reuse;
    for (const auto &[count, what] : {std::pair{c.shared_load.bytes, "byte loaded from shared memory"},
                                      {c.shared_load.wavefronts, "wavefront that loads"},
                                      {c.fp32_flops(), "fp32 flop"}})
      if (count > 0) reuse.push_back(fmt::format("{} for each {}", figure(per(c.tensor_flops, count)), what));
    paragraph(fmt::format("Their operations: {}.", fmt::join(reuse, ", ")), 0);
    if (const auto fragments = fragments_per_product(v_.explanation, c))
      paragraph(
          fmt::format("Fragments: as many bytes are loaded as {} fragments of factors for each product; "
                      "without reuse, it would be 2.",
                      figure(*fragments)),
          0);
    for (const course::Gpu &gpu : v_.gpus) peaks(gpu);
    if (c.bulk_loaded + c.bulk_stored > 0)
      paragraph(fmt::format("Bulk copies load {} KiB and store {} KiB.", c.bulk_loaded / 1024,
                            c.bulk_stored / 1024),
                0);
  }

  /// The least time for the products, by the type of their factors.
  void peaks(const course::Gpu &gpu) {
    std::map<std::string, std::uint64_t> by_type;
    for (const explain::Product &p : v_.explanation.products)
      if (const std::string type = type_of_factors(p.key.instruction); !type.empty())
        by_type[type] += p.counts.flops;
    for (const auto &[type, flops] : by_type) {
      const auto known = gpu.tensor.find(type);
      const std::optional<double> peak = known != gpu.tensor.end() ? std::optional(known->second)
                                         : type == "f16"           ? gpu.tensor_gflops
                                                                   : std::nullopt;
      paragraph(
          peak ? fmt::format("{}: products of {} take at least {} us, at its peak of {} GFLOPS.", gpu.name,
                             type, figure(static_cast<double>(flops) / *peak / 1e3), figure(*peak))
               : fmt::format("{}: no peak is known for products of {}.", gpu.name, type),
          0);
    }
  }

  void source_line(int number, const explain::Line *line) {
    std::string global, shared, share;
    if (line) {
      const simt::LineCounters &c = line->counts;
      global = per_request(c.sectors(), c.ideal_sectors(), c.global_requests());
      const std::uint64_t wavefronts = c.wavefronts();
      shared = per_request(wavefronts, wavefronts - c.shared_load.conflicts - c.shared_store.conflicts,
                           c.shared_requests());
      share = percent(line->share);
    }
    const std::string text = number <= static_cast<int>(v_.source.size())
                                 ? for_terminal(v_.source[static_cast<std::size_t>(number - 1)])
                                 : "";
    std::string figures = fmt::format("{:>5} {:>10} {:>9} ", share, global, shared);
    if (line && !line->advice.empty())
      figures = paint("33", figures);
    else
      figures = paint("2", figures);
    out_ += figures + paint("2", fmt::format("{:>4} |", number)) + (text.empty() ? "" : " " + text) + "\n";
  }

  void gutter() {
    if (lines_.empty()) {
      paragraph("No figures by line: the kernels name no line of this file.", 0);
      return;
    }
    std::set<int> shown;
    for (const auto &[number, line] : lines_)
      for (int n = std::max(1, number - context);
           n <= std::min(static_cast<int>(v_.source.size()), number + context); ++n)
        shown.insert(n);
    out_ += paint("2", fmt::format("{:>5} {:>10} {:>9}  {}", "", "sectors", "wavefr.",
                                   "each: per request of a warp / at best")) +
            "\n";
    out_ += paint("2", fmt::format("{:>5} {:>10} {:>9} line | {}", "share", "global", "shared",
                                   for_terminal(v_.file))) +
            "\n";
    int before = 0;
    for (const int number : shown) {
      if (before != 0 && number != before + 1) out_ += paint("2", fmt::format("{:>26} ...", "")) + "\n";
      const auto found = lines_.find(number);
      source_line(number, found == lines_.end() ? nullptr : found->second);
      before = number;
    }
    out_ += "\n";
  }

  void checks() {
    for (const score::CounterScore &c : v_.checks) {
      std::string text = fmt::format("{}: {}", judge::in_words(c.check.measure), counter_against_limit(c));
      if (!c.passed && c.line > 0) text += fmt::format("; most of it at line {}", c.line);
      paragraph(fmt::format("{} {} ({}/{} points)", c.passed ? "[x]" : "[ ]", text,
                            points(c.passed ? c.check.points : 0), points(c.check.points)),
                0, c.passed ? "" : "33");
    }
    if (!v_.checks.empty()) out_ += "\n";
  }

  /// What moves between devices, by line.
  void links() {
    if (!v_.counters.links) return;
    constexpr std::size_t most = 40;
    for (const std::string &sentence : link_sentences(*v_.counters.links)) paragraph(sentence, 0);
    const std::size_t there = v_.counters.links->lines.size();
    if (there > 0)
      out_ += paint("2", fmt::format("{:>9} {:>8} {:>8}  {:<9} {}", "bytes", "messages", "alone", "from, to",
                                     "line, what; alone: no kernel computes beside it")) +
              "\n";
    for (const LinkRow &row : link_rows(*v_.counters.links, most))
      out_ +=
          fmt::format("{:>9} {:>8} {:>8}  {:<9} {}{}\n", row.bytes, row.messages, row.alone, row.direction,
                      row.place.empty() ? "" : for_terminal(row.place) + ", ", for_terminal(row.what));
    if (there > most) out_ += fmt::format("and {} more lines and directions in --json\n", there - most);
    out_ += "\n";
  }

  void advice(const explain::Line &line) {
    for (const explain::Advice &a : line.advice) {
      // What to do about it is said once, though several lines may need it.
      const std::size_t end = a.sentence.find(". ");
      const bool again = end != std::string::npos && !cures_.insert(a.sentence.substr(end)).second;
      std::string text = again ? a.sentence.substr(0, end + 1) : a.sentence;
      if (const std::string row = explain::row_in_words(a.pattern); !row.empty()) text += " " + row;
      paragraph(for_terminal(text), 3);
    }
  }

  void access(const explain::Access &a) {
    const simt::GlobalTraffic &g = a.counts.global;
    const simt::SharedTraffic &s = a.counts.shared;
    if (a.key.space == ptx::Space::global)
      paragraph(fmt::format("{}: {} of {}, at best {}; {} of the 32 bytes of a sector used", access_title(a),
                            counted(g.requests, 1, "request"), counted(g.sectors, g.requests, "sector"),
                            figure(per(g.ideal_sectors, g.requests)),
                            g.used_bytes == 32 * g.sectors ? "all" : figure(per(g.used_bytes, g.sectors))),
                3, "2");
    else
      paragraph(fmt::format("{}: {} of {}, at best {}", access_title(a), counted(s.requests, 1, "request"),
                            counted(s.wavefronts, s.requests, "wavefront"),
                            figure(per(s.wavefronts - s.conflicts, s.requests))),
                3, "2");
  }

  void worst() {
    std::size_t shown = 0;
    const explain::Line *first = nullptr;
    for (const explain::Line &line : v_.explanation.lines) {
      if (line.advice.empty() || shown == worst_lines) continue;
      if (!first && line.at.file == v_.file) first = &line;
      std::string share = line.share > 0 ? fmt::format(", {} of the traffic", percent(line.share)) : "";
      if (line.wasted >= 0.005)
        share += fmt::format("; {} of all traffic is wasted here", percent(line.wasted));
      const std::string place =
          line.at.line > 0 ? fmt::format("{}:{}", for_terminal(line.at.file), line.at.line) : "no line";
      out_ += paint("1", fmt::format("{}. {}", ++shown, place)) + share + "\n";
      for (const explain::Access &a : line.accesses) access(a);
      advice(line);
      out_ += "\n";
    }
    if (shown == 0)
      paragraph(
          "Nothing to advise: every request is coalesced and free of conflicts, as far as these figures "
          "show.",
          0);
    if (first)
      out_ += paint("2", fmt::format("The lanes of a line: {} --line {}", for_terminal(v_.again),
                                     first->at.line)) +
              "\n";  // not wrapped: to be copied
  }

  const ExplainView &v_;
  Style style_;
  std::map<int, const explain::Line *> lines_;
  std::set<std::string> cures_;  ///< that were given
  std::string out_;
};

}  // namespace

std::string explain_to_terminal(const ExplainView &view, const Style &style) {
  std::string text = Explainer(view, style).whole();
  if (view.prediction == nullptr) return text;
  std::string before = "\n";
  for (const std::string &line : what_if_lines(*view.prediction)) {
    for (const std::string &part :
         wrap(for_terminal(line), std::clamp(style.columns, narrowest, widest) - 2)) {
      text += before + part + "\n";
      before = "  ";
    }
  }
  return text;
}

std::string checklist_to_terminal(std::size_t columns) {
  std::string text;
  for (const explain::ChecklistRow &row : explain::checklist()) {
    text += std::string(row.name) + "\n";
    for (const auto &[head, words] :
         {std::pair{"cores:  ", row.cores}, {"memory: ", row.memory}, {"how:    ", row.how}}) {
      constexpr std::size_t indent = 11;
      std::string lead = std::string("   ") + head;
      for (const std::string &part : wrap(words, std::clamp(columns, narrowest, widest) - indent)) {
        text += lead + part + "\n";
        lead = std::string(indent, ' ');
      }
    }
  }
  return text;
}

std::string line_to_terminal(const ExplainView &view, int line, const Style &style) {
  return Explainer(view, style).one(line);
}

}  // namespace warpgrade::report
