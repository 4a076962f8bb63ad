// Counters as JSON and back; what is zero is left out.
#include "cudart/json.hpp"

namespace warpgrade::cudart {
namespace {

using nlohmann::json;

/// One list of names for both directions: calls field(name, value) for each counter.
template <class Traffic, class Field>
void each_global(Traffic &t, const Field &field) {
  field("requests", t.requests);
  field("sectors", t.sectors);
  field("bytes", t.bytes);
  field("used_bytes", t.used_bytes);
  field("ideal_sectors", t.ideal_sectors);
}

template <class Traffic, class Field>
void each_shared(Traffic &t, const Field &field) {
  field("requests", t.requests);
  field("wavefronts", t.wavefronts);
  field("conflicts", t.conflicts);
  field("bytes", t.bytes);
  field("compiled_requests", t.compiled_requests);
  field("compiled_wavefronts", t.compiled_wavefronts);
  field("compiled_conflicts", t.compiled_conflicts);
}

template <class Traffic, class Field>
void each_local(Traffic &t, const Field &field) {
  field("requests", t.requests);
  field("bytes", t.bytes);
}

template <class Line, class Field>
void each_plain(Line &l, const Field &field) {
  field("atomic_requests", l.atomic_requests);
  field("local_accesses", l.local_accesses);
  field("fp32_fma", l.fp32_fma);
  field("fp32_add", l.fp32_add);
  field("fp32_mul", l.fp32_mul);
  field("fp64_fma", l.fp64_fma);
  field("fp64_add", l.fp64_add);
  field("fp64_mul", l.fp64_mul);
  field("warp_instructions", l.warp_instructions);
  field("thread_instructions", l.thread_instructions);
}

/// Calls group(name, traffic, visitor of its counters).
template <class Line, class Group>
void each_group(Line &l, const Group &group) {
  const auto global = [](auto &t, const auto &field) { each_global(t, field); };
  const auto shared = [](auto &t, const auto &field) { each_shared(t, field); };
  const auto local = [](auto &t, const auto &field) { each_local(t, field); };
  group("global_load", l.global_load, global);
  group("global_store", l.global_store, global);
  group("shared_load", l.shared_load, shared);
  group("shared_store", l.shared_store, shared);
  group("local_load", l.local_load, local);
  group("local_store", l.local_store, local);
}

json json_of(const simt::LineCounters &l) {
  json to = json::object();
  const auto into = [](json &object) {
    return [&object](const char *name, std::uint64_t value) {
      if (value != 0) object[name] = value;
    };
  };
  each_plain(l, into(to));
  each_group(l, [&](const char *name, const auto &traffic, const auto &visit) {
    json group = json::object();
    visit(traffic, into(group));
    if (!group.empty()) to[name] = group;
  });
  for (std::size_t i = 0; i < simt::instruction_classes; ++i)
    if (l.by_class[i] != 0)
      to["by_class"][simt::name_of(static_cast<simt::InstructionClass>(i))] = l.by_class[i];
  return to;
}

void read_line(const json &from, simt::LineCounters &l) {
  const auto out_of = [](const json &object) {
    return
        [&object](const char *name, std::uint64_t &value) { value = object.value(name, std::uint64_t{0}); };
  };
  each_plain(l, out_of(from));
  each_group(l, [&](const char *name, auto &traffic, const auto &visit) {
    if (const auto group = from.find(name); group != from.end()) visit(traffic, out_of(*group));
  });
  if (const auto classes = from.find("by_class"); classes != from.end())
    for (std::size_t i = 0; i < simt::instruction_classes; ++i)
      l.by_class[i] = classes->value(std::string(simt::name_of(static_cast<simt::InstructionClass>(i))),
                                     std::uint64_t{0});
}

}  // namespace

json json_of(const KernelTotals &totals) {
  const simt::Counters &c = totals.counters;
  json to = json_of(static_cast<const simt::LineCounters &>(c));
  to["kernel"] = totals.kernel;
  to["launches"] = totals.launches;
  to["threads"] = totals.threads;
  to["barriers"] = c.barriers;
  to["unique_sectors"] = {{"loaded", c.unique_sectors.loaded},
                          {"stored", c.unique_sectors.stored},
                          {"touched", c.unique_sectors.touched}};
  to["lines"] = json::array();
  for (const auto &[at, counters] : c.lines) {
    json one = json_of(counters);
    one["file"] = at.file;
    one["line"] = at.line;
    to["lines"].push_back(one);
  }
  return to;
}

KernelTotals totals_of(const json &from) {
  KernelTotals totals;
  totals.kernel = from.at("kernel").get<std::string>();
  totals.launches = from.at("launches").get<std::uint64_t>();
  totals.threads = from.at("threads").get<std::uint64_t>();
  simt::Counters &c = totals.counters;
  read_line(from, c);
  c.barriers = from.at("barriers").get<std::uint64_t>();
  const json &unique = from.at("unique_sectors");
  c.unique_sectors = {unique.at("loaded").get<std::uint64_t>(), unique.at("stored").get<std::uint64_t>(),
                      unique.at("touched").get<std::uint64_t>()};
  for (const json &one : from.at("lines"))
    read_line(one, c.lines[{one.at("file").get<std::string>(), one.at("line").get<int>()}]);
  return totals;
}

}  // namespace warpgrade::cudart
