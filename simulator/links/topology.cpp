#include "links/topology.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>

#include "base/files.hpp"
#include "links/known.hpp"

namespace warpgrade::links {
namespace {

constexpr const char *each_device = "device", *host_name = "host";
constexpr std::size_t most_links = 4096;

/// A file that is read, for messages.
struct Reader {
  std::string file;
  int devices;

  [[noreturn]] void fail(const YAML::Node &at, const std::string &what) const {
    throw TopologyError(fmt::format("{}:{}: {}", file, at.Mark().line + 1, what));
  }
  std::string text(const YAML::Node &map, const char *key) const {
    const YAML::Node value = map[key];
    if (!value || !value.IsScalar() || value.Scalar().empty())
      fail(map, fmt::format("`{}` is missing: a text", key));
    return value.Scalar();
  }
  double figure(const YAML::Node &map, const char *key, bool may_be_zero = false) const {
    const YAML::Node value = map[key];
    double number = 0;
    const bool read = value && YAML::convert<double>::decode(value, number);
    if (!read || number < 0 || (number == 0 && !may_be_zero) || !(number < 1e9))
      fail(value ? value : map,
           fmt::format("`{}` is a number {}", key, may_be_zero ? "of at least 0" : "above 0"));
    return number;
  }
  void check_keys(const YAML::Node &map, const std::vector<std::string> &keys, const char *where) const {
    if (!map.IsMap()) fail(map, fmt::format("{} has keys and values", where));
    for (const auto &one : map)
      if (std::find(keys.begin(), keys.end(), one.first.Scalar()) == keys.end())
        fail(one.first,
             fmt::format("{} has no `{}`; it has {}", where, one.first.Scalar(), fmt::join(keys, ", ")));
  }
  /// The places that one side of a link names. Devices that the program does not have are left out.
  std::vector<std::string> places(const YAML::Node &map, const char *key) const {
    const YAML::Node side = map[key];
    if (!side)
      fail(map, fmt::format("`{}` is missing: a device's number, device, host or the name of a switch", key));
    std::vector<std::string> all;
    const auto add = [&](const YAML::Node &one) {
      const std::string name = one.IsScalar() ? one.Scalar() : "";
      if (name.empty())
        fail(one, fmt::format("`{}` names places: a device's number, device, host or a switch", key));
      int number = 0;
      if (name == each_device)
        for (int i = 0; i < devices; ++i) all.push_back(std::to_string(i));
      else if (!YAML::convert<int>::decode(one, number))
        all.push_back(name);
      else if (number >= 0 && number < devices)
        all.push_back(std::to_string(number));
    };
    if (side.IsSequence())
      for (const YAML::Node &one : side) add(one);
    else
      add(side);
    return all;
  }
  void add_links(const YAML::Node &one, std::vector<Link> &to) const {
    check_keys(one, {"from", "to", "gb_per_s", "latency_us", "one_way"}, "a link");
    const double bandwidth = figure(one, "gb_per_s");
    const double latency = figure(one, "latency_us", true);
    bool one_way = false;
    if (one["one_way"] && !YAML::convert<bool>::decode(one["one_way"], one_way))
      fail(one["one_way"], "`one_way` is true or false");
    const auto add = [&](const std::string &a, const std::string &b) {
      const bool known =
          std::any_of(to.begin(), to.end(), [&](const Link &l) { return l.from == a && l.to == b; });
      if (a != b && !known) to.push_back({a, b, bandwidth, latency});
    };
    for (const std::string &a : places(one, "from"))
      for (const std::string &b : places(one, "to")) {
        add(a, b);
        if (!one_way) add(b, a);
        if (to.size() > most_links) fail(one, fmt::format("more than {} links", most_links));
      }
  }
};

std::string place_name(int place) {
  return place == host ? host_name : std::to_string(place);
}

bool passes_data_on(const std::string &place) {
  return place != host_name && place.find_first_not_of("0123456789") != std::string::npos;
}

}  // namespace

std::vector<std::size_t> Topology::route(int from, int to) const {
  struct Way {
    std::vector<std::size_t> links;
    double width = std::numeric_limits<double>::infinity();
  };
  if (from == to) return {};
  std::map<std::string, Way> best{{place_name(from), {}}};
  std::deque<std::string> open{place_name(from)};
  const std::string goal = place_name(to);
  while (!open.empty()) {
    const std::string here = open.front();
    open.pop_front();
    if (here != place_name(from) && !passes_data_on(here)) continue;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i].from != here) continue;
      Way way = best[here];
      way.links.push_back(i);
      way.width = std::min(way.width, links[i].gb_per_s);
      const auto known = best.find(links[i].to);
      const bool better = known == best.end() || way.links.size() < known->second.links.size() ||
                          (way.links.size() == known->second.links.size() && way.width > known->second.width);
      if (!better) continue;
      best[links[i].to] = std::move(way);
      open.push_back(links[i].to);
    }
  }
  const auto found = best.find(goal);
  return found == best.end() ? std::vector<std::size_t>{} : found->second.links;
}

std::vector<std::string> known_topologies() {
  std::vector<std::string> names;
  for (const auto &[name, text] : known_texts()) names.push_back(name);
  return names;
}

Topology parse_topology(const std::string &text, const std::string &file, int devices) {
  const Reader reader{file, devices};
  YAML::Node all;
  try {
    all = YAML::Load(text);
  } catch (const YAML::Exception &e) {
    throw TopologyError(fmt::format("{}:{}: no valid YAML: {}", file, e.mark.line + 1, e.msg));
  }
  if (!all.IsMap())
    throw TopologyError(fmt::format("{}:1: name, source, device and links are expected", file));
  reader.check_keys(all, {"name", "source", "device", "links"}, "a topology");
  Topology made;
  made.id = file;
  made.devices = devices;
  made.name = reader.text(all, "name");
  made.source = reader.text(all, "source");
  const YAML::Node device = all["device"], links = all["links"];
  if (!device || !device.IsMap()) reader.fail(all, "`device` is missing: the figures of one");
  reader.check_keys(device, {"memory_gb_per_s", "warp_instructions_per_ns", "launch_us"}, "`device`");
  made.memory_gb_per_s = reader.figure(device, "memory_gb_per_s");
  made.warp_instructions_per_ns = reader.figure(device, "warp_instructions_per_ns");
  made.launch_us = reader.figure(device, "launch_us", true);
  if (!links || !links.IsSequence()) reader.fail(all, "`links` is missing: a list");
  for (const YAML::Node &one : links) reader.add_links(one, made.links);
  for (int a = host; a < devices; ++a)
    for (int b = host; b < devices; ++b)
      if (a != b && made.route(a, b).empty())
        throw TopologyError(fmt::format("{}: no way leads from {} to {}; data passes through switches only",
                                        file, a == host ? "the host" : fmt::format("device {}", a),
                                        b == host ? "the host" : fmt::format("device {}", b)));
  return made;
}

Topology read_topology(const std::string &id_or_file, int devices) {
  for (const auto &[name, text] : known_texts())
    if (name == id_or_file) return parse_topology(text, name, devices);
  if (!std::filesystem::exists(id_or_file))
    throw TopologyError(
        fmt::format("{} is neither a file nor one of {}", id_or_file, fmt::join(known_topologies(), ", ")));
  return parse_topology(read_whole(id_or_file), id_or_file, devices);
}

}  // namespace warpgrade::links
