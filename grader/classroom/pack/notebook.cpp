#include "pack/notebook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

namespace warpgrade::pack {

namespace {

using NotebookJson = nlohmann::ordered_json;

constexpr std::string_view introduction = R"(# {title}

Write your code in the cells that begin with `%%writefile`, then run the cell below each. The cells replace the files of the
same names, so do not edit these files elsewhere at the same time. The handout explains the steps.

**In Jupyter**, open this notebook in the folder of the kit. **In Colab**, open it and run the next cell: it asks for
`{name}.tar.gz`. Choose *Runtime > Change runtime type > T4 GPU* to measure times; without a GPU, a simulator runs your code.)";

constexpr std::string_view begin_here = R"(import pathlib, tarfile

if not pathlib.Path("grade").exists():  # not in the folder of the kit
    if not pathlib.Path("{name}.tar.gz").exists():
        from google.colab import files
        files.upload()
    tarfile.open("{name}.tar.gz").extractall()
    %cd {name}
!./grade doctor)";

constexpr std::string_view show_report = R"(import html, pathlib
from IPython.display import HTML

!./grade --quiet --html report.html
page = html.escape(pathlib.Path("report.html").read_text(encoding="utf-8"))
HTML(f'<iframe title="The report" srcdoc="{page}" style="width: 100%; height: 45em; border: 0"></iframe>'))";

/// A template with {name} and {title} filled in; other braces are Python's.
std::string filled(std::string_view text, const course::Assignment &a) {
  std::string out(text);
  for (const auto &[mark, value] : {std::pair{"{name}", &a.name}, {"{title}", &a.title}})
    for (std::size_t at = 0; (at = out.find(mark, at)) != std::string::npos; at += value->size())
      out.replace(at, std::string_view(mark).size(), *value);
  return out;
}

/// The lines of a cell, each with its end but the last, as the format wants them.
NotebookJson lines(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  NotebookJson list = NotebookJson::array();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    list.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return list;
}

class Cells {
 public:
  void prose(const std::string &text) { add("markdown", text); }
  void code(const std::string &text) {
    NotebookJson &cell = add("code", text);
    cell["execution_count"] = nullptr;
    cell["outputs"] = NotebookJson::array();
  }
  NotebookJson cells = NotebookJson::array();

 private:
  NotebookJson &add(const char *type, const std::string &text) {
    cells.push_back({{"cell_type", type},
                     {"id", fmt::format("cell-{}", cells.size())},
                     {"metadata", NotebookJson::object()},
                     {"source", lines(text)}});
    return cells.back();
  }
};

}  // namespace

std::string make_notebook(const course::Assignment &a,
                          const std::function<std::string(const std::string &file)> &starter) {
  Cells c;
  c.prose(filled(introduction, a));
  c.code(filled(begin_here, a));
  std::set<std::string> written;
  for (const course::Step &step : a.steps) {
    if (step.beyond) continue;
    c.prose(fmt::format("## {}: {}{}", step.id, step.title, step.extra_credit ? " (extra credit)" : ""));
    for (const std::string &file : step.files())
      if (written.insert(file).second) c.code(fmt::format("%%writefile {}\n{}", file, starter(file)));
    c.code(fmt::format("!./grade {}", step.id));
  }
  c.prose(
      "## The report\n\nAll steps, with charts and your source line by line. `./grade explain STEP` says in "
      "a cell which lines are slow, and why.");
  c.code(std::string(show_report));
  c.prose("## Handing in\n\nReplace `STUDENTID`. The archive is beside the notebook; in Colab, download it.");
  c.code("!./grade package STUDENTID");
  const NotebookJson notebook = {
      {"cells", c.cells},
      {"metadata",
       {{"colab", {{"provenance", NotebookJson::array()}}},
        {"kernelspec", {{"display_name", "Python 3"}, {"language", "python"}, {"name", "python3"}}},
        {"language_info", {{"name", "python"}}}}},
      {"nbformat", 4},
      {"nbformat_minor", 5}};
  return notebook.dump(1, ' ', false, NotebookJson::error_handler_t::replace) + "\n";
}

}  // namespace warpgrade::pack
