#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "explain/lanes.hpp"
#include "report/explain.hpp"
#include "report/lanes.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr int sector_left = 54, bank_left = 84;  ///< for what is written before a row
constexpr std::size_t most_wavefronts = 8, sectors_high = 4, most_sectors_across = 3;

/// Neighbouring lanes in neighbouring colours, light enough for black text.
std::string color(const explain::Lanes &lanes) {
  if (lanes.empty()) return "#f4f4f4";
  const int hue = lanes.size() > 1 ? 0 : lanes.front() * 340 / 32;
  return lanes.size() > 1 ? "#dddddd" : fmt::format("hsl({}, 70%, 78%)", hue);
}

class Picture {
  static constexpr int cell_width = 24, cell_height = 20, gap = 14;

 public:
  Picture(const explain::Access &access, bool for_page)
      : access_(access), for_page_(for_page), y_(for_page ? 0 : 20) {
    title_ = for_xml(sample_title(access_));
    if (for_page) return;
    body_ =
        fmt::format("<text x=\"10\" y=\"{}\" font-size=\"13\" font-weight=\"bold\">{}</text>\n", y_, title_);
    width_ = 20 + static_cast<int>(title_.size()) * 7;
  }

  std::string render() {
    if (access_.sample->space == ptx::Space::global)
      draw_sectors();
    else
      draw_banks();
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n<title>{2}</title>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{3}</svg>\n",
        width_, y_ + 10, title_, body_);
  }

 private:
  void text(int x, int y, std::string_view words, std::string_view anchor = "middle") {
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, words);
  }
  void cell(int x, int y, const explain::Lanes &lanes) {
    const std::string all = lane_list(lanes);
    body_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#888\" "
        "stroke-width=\"0.5\"><title>{}</title></rect>\n",
        x, y, cell_width, cell_height, color(lanes),
        lanes.empty() ? "no lane" : fmt::format("lane{} {}", lanes.size() > 1 ? "s" : "", all));
    if (!lanes.empty())
      text(x + cell_width / 2, y + 14, all.size() <= 4 ? all : fmt::format("{}x", lanes.size()));
  }
  /// One line below what there is.
  void say(const std::string &words) {
    y_ += 18;
    text(10, y_, words, "start");
    width_ = std::max(width_, 20 + static_cast<int>(words.size()) * 6);
  }

  /// Down one column after the other, so that a picture of 32 sectors is low enough for paper.
  void draw_sectors() {
    const std::vector<explain::SectorRow> sectors = explain::sectors_of(*access_.sample);
    say("Each row is a sector of 32 bytes, each cell a word of it with the lanes that want it.");
    say("Left of it: where the sector begins, in bytes into " +
        (access_.key.buffer.empty() ? std::string("the buffer") : for_xml(access_.key.buffer)));
    const std::size_t across =
        std::clamp<std::size_t>((sectors.size() + sectors_high - 1) / sectors_high, 1, most_sectors_across);
    const std::size_t high = (sectors.size() + across - 1) / across;
    constexpr int column = sector_left + 8 * cell_width + gap;
    y_ += 12;
    for (std::size_t i = 0; i < sectors.size(); ++i) {
      const int x = static_cast<int>(i / high) * column + sector_left,
                y = y_ + static_cast<int>(i % high) * cell_height;
      text(x - 6, y + 14, std::to_string(sectors[i].offset), "end");
      for (std::size_t w = 0; w < 8; ++w) cell(x + static_cast<int>(w) * cell_width, y, sectors[i].words[w]);
    }
    y_ += static_cast<int>(high) * cell_height;
    width_ = std::max(width_, static_cast<int>(across) * column);
  }

  void draw_banks() {
    say("Each column is a bank, each row a wavefront: a bank serves one word at a time.");
    y_ += 22;
    text(bank_left - 8, y_ - 6, "bank", "end");
    for (int bank = 0; bank < 32; ++bank)
      text(bank_left + bank * cell_width + cell_width / 2, y_ - 6, std::to_string(bank));
    std::size_t all = 0, wavefront = 0;
    const std::size_t most = for_page_ ? most_wavefronts : SIZE_MAX;
    const std::vector<explain::BankPhase> phases = explain::banks_of(*access_.sample);
    for (const explain::BankPhase &phase : phases) all += phase.wavefronts();
    for (const explain::BankPhase &phase : phases) {
      for (std::size_t turn = 0; turn < phase.wavefronts(); ++turn) {
        if (++wavefront > most) continue;
        text(bank_left - 8, y_ + 14, fmt::format("wavefront {}", wavefront), "end");
        for (int bank = 0; bank < 32; ++bank) {
          const auto &words = phase.banks[static_cast<std::size_t>(bank)];
          cell(bank_left + bank * cell_width, y_, turn < words.size() ? words[turn].lanes : explain::Lanes{});
        }
        y_ += cell_height;
      }
      if (wavefront < most) y_ += 4;
    }
    if (all > most) say(fmt::format("and {} more wavefronts", all - most));
    width_ = std::max(width_, bank_left + 32 * cell_width + 10);
  }

  const explain::Access &access_;
  bool for_page_;
  std::string title_, body_;
  int width_ = 0, y_;
};

}  // namespace

std::string lanes_to_svg(const explain::Access &access, bool for_page) {
  return Picture(access, for_page).render();
}

}  // namespace warpgrade::report
