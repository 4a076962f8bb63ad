// Writes questions with every sign that means something to a platform, in all formats: question_samples DIR
#include <filesystem>
#include <fstream>
#include <iostream>

#include "viva/sheets.hpp"

namespace {

using warpgrade::quiz::Question;
using warpgrade::viva::Asked;
using warpgrade::viva::Sheet;

Question about_line() {
  Question q;
  q.kind = "sectors_of_request", q.topic = "coalescing", q.difficulty = 2;
  q.file = "step2_shared.cu", q.line = 41;
  q.code =
      R"(if (row < M && col <= N) { s += t[k][x] ~ #y; printf("a:\t%d\n", a = b ? c : d->e); } // "50%")";
  q.text =
      "At 64^3: which element, {A}, does lane 5 load in line 41?\n\nAssume ~k = 3; #define it: \\n is no "
      "line.";
  q.why = "#### {Its} offset = 128: so ~32 & <no> more \\:";
  q.choices = {"A[3, 4]", "[plain] {B}", "%50% of a = b", "<b>C</b> -> D & ~E # F"};
  q.answer = 1;
  q.mistakes = {"row = column: exchanged", "", "%100%", "[html]<i>a & b</i>"};
  return q;
}

Question about_kernel(std::size_t answer) {
  Question q;
  q.kind = "blocks_launched", q.topic = "launch";
  q.text = "How many blocks does your launcher start? µ → 漢字 ]]> <!-- -->";
  q.why = "The grid is 4 x 4 x 1.";
  q.choices = {"16", "4", "1,024", "-> 8"};
  q.answer = answer;
  q.mistakes = {"a", "b", "c", "d"};
  q.mistakes[answer].clear();
  return q;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: question_samples DIR\n";
    return 2;
  }
  using namespace warpgrade::viva;
  const std::string title = "hw6: C = A/B & <D> {autumn}";
  const std::vector<Sheet> sheets = {
      {"20261234", "", {{"step2", about_line()}, {"step1", about_kernel(0)}, {"step2", about_kernel(3)}}, ""},
      {"nobody", "", {}, "nothing was handed in"},
      {"a&b <c>=d:e/f", "", {{"step1", about_kernel(2)}, {"step2", about_line()}}, ""}};
  bool good = true;
  const auto write = [&](const std::string &name, const std::string &text) {
    std::ofstream file(std::filesystem::path(argv[1]) / name, std::ios::binary);
    file << text;
    good = static_cast<bool>(file.flush()) && good;
  };
  write("title", title);
  write("viva.json", to_json("hw6", "", 3, sheets));
  write("questions.gift", to_gift(title, sheets));
  write("questions.moodle.xml", to_moodle_xml(title, sheets));
  write("questions.qti.zip", to_qti(title, sheets));
  if (!good) std::cerr << "question_samples: cannot write to " << argv[1] << "\n";
  return good ? 0 : 1;
}
