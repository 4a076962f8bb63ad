// A page of a service (service/pages) as data: headings, sentences, tables, forms and drawings. Every text is
// escaped here, so code that fills in a page cannot forget it. The page runs no script and requests nothing;
// its forms go to the server that sent it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpgrade::report {

struct PageCell {
  std::string text;       ///< untrusted
  std::string link = {};  ///< an address on the same server, already encoded; empty: none
  bool number = false;    ///< aligned to the right
};

struct PageTable {
  std::string caption;
  std::vector<PageCell> columns;            ///< `link` is not used
  std::vector<std::vector<PageCell>> rows;  ///< as many cells as columns; the first is the row's heading
  std::string when_empty;                   ///< a sentence instead of a table without rows
};

struct PageField {
  enum class Kind { text, password, number, file, area, choice, one_of, mark, hidden };  ///< mark: on or off
  Kind kind = Kind::text;
  std::string name, label, value;         ///< value: of a choice, the one that is chosen
  std::vector<std::string> choices = {};  ///< of a choice; of one_of, whose values are A, B, C and so on
  bool required = true;
  int rows = 3;           ///< of an area
  std::size_t most = 0;   ///< characters of an area; 0: no limit
  std::string code = {};  ///< of one_of: a line below the label, in a fixed-width font
};

struct PageForm {
  std::string action, button;  ///< where it is sent, always with POST
  std::vector<PageField> fields;
  std::string other_button = {};  ///< sends the same fields, and `what` with the value "other"; empty: none
};

struct PageSection {
  std::string heading;  ///< empty: none
  std::vector<std::string> sentences;
  std::optional<PageTable> table = {};
  std::string drawing = {};  ///< SVG of our own (plot_to_svg); empty: none
  std::string text = {};     ///< shown as it is, in a fixed-width font; empty: none
  std::vector<PageForm> forms = {};
  std::string anchor = {};  ///< by which an address names it; empty: none
};

struct ServicePage {
  std::string title;
  std::string person;  ///< who is logged in, with the role; empty: nobody
  std::vector<PageCell> menu;
  std::vector<std::string> announcements;
  std::string csrf;  ///< a hidden field of every form
  std::vector<PageSection> sections;
};

std::string to_html(const ServicePage &);

}  // namespace warpgrade::report
