#include "runtime/journal/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/json_fields.hpp"
#include "runtime/journal/json.hpp"

namespace warpgrade::cuda {
namespace {

using json::Json;

std::string line(const Json &object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

simt::Severity severity_named(const std::string &name) {
  for (const simt::Severity one : {simt::Severity::info, simt::Severity::warning})
    if (simt::name_of(one) == name) return one;
  return simt::Severity::error;
}

simt::Side side_of(const Json &from) {
  const auto dim = [](const Json &three) {
    return simt::Dim3{json::read<std::uint32_t>(three.at(0)), json::read<std::uint32_t>(three.at(1)),
                      json::read<std::uint32_t>(three.at(2))};
  };
  simt::Side side;
  side.thread = dim(from.at("thread"));
  side.block = dim(from.at("block"));
  side.at = {from.at("file").get<std::string>(), json::read<int>(from.at("line"))};
  return side;
}

Json json_of(const simt::Side &side) {
  return {{"file", side.at.file},
          {"line", side.at.line},
          {"thread", {side.thread.x, side.thread.y, side.thread.z}},
          {"block", {side.block.x, side.block.y, side.block.z}}};
}

Finding finding_of(const Json &from) {
  Finding f;
  f.code = from.at("code").get<std::string>();
  f.severity = severity_named(from.at("severity").get<std::string>());
  f.message = from.at("message").get<std::string>();
  f.call = from.value("call", "");
  f.kernel = from.value("kernel", "");
  f.buffer = from.value("buffer", "");
  f.distance_bytes =
      from.contains("distance_bytes") ? json::read<std::int64_t>(from.at("distance_bytes")) : 0;
  f.hint = from.value("hint", "");
  f.count = json::read<std::uint64_t>(from.at("count"));
  f.launches = json::read<std::uint64_t>(from.at("launches"));
  if (from.contains("here")) f.here = side_of(from.at("here"));
  if (from.contains("other")) f.other = side_of(from.at("other"));
  return f;
}

links::Operation operation_of(const Json &from) {
  links::Operation one;
  one.device = json::read<int>(from.at("device"));
  one.kernel = from.at("kernel").get<bool>();
  one.what = from.at("what").get<std::string>();
  one.stream = from.at("stream").get<std::string>();
  one.warp_instructions = json::read<std::uint64_t>(from.at("warp_instructions"));
  one.device_bytes = json::read<std::uint64_t>(from.at("device_bytes"));
  for (const Json &before : from.at("after")) one.after.push_back(json::read<std::size_t>(before));
  for (const Json &t : from.at("transfers"))
    one.transfers.push_back({json::read<int>(t.at("from")),
                             json::read<int>(t.at("to")),
                             json::read<std::uint64_t>(t.at("bytes")),
                             json::read<std::uint64_t>(t.at("messages")),
                             {t.value("file", ""), t.contains("line") ? json::read<int>(t.at("line")) : 0}});
  if (from.contains("callers"))
    for (const Json &caller : from.at("callers"))
      one.callers.push_back({caller.at(0).get<std::string>(), json::read<std::uint64_t>(caller.at(1))});
  return one;
}

/// Takes one line into the journal.
void take(Journal &journal, const Json &from) {
  if (journal.complete) return;  // two threads that a signal ended have each saved all
  const std::string kind = from.at("is").get<std::string>();
  if (kind == "start") {
    journal.process = json::read<long>(from.at("process"));
  } else if (kind == "finding") {
    if (json::read<std::size_t>(from.at("index")) == journal.findings.size())
      journal.findings.push_back(finding_of(from));
  } else if (kind == "repetition") {
    Finding &again = journal.findings.at(json::read<std::size_t>(from.at("index")));
    again.count = json::read<std::uint64_t>(from.at("count"));
    again.launches = json::read<std::uint64_t>(from.at("launches"));
  } else if (kind == "kernel") {
    journal.kernels.push_back(totals_of(from));
  } else if (kind == "operation") {
    journal.operations.push_back(operation_of(from));
  } else if (kind == "end") {
    journal.launches = json::read<std::uint64_t>(from.at("launches"));
    journal.timed = from.at("timed").get<bool>();
    journal.finished = from.at("finished").get<bool>();
    journal.complete = true;
  }
}

}  // namespace

Json json_of(const Finding &f) {
  Json to = {{"code", f.code},
             {"severity", simt::name_of(f.severity)},
             {"message", f.message},
             {"count", f.count},
             {"launches", f.launches}};
  if (!f.call.empty()) to["call"] = f.call;
  if (!f.kernel.empty()) to["kernel"] = f.kernel;
  if (!f.buffer.empty()) to["buffer"] = f.buffer;
  if (f.distance_bytes != 0) to["distance_bytes"] = f.distance_bytes;
  if (!f.hint.empty()) to["hint"] = f.hint;
  if (f.here) to["here"] = json_of(*f.here);
  if (f.other) to["other"] = json_of(*f.other);
  return to;
}

std::string to_json(const Options &o) {
  return Json{{"folder", o.folder},
              {"seed", o.seed},
              {"threads", o.threads},
              {"schedules", o.schedules},
              {"stop_at_first", o.stop_at_first},
              {"check_races", o.check_races},
              {"check_initialized", o.check_initialized},
              {"instruction_budget", o.instruction_budget},
              {"record", o.record},
              {"gpu", o.gpu},
              {"capability", o.capability},
              {"multiprocessors", o.multiprocessors},
              {"clock_khz", o.clock_khz},
              {"devices", o.devices},
              {"traffic", o.traffic}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Options options_from(const std::string &text) {
  Options o;
  const Json from = Json::parse(text, nullptr, false);
  if (!from.is_object()) return o;
  try {
    Options read;
    read.folder = from.value("folder", o.folder);
    read.seed = from.value("seed", o.seed);
    read.threads = from.value("threads", o.threads);
    read.schedules = from.value("schedules", o.schedules);
    read.stop_at_first = from.value("stop_at_first", o.stop_at_first);
    read.check_races = from.value("check_races", o.check_races);
    read.check_initialized = from.value("check_initialized", o.check_initialized);
    read.instruction_budget = from.value("instruction_budget", o.instruction_budget);
    read.record = from.value("record", o.record);
    read.gpu = from.value("gpu", o.gpu);
    read.capability = from.value("capability", o.capability);
    read.multiprocessors = from.value("multiprocessors", o.multiprocessors);
    read.clock_khz = from.value("clock_khz", o.clock_khz);
    read.traffic = from.value("traffic", o.traffic);
    read.devices = std::clamp(from.value("devices", o.devices), 1, 16);
    return read;
  } catch (const Json::exception &) {
    return o;
  }
}

std::string line_of_start(long process) {
  return line({{"is", "start"}, {"process", process}});
}

std::string line_of(std::size_t index, const Finding &f) {
  Json to = json_of(f);
  to["is"] = "finding";
  to["index"] = index;
  return line(to);
}

std::string line_of_repetition(std::size_t index, const Finding &f) {
  return line({{"is", "repetition"}, {"index", index}, {"count", f.count}, {"launches", f.launches}});
}

std::string line_of(const KernelTotals &totals) {
  Json to = json_of(totals);
  to["is"] = "kernel";
  return line(to);
}

std::string line_of(const links::Operation &one) {
  Json to = {{"is", "operation"},
             {"device", one.device},
             {"kernel", one.kernel},
             {"what", one.what},
             {"stream", one.stream},
             {"warp_instructions", one.warp_instructions},
             {"device_bytes", one.device_bytes},
             {"after", one.after},
             {"transfers", Json::array()}};
  for (const links::Transfer &t : one.transfers) {
    Json transfer = {{"from", t.from}, {"to", t.to}, {"bytes", t.bytes}, {"messages", t.messages}};
    if (t.at.line > 0) transfer["file"] = t.at.file, transfer["line"] = t.at.line;
    to["transfers"].push_back(std::move(transfer));
  }
  for (const links::CodePlace &caller : one.callers) to["callers"].push_back({caller.file, caller.at});
  return line(to);
}

std::string line_of_end(const Journal &j) {
  return line({{"is", "end"}, {"launches", j.launches}, {"timed", j.timed}, {"finished", j.finished}});
}

Journal read_journal(std::istream &in) {
  Journal journal;
  for (std::string text; std::getline(in, text);) {
    const Json from = Json::parse(text, nullptr, false);
    if (!from.is_object()) break;
    try {
      take(journal, from);
    } catch (const std::exception &) {
      break;
    }
  }
  return journal;
}

Journal read_journal(const std::filesystem::path &file) {
  std::ifstream in(file);
  return read_journal(in);
}

std::vector<Journal> read_journals(const std::filesystem::path &folder) {
  std::vector<Journal> all;
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().filename().string().starts_with("journal.")) all.push_back(read_journal(entry.path()));
  std::sort(all.begin(), all.end(), [](const Journal &a, const Journal &b) { return a.process < b.process; });
  return all;
}

namespace {

std::string text_of(const simt::Side &side) {
  return fmt::format("thread ({},{},{}) of block ({},{},{})", side.thread.x, side.thread.y, side.thread.z,
                     side.block.x, side.block.y, side.block.z);
}

std::string times(std::uint64_t count, std::uint64_t launches) {
  if (count <= 1) return "";
  return launches > 1 ? fmt::format(" ({} times, in {} launches)", count, launches)
                      : fmt::format(" ({} times)", count);
}

}  // namespace

std::string to_text(const Finding &f) {
  std::string text;
  if (f.here && f.here->at.line > 0) text += fmt::format("{}:{}: ", f.here->at.file, f.here->at.line);
  text += fmt::format("{}: ", simt::name_of(f.severity));
  if (!f.call.empty()) text += f.call + ": ";
  text += f.message;
  if (f.here) text += fmt::format(", {}", text_of(*f.here));
  if (!f.kernel.empty()) text += fmt::format("{}{}", f.here ? " of " : ", launching ", f.kernel);
  if (f.other) {
    text += fmt::format("; the other is {}", text_of(*f.other));
    if (f.other->at.line > 0) text += fmt::format(" at {}:{}", f.other->at.file, f.other->at.line);
  }
  text += times(f.count, f.call.empty() ? f.launches : 1);
  if (!f.hint.empty()) text += "\n  " + f.hint;
  return text;
}

}  // namespace warpgrade::cuda
