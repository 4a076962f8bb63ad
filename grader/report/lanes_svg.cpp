#include <fmt/format.h>

#include "explain/lanes.hpp"
#include "report/explain.hpp"
#include "report/lanes.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr int cell_width = 30, cell_height = 20, left = 110, top = 64;

/// Neighbouring lanes in neighbouring colours, light enough for black text.
std::string color(const explain::Lanes &lanes) {
  if (lanes.empty()) return "#f4f4f4";
  const int hue = lanes.size() > 1 ? 0 : lanes.front() * 340 / 32;
  return lanes.size() > 1 ? "#dddddd" : fmt::format("hsl({}, 70%, 78%)", hue);
}

class Picture {
 public:
  explicit Picture(const explain::Access &access) : access_(access) {}

  std::string render() {
    if (access_.sample->space == ptx::Space::global)
      draw_sectors();
    else
      draw_banks();
    const std::string title = for_xml(sample_title(access_));
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n<title>{2}</title>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        "<text x=\"10\" y=\"20\" font-size=\"13\" font-weight=\"bold\">{2}</text>\n{3}</svg>\n",
        std::max(left + columns_ * cell_width + 10, 20 + static_cast<int>(title.size()) * 7), y_ + 14, title,
        body_);
  }

 private:
  void text(int x, int y, std::string_view words, std::string_view anchor = "middle") {
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, words);
  }
  void cell(int column, int y, const explain::Lanes &lanes) {
    const int x = left + column * cell_width;
    const std::string all = lane_list(lanes);
    body_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#888\" "
        "stroke-width=\"0.5\"><title>{}</title></rect>\n",
        x, y, cell_width, cell_height, color(lanes),
        lanes.empty() ? "no lane" : fmt::format("lane{} {}", lanes.size() > 1 ? "s" : "", all));
    if (!lanes.empty())
      text(x + cell_width / 2, y + 14, all.size() <= 5 ? all : fmt::format("{}x", lanes.size()));
  }
  void header(int columns, std::string_view what) {
    columns_ = columns;
    text(left - 8, top - 8, what, "end");
    for (int c = 0; c < columns; ++c)
      text(left + c * cell_width + cell_width / 2, top - 8, std::to_string(c));
    y_ = top;
  }

  void draw_sectors() {
    text(10, 40, "Each row is a sector of 32 bytes, each cell a word of it with the lanes that want it.",
         "start");
    header(8, "bytes into " + (access_.key.buffer.empty() ? std::string("it") : for_xml(access_.key.buffer)));
    for (const explain::SectorRow &row : explain::sectors_of(*access_.sample)) {
      text(left - 8, y_ + 14, std::to_string(row.offset), "end");
      for (int c = 0; c < 8; ++c) cell(c, y_, row.words[static_cast<std::size_t>(c)]);
      y_ += cell_height;
    }
  }

  void draw_banks() {
    text(10, 40, "Each column is a bank, each row a wavefront: a bank serves one word at a time.", "start");
    header(32, "bank");
    int wavefront = 0;
    for (const explain::BankPhase &phase : explain::banks_of(*access_.sample)) {
      for (std::size_t turn = 0; turn < phase.wavefronts(); ++turn) {
        text(left - 8, y_ + 14, fmt::format("wavefront {}", ++wavefront), "end");
        for (int bank = 0; bank < 32; ++bank) {
          const auto &words = phase.banks[static_cast<std::size_t>(bank)];
          cell(bank, y_, turn < words.size() ? words[turn].lanes : explain::Lanes{});
        }
        y_ += cell_height;
      }
      y_ += 4;
    }
  }

  const explain::Access &access_;
  std::string body_;
  int columns_ = 8, y_ = top;
};

}  // namespace

std::string lanes_to_svg(const explain::Access &access) {
  return Picture(access).render();
}

}  // namespace warpgrade::report
