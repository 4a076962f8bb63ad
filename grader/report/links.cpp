#include "report/links.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "links/report.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

std::string direction_of(int from, int to) {
  return fmt::format("{} -> {}", links::name_of_place(from), links::name_of_place(to));
}

}  // namespace

std::vector<std::string> link_sentences(const run::LinkCounts &c) {
  std::vector<std::string> all;
  if (c.busiest.empty())
    all.push_back(fmt::format("Links ({}): nothing moves between devices.", c.topology));
  else
    all.push_back(fmt::format("Links ({}): the busiest between devices is {}, with {} bytes.", c.topology,
                              c.busiest, c.busiest_bytes));
  std::string predicted = fmt::format("Predicted: {} us", figure(c.total_us));
  if (c.communication_us > 0)
    predicted +=
        fmt::format("; for {} us, data is on its way between devices, {:.0f} % of that beside kernels",
                    figure(c.communication_us), 100 * c.overlapped_us / c.communication_us);
  all.push_back(predicted + ".");
  std::string idle;
  for (std::size_t d = 0; d < c.idle.size(); ++d)
    idle += fmt::format("{}{} {:.0f} %", d == 0 ? "" : ", ", d, 100 * c.idle[d]);
  if (!idle.empty()) all.push_back(fmt::format("Idle share of each device: {}.", idle));
  return all;
}

std::vector<LinkRow> link_rows(const run::LinkCounts &c, std::size_t most) {
  std::vector<LinkRow> rows;
  for (const run::LinkCounts::Line &l : c.lines) {
    if (rows.size() == most) break;
    rows.push_back({l.line > 0 ? fmt::format("{}:{}", l.file, l.line) : "", l.what,
                    direction_of(l.from, l.to), fmt::format("{}", l.bytes), fmt::format("{}", l.messages),
                    l.alone_us > 0 ? figure(l.alone_us) + " us" : ""});
  }
  return rows;
}

Json links_to_json(const run::LinkCounts &c) {
  Json j = {{"topology", c.topology},
            {"busiest", c.busiest.empty() ? Json(nullptr) : Json(c.busiest)},
            {"busiest_bytes", c.busiest_bytes},
            {"directions", Json::array()},
            {"predicted",
             {{"total_us", number(c.total_us)},
              {"communication_us", number(c.communication_us)},
              {"overlapped_us", number(c.overlapped_us)}}},
            {"idle", Json::array()},
            {"lines", Json::array()}};
  for (const double share : c.idle) j["idle"].push_back(number(share));
  for (const run::LinkCounts::Direction &d : c.directions)
    j["directions"].push_back({{"from", links::name_of_place(d.from)},
                               {"to", links::name_of_place(d.to)},
                               {"bytes", d.bytes},
                               {"messages", d.messages}});
  for (const run::LinkCounts::Line &l : c.lines)
    j["lines"].push_back({{"file", for_json(l.file)},
                          {"line", l.line > 0 ? Json(l.line) : Json(nullptr)},
                          {"what", for_json(l.what)},
                          {"from", links::name_of_place(l.from)},
                          {"to", links::name_of_place(l.to)},
                          {"bytes", l.bytes},
                          {"messages", l.messages},
                          {"bytes_on_busiest", l.busiest_bytes},
                          {"alone_us", number(l.alone_us)}});
  return j;
}

}  // namespace warpgrade::report
