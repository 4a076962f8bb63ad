#include "links/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

namespace warpgrade::links {
namespace {

constexpr std::size_t most_lines = 12;

std::string where(const Row &row) {
  return row.at.line > 0 ? fmt::format("{}:{}", row.at.file, row.at.line) : "";
}

}  // namespace

std::string name_of_place(int place) {
  return place == host ? "host" : fmt::format("{}", place);
}

std::vector<Row> rows_of(const std::vector<Operation> &operations) {
  std::map<std::tuple<std::string, int, std::string, int, int>, Row> rows;
  for (const Operation &one : operations)
    for (const Transfer &t : one.transfers) {
      Row &row = rows[{t.at.file, t.at.line, t.at.line > 0 ? "" : one.what, t.from, t.to}];
      row.at = t.at;
      if (row.what.empty()) row.what = one.what;
      row.from = t.from;
      row.to = t.to;
      row.load += {t.bytes, t.messages, 0};
    }
  std::vector<Row> all;
  for (auto &[key, row] : rows) all.push_back(std::move(row));
  std::stable_sort(all.begin(), all.end(),
                   [](const Row &a, const Row &b) { return a.load.bytes > b.load.bytes; });
  return all;
}

std::string report(const Topology &topology, const std::vector<Operation> &operations, const Schedule &s) {
  if (s.passages.empty()) return {};
  std::string text = fmt::format("\nlinks ({}: {})\n", topology.id, topology.name);
  text += fmt::format("  {:<24} {:>14} {:>10} {:>12}\n", "direction", "bytes", "messages", "busy us");
  for (const auto &[pair, load] : s.of_pair)
    text += fmt::format("  {:<24} {:>14} {:>10} {:>12.2f}\n",
                        fmt::format("{} -> {}", name_of_place(pair.first), name_of_place(pair.second)),
                        load.bytes, load.messages, load.busy_us);
  if (s.busiest >= 0) {
    const auto link = static_cast<std::size_t>(s.busiest);
    text += fmt::format("  busiest link between devices: {}, {} bytes\n", topology.links[link].name(),
                        s.busiest_bytes);
  }
  const std::vector<Row> rows = rows_of(operations);
  text += fmt::format("  {:<24} {:>14} {:>10}\n", "by line or call", "bytes", "messages");
  for (std::size_t i = 0; i < std::min(rows.size(), most_lines); ++i) {
    const Row &row = rows[i];
    text += fmt::format("  {:<24} {:>14} {:>10}  {} -> {}{}\n", row.at.line == 0 ? row.what : where(row),
                        row.load.bytes, row.load.messages, name_of_place(row.from), name_of_place(row.to),
                        row.at.line == 0 ? "" : ", " + row.what);
  }
  if (rows.size() > most_lines) text += fmt::format("  and {} more in --json\n", rows.size() - most_lines);
  text += fmt::format("  predicted: {:.2f} us", s.total_us);
  if (s.communication_us > 0)
    text += fmt::format(
        "; {:.2f} us of it with data on its way between devices, {:.0f} % of that while kernels compute",
        s.communication_us, 100 * s.overlap());
  return text + "\n";
}

nlohmann::json report_json(const Topology &topology, const std::vector<Operation> &operations,
                           const Schedule &s) {
  nlohmann::json to = {{"topology", topology.id},
                       {"name", topology.name},
                       {"source", topology.source},
                       {"devices", topology.devices},
                       {"links", nlohmann::json::array()},
                       {"pairs", nlohmann::json::array()},
                       {"lines", nlohmann::json::array()},
                       {"predicted",
                        {{"total_us", s.total_us},
                         {"communication_us", s.communication_us},
                         {"overlapped_us", s.overlapped_us},
                         {"overlap", s.overlap()},
                         {"idle", nlohmann::json::array()}}}};
  for (std::size_t device = 0; device < s.busy_us.size(); ++device)
    to["predicted"]["idle"].push_back(s.idle(device));
  const auto counted = [](nlohmann::json object, const Load &load) {
    object["bytes"] = load.bytes;
    object["messages"] = load.messages;
    return object;
  };
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const Link &link = topology.links[i];
    to["links"].push_back(
        counted({{"from", link.from}, {"to", link.to}, {"busy_us", s.of_link[i].busy_us}}, s.of_link[i]));
  }
  for (const auto &[pair, load] : s.of_pair)
    to["pairs"].push_back(
        counted({{"from", name_of_place(pair.first)}, {"to", name_of_place(pair.second)}}, load));
  for (const Row &row : rows_of(operations)) {
    nlohmann::json one = {
        {"what", row.what}, {"from", name_of_place(row.from)}, {"to", name_of_place(row.to)}};
    if (row.at.line > 0) one["at"] = where(row);
    to["lines"].push_back(counted(std::move(one), row.load));
  }
  if (s.busiest >= 0) {
    const auto link = static_cast<std::size_t>(s.busiest);
    to["busiest"] = {
        {"from", topology.links[link].from}, {"to", topology.links[link].to}, {"bytes", s.busiest_bytes}};
  }
  return to;
}

}  // namespace warpgrade::links
