// What is said of undefined values that are used; see undefined.hpp.
#include <fmt/format.h>

#include <functional>
#include <string>

#include "machine/block_run.hpp"
#include "machine/checks/undefined.hpp"
#include "machine/lanes.hpp"

namespace warpgrade::simt {
namespace {

/// Origins from here downwards are sources; those above are locations.
constexpr std::int32_t first_source = -2;

const char *words_of(Absence absence) {
  switch (absence) {
    case Absence::returned:
      return "has returned";
    case Absence::not_in_block:
      return "does not exist in this block";
    default:
      return "does not take part in the shuffle";
  }
}

const char *advice_on(Absence absence) {
  switch (absence) {
    case Absence::returned:
      return "return only whole warps, and let lanes that have nothing to add take part with a neutral value";
    case Absence::not_in_block:
      return "use blocks of whole warps, or read only from lanes that exist";
    default:
      return "every lane whose value is used must execute the shuffle, and the mask must name it";
  }
}

}  // namespace

std::int32_t Undefined::read_by(const Op &op, UnsetSource::Kind kind, std::uint32_t lane, std::uint32_t which,
                                Absence absence, const std::string *name) {
  const auto index = static_cast<std::uint64_t>(&op - run_.program.ops.data());
  const std::uint64_t key =
      index << 16 | std::uint64_t{context_.warp} << 8 | static_cast<std::uint64_t>(kind);
  const auto [at, fresh] =
      known_sources_.try_emplace(key, first_source - static_cast<std::int32_t>(sources_.size()));
  if (fresh) {
    UnsetSource made;
    made.kind = kind;
    made.location = location_of(op);
    if (op.accesses_memory) made.bytes = bytes_of(site_of(op, context_));
    sources_.push_back(std::move(made));
  }
  UnsetSource &one = sources_[static_cast<std::size_t>(first_source - at->second)];
  if (name && one.name != *name) one.name = *name;
  one.lanes |= 1u << lane;
  one.which[lane] = which;
  one.absence[lane] = absence;
  return at->second;
}

const UnsetSource *Undefined::source(std::int32_t origin) const {
  const auto index = static_cast<std::size_t>(std::int64_t{first_source} - origin);
  return origin <= first_source && index < sources_.size() ? &sources_[index] : nullptr;
}

std::int32_t Undefined::location_of(std::int32_t origin) const {
  const UnsetSource *const from = source(origin);
  return from ? from->location : origin;
}

Diagnostic Undefined::describe(Sink sink, std::int32_t origin, std::int32_t here, std::uint32_t lane) const {
  const char *const ends[] = {"the result is stored", "a condition depends on it",
                              "an address depends on it"};
  const char *const end = ends[static_cast<std::size_t>(sink)];
  const SourceLine first = run_.line_of(location_of(origin)), last = run_.line_of(here);
  const std::string where =
      first == last || last.line == 0 ? std::string() : fmt::format(" ({}:{})", last.file, last.line);
  const bool library = is_library_code(origin, here);
  const Severity severity = library ? Severity::info : Severity::error;
  const auto at = [&](std::uint32_t one) {
    return run_.side(context_.warp, one, first.line == 0 ? last : first);
  };
  const UnsetSource *const from = source(origin);
  if (!from)
    return run_.diagnostic(
        Code::uninitialized_read, severity, at(lane),
        fmt::format("this line reads a variable that has no value yet, and {}{}{}", end, where,
                    library ? "; both are in the library's own code" : "; is an initial value missing?"));
  // The value may have come to this lane from another one.
  const std::uint32_t reader = from->lanes >> lane & 1 ? lane : first_lane(from->lanes);
  const std::uint32_t which = from->which[reader];
  std::string text;
  switch (from->kind) {
    case UnsetSource::Kind::partly:
      text = "this line reads a value of which some bytes were never written, and ";
      break;
    case UnsetSource::Kind::shared:
      text = fmt::format("uninitialized read on shared memory{}: no thread of the block has written it, and ",
                         from->name.empty() ? "" : fmt::format(" {}, element {}", from->name, which));
      break;
    case UnsetSource::Kind::replaced:
      text = fmt::format("load of {} from {} that was never written: element {}, and ",
                         from->bytes == 1 ? "1 byte" : fmt::format("{} bytes", from->bytes),
                         from->name.empty() ? "memory" : from->name, which);
      break;
    case UnsetSource::Kind::lane:
      text = fmt::format("lane {} reads from lane {}, which {}, and ", reader, which,
                         words_of(from->absence[reader]));
      break;
  }
  text += end + where;
  if (library) text += "; both are in the library's own code";
  const bool of_lane = from->kind == UnsetSource::Kind::lane;
  if (of_lane && !library) text += fmt::format("; {}", advice_on(from->absence[reader]));
  Diagnostic made = run_.diagnostic(of_lane ? Code::invalid_shuffle : Code::uninitialized_read, severity,
                                    at(reader), std::move(text));
  made.buffer = from->name;
  return made;
}

/// Thrust and CUB compare elements beyond the end of a tile and drop the result.
bool Undefined::is_library_code(std::int32_t origin, std::int32_t here) const {
  const ptx::Module &module = *run_.program.module;
  const std::int32_t read = location_of(origin);
  if (ptx::is_toolkit_code(module, read)) return ptx::is_toolkit_code(module, here);
  const std::string &kernel = run_.program.demangled;
  const bool no_lines = run_.line_of(read).line == 0 && run_.line_of(here).line == 0;
  return no_lines && (kernel.find("thrust::") < kernel.find('(') || kernel.find("cub::") < kernel.find('('));
}

void Undefined::note(Sink sink, const Op &op, std::int32_t origin, std::uint32_t lane) {
  note(sink, static_cast<std::uint32_t>(&op - run_.program.ops.data()), location_of(op), origin, lane);
}

/// place: where the value is used
void Undefined::note(Sink sink, std::uint32_t place, std::int32_t here, std::int32_t origin,
                     std::uint32_t lane) {
  const UnsetSource *const from = source(origin);
  const bool of_lane = from && from->kind == UnsetSource::Kind::lane;
  if (!of_lane && run_.findings.enough_unset()) return;
  const std::uint64_t kind = from ? static_cast<std::uint64_t>(from->kind) + 1 : 0;
  const std::uint64_t read = static_cast<std::uint64_t>(location_of(origin)) & 0xFFFFFF;
  // One line may read two arrays: whichever a worker meets first must not stand for the other.
  const std::uint64_t which = (read << 32 | place) ^ (from ? std::hash<std::string>{}(from->name) : 0);
  const std::uint64_t handle = std::uint64_t{1} << 61 | kind << 56 | (which & ((std::uint64_t{1} << 56) - 1));
  if (!run_.count_known(handle, of_lane ? Code::invalid_shuffle : Code::uninitialized_read,
                        is_library_code(origin, here) ? Severity::info : Severity::error))
    run_.note(describe(sink, origin, here, lane), handle);
}

/// A condition or an address without a value ends the launch, as far as a register is its cause.
void Undefined::end_or_note(Sink sink, std::int32_t origin, std::int32_t here, std::uint32_t lane) {
  const UnsetSource *const from = source(origin);
  if (from && from->kind != UnsetSource::Kind::partly)
    return note(sink, 1u << 31 | static_cast<std::uint32_t>(here), here, origin, lane);
  Diagnostic made = describe(sink, origin, here, lane);
  if (run_.launch.options.stop_at_first && made.severity == Severity::error) run_.fail(std::move(made));
  if (!run_.findings.enough_unset()) run_.note(std::move(made));
}

}  // namespace warpgrade::simt
