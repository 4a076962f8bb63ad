#include "machine/recorder.hpp"

#include <algorithm>
#include <cstring>

#include "decode/handlers.hpp"
#include "decode/reaches_data.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

using Kind = RecordedEvent::Kind;
using Type = RecordedEvent::Type;

constexpr std::uint32_t after_finding = 40;   // events of each warp
constexpr std::size_t most_of_outline = 400;  // of a warp of which only barriers are kept
constexpr std::uint8_t widest_value = 8;

template <class Visit>
void each_lane(std::uint32_t mask, const Visit &visit) {
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) visit(first_lane(rest));
}

/// What the end of an opcode says: "ld.shared.f32", "add.s32".
std::pair<Type, std::uint8_t> type_named(std::string_view opcode) {
  const std::size_t dot = opcode.rfind('.');
  if (dot == std::string_view::npos || dot + 2 >= opcode.size()) return {Type::bits, 0};
  const std::string_view suffix = opcode.substr(dot + 1);
  const std::string_view width = suffix.substr(1);
  const std::uint8_t bytes = width == "64" ? 8 : width == "32" ? 4 : width == "16" ? 2 : width == "8" ? 1 : 0;
  switch (suffix.front()) {
    case 'f':
      return {Type::real, bytes};
    case 's':
      return {Type::whole, bytes};
    case 'u':
      return {Type::natural, bytes};
    default:
      return {Type::bits, bytes};
  }
}

std::uint64_t some_bytes(const std::byte *from, std::uint32_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, std::min<std::uint32_t>(bytes, widest_value));
  return value;
}

std::int32_t location_of(const Op &op, const Context &context) {
  const Program &program = context.run->program;
  return program.op_locations[static_cast<std::size_t>(&op - program.ops.data())];
}

/// The space that an address of an access leads to, and the offset there.
std::pair<ptx::Space, std::uint64_t> space_and_offset(const Site &site, bool copies, std::uint64_t address) {
  if (!copies && site.space != ptx::Space::generic) return {site.space, address};
  if (address - shared_window < window_bytes) return {ptx::Space::shared, address - shared_window};
  if (address - local_window < window_bytes) return {ptx::Space::local, address - local_window};
  return {copies ? ptx::Space::shared : ptx::Space::global, address};
}

bool is_warp_operation(const Op &op) {
  return op.plain == &shuffle || op.plain == &vote || op.plain == &match || op.plain == &reduce_warp;
}

/// Runs an operation by the form that `form` names, and tells the recorder.
template <Handler Op::*form>
void record_and_run(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  Recorder &recorder = *run.launch.recorder;
  const Op &plain = recorder.plain(static_cast<std::size_t>(&op - run.program.ops.data()));
  if (!run.is_recorded() || !recorder.takes(context.warp)) return (plain.*form)(op, context);
  recorder.before(op, context);
  try {
    (plain.*form)(op, context);
  } catch (const Undefined::Found &found) {  // the operation begins once more, unless it is done
    if (found.done)
      recorder.after(op, context, false);
    else
      recorder.forget();
    throw;
  } catch (const Fault &) {
    recorder.after(op, context, true);
    throw;
  }
  recorder.after(op, context, false);
}

/// Before a store to global memory: whether it is the word that is looked for.
template <Handler Op::*form>
void look_and_run(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  WordWriter &writer = *run.launch.writer;
  const Site &site = run.program.sites[op.site];
  std::uint64_t addresses[32] = {};
  addresses_of(op, site, context, addresses);
  each_lane(context.mask, [&](std::uint32_t lane) {
    const std::uint64_t begin = addresses[lane], end = begin + bytes_of(site);
    const std::uint64_t distance = end <= writer.begin   ? writer.begin - end + 1
                                   : begin >= writer.end ? begin - writer.end + 1
                                                         : 0;
    if (distance > writer.distance || (distance == writer.distance && distance != 0)) return;
    writer.distance = distance;
    writer.place = {run.block_number(), context.warp};
    writer.lane = lane;
  });
  const Op &plain = run.launch.plain->ops[static_cast<std::size_t>(&op - run.program.ops.data())];
  (plain.*form)(op, context);
}

/// A copy of which the forms of each operation that is chosen are replaced.
template <class Choose>
std::shared_ptr<const Program> wrapped(const Program &program, const Choose &choose, Handler run,
                                       Handler masked, Handler guarded) {
  auto made = std::make_shared<Program>(program);
  for (Op &op : made->ops) {
    if (!choose(op)) continue;
    op.hot = Hot::none;
    if (op.guarded) {
      op.guarded = guarded;
    } else {
      op.run = run;
      op.masked = masked;
    }
  }
  return made;
}

}  // namespace

std::shared_ptr<const Program> with_recording(const Program &program) {
  return wrapped(
      program, [](const Op &) { return true; }, &record_and_run<&Op::run>, &record_and_run<&Op::masked>,
      &record_and_run<&Op::guarded>);
}

std::shared_ptr<const Program> with_writer(const Program &program) {
  const auto stores = [&program](const Op &op) {
    if (!op.accesses_memory) return false;
    const Site &site = program.sites[op.site];
    return !site.bulk && !site.mbarrier && site.action != Site::Action::load &&
           site.action != Site::Action::copy_async &&
           (site.space == ptx::Space::global || site.space == ptx::Space::generic);
  };
  return wrapped(program, stores, &look_and_run<&Op::run>, &look_and_run<&Op::masked>,
                 &look_and_run<&Op::guarded>);
}

Recorder::Recorder(const LaunchState &launch, std::shared_ptr<const Program> plain,
                   std::vector<WarpPlace> wanted, std::uint32_t most)
    : launch_(launch),
      plain_(std::move(plain)),
      reaches_data_(reaches_data(*plain_)),
      wanted_(std::move(wanted)),
      most_(std::max(most, 1u)) {
  for (const ptx::Function &function : plain_->module->functions)
    for (const ptx::Instruction &one : function.instructions) opcodes_[one.text_line] = one.opcode;
  made_.kernel = plain_->demangled;
  made_.grid = launch.launch.grid;
  made_.block = launch.launch.block;
}

bool Recorder::begins(std::uint64_t block, Dim3 index, std::uint32_t threads) {
  details_.fill(nullptr);
  outlines_.fill(nullptr);
  if (std::none_of(wanted_.begin(), wanted_.end(), [&](const WarpPlace &w) { return w.block == block; }))
    return false;
  const std::uint32_t warps = (threads + 31) / 32;
  for (std::uint32_t w = 0; w < warps && w < 32; ++w) {
    Log &log = *logs_.emplace_back(std::make_unique<Log>());
    log.of.block = index;
    log.of.warp = w;
    const std::uint32_t count = std::min(32u, threads - w * 32);
    log.of.lanes = count == 32 ? full_mask : (1u << count) - 1;
    log.wanted = static_cast<std::size_t>(std::find(wanted_.begin(), wanted_.end(), WarpPlace{block, w}) -
                                          wanted_.begin());
    log.of.detailed = log.wanted < wanted_.size();
    outlines_[w] = &log;
    if (log.of.detailed) details_[w] = &log;
  }
  return true;
}

bool Recorder::is_complete(std::uint64_t next_block) const {
  if (!launch_.order.empty()) return false;
  return std::all_of(wanted_.begin(), wanted_.end(),
                     [next_block](const WarpPlace &w) { return w.block < next_block; });
}

std::uint32_t Recorder::line(std::int32_t location) {
  const SourceLine at = ptx::source_line(*plain_->module, location);
  const auto [known, fresh] = line_numbers_.emplace(at, static_cast<std::uint32_t>(made_.lines.size()));
  if (fresh) {
    made_.lines.push_back(at);
    std::string path;
    for (const std::string &file : plain_->module->files)
      if (!at.file.empty() && file.size() >= at.file.size() && file.ends_with(at.file)) path = file;
    made_.paths.push_back(path);
  }
  return known->second;
}

std::uint32_t Recorder::object(ptx::Space space, const std::string &name, std::uint64_t bytes) {
  const auto [known, fresh] =
      object_numbers_.emplace(std::pair(space, name), static_cast<std::uint32_t>(made_.objects.size()));
  if (fresh) made_.objects.push_back({space, name, bytes});
  return known->second;
}

RecordedEvent Recorder::event(Kind kind, std::int32_t location, std::uint32_t mask) {
  Event made;
  made.kind = kind;
  made.line = line(location);
  made.mask = mask;
  made.when = ++when_;
  return made;
}

void Recorder::flush(Log &log) {
  if (!log.computed) return;
  Event made = std::move(*log.computed);
  log.computed.reset();
  add(log, std::move(made));
}

void Recorder::add(Log &log, Event made) {
  flush(log);
  if (log.left == 0) return;
  if (log.left != UINT32_MAX) --log.left;
  log.events.push_back(std::move(made));
  if (log.events.size() <= (log.of.detailed ? most_ : most_of_outline)) return;
  log.events.pop_front();
  ++log.of.dropped;
}

Type Recorder::type_of(const Site &site) const {
  const auto found = opcodes_.find(site.text_line);
  return found == opcodes_.end() ? Type::bits : type_named(found->second).first;
}

/// The memory in which an address lies, or the nearest.
Recorder::Place Recorder::place_of_address(const BlockRun &run, ptx::Space space, std::uint64_t at) const {
  Place place{space, at, {}, 0, 0};
  const auto take = [&place](const auto &found) {
    place.name = found.name, place.begin = found.begin, place.bytes = found.bytes;
  };
  if (space == ptx::Space::global) {
    const Allocation *found = launch_.memory->find(at, at + 1);
    if (!found) found = launch_.memory->nearest(at);
    if (found) take(*found);
  } else if (space == ptx::Space::shared) {
    std::uint64_t best = UINT64_MAX;
    for (const SharedVariable &one : run.shared.variables()) {
      const std::uint64_t begin = one.begin, end = begin + one.bytes;
      const std::uint64_t distance = at < begin ? begin - at : at >= end ? at - end + 1 : 0;
      if (distance >= best) continue;
      best = distance;
      take(one);
    }
  } else {
    for (const LocalVariable &one : run.program.locals)
      if (at >= one.begin && at < std::uint64_t{one.begin} + one.bytes) take(one);
  }
  return place;
}

/// What the lanes are about to reach, as offsets in named memory.
void Recorder::make_access(const Op &op, Context &context, const Site &site) {
  std::uint64_t addresses[32] = {};
  addresses_of(op, site, context, addresses);
  const std::uint32_t mask = site.matrices == 0 ? context.mask : context.mask & rows_of(site);
  const bool copies = site.action == Site::Action::copy_async;
  const Kind kind = site.action == Site::Action::load              ? Kind::load
                    : site.action == Site::Action::store || copies ? Kind::store
                                                                   : Kind::atomic;
  Event made = event(kind, location_of(op, context), mask);
  made.bytes = copies ? 4 : site.matrices != 0 ? 16 : site.bytes;
  made.elements = copies               ? static_cast<std::uint8_t>(std::max(site.copy_bytes / 4, 1u))
                  : site.matrices != 0 ? std::uint8_t{1}
                                       : site.elements;
  made.type = copies ? Type::bits : type_of(site);
  each_lane(mask, [&](std::uint32_t lane) {
    const auto [space, at] = space_and_offset(site, copies, addresses[lane]);
    addresses_[lane] = at;
    const Place place = place_of_address(*context.run, space, at);
    made.objects.push_back(object(space, place.name, place.bytes));
    made.offsets.push_back(static_cast<std::int64_t>(at - place.begin));
  });
  const bool alike = std::all_of(made.objects.begin(), made.objects.end(),
                                 [&](std::uint32_t object) { return object == made.objects.front(); });
  if (alike && made.objects.size() > 1) made.objects.resize(1);
  access_ = std::move(made);
}

void Recorder::before(const Op &op, Context &context) {
  access_.reset();
  if (op.plain == &shuffle)
    each_lane(context.mask, [&](std::uint32_t lane) { from_[lane] = shuffle_lane(op, context, lane); });
  if (!op.accesses_memory) return;
  const Site &site = context.run->program.sites[op.site];
  if (site.bulk || site.mbarrier || site.space == ptx::Space::param || site.space == ptx::Space::constant)
    return;
  if (context.mask == 0) return;
  make_access(op, context, site);
  if (access_->kind == Kind::store && site.action == Site::Action::store && site.matrices == 0)
    read_rows(context, site, access_->mask, access_->values);
  if (access_->kind == Kind::atomic) read_words(context, site, access_->mask, access_->before);
}

/// What memory holds where the lanes access it; nothing unless all of them are in live memory.
void Recorder::read_words(Context &context, const Site &site, std::uint32_t mask,
                          std::vector<std::uint64_t> &to) const {
  std::vector<std::uint64_t> words;
  std::size_t i = 0;
  bool all = true;
  each_lane(mask, [&](std::uint32_t lane) {
    const std::size_t which = access_->objects.size() == 1 ? 0 : i;
    const RecordedObject &object = made_.objects[access_->objects[which]];
    const std::int64_t offset = access_->offsets[i++];
    const std::uint32_t bytes = std::uint32_t{access_->bytes} * access_->elements;
    if (offset < 0 || static_cast<std::uint64_t>(offset) + bytes > object.bytes) return void(all = false);
    const std::byte *from = nullptr;
    if (object.space == ptx::Space::shared) {
      from = context.shared + addresses_[lane];
    } else if (object.space == ptx::Space::global) {
      const Allocation *found = launch_.memory->find(addresses_[lane], addresses_[lane] + bytes);
      if (found && found->live && found->data) from = found->data.get() + (addresses_[lane] - found->begin);
    }
    if (!from) return void(all = false);
    for (std::uint32_t e = 0; e < access_->elements; ++e)
      words.push_back(some_bytes(from + std::size_t{e} * site.bytes, site.bytes));
  });
  if (all) to = std::move(words);
}

/// The registers that an access loads or stores.
void Recorder::read_rows(Context &context, const Site &site, std::uint32_t mask,
                         std::vector<std::uint64_t> &to) const {
  to.clear();
  const std::uint64_t narrow = site.bytes >= 8 ? UINT64_MAX : (std::uint64_t{1} << 8 * site.bytes) - 1;
  each_lane(mask, [&](std::uint32_t lane) {
    for (std::uint32_t e = 0; e < site.elements; ++e)
      to.push_back(context.run->value(site.rows.at(e), lane, site.wide.at(e)) & narrow);
  });
}

void Recorder::after(const Op &op, Context &context, bool fails) {
  Log &log = *details_[context.warp];
  if (access_) {
    const Site &site = context.run->program.sites[op.site];
    if (!fails && access_->kind == Kind::load && site.matrices == 0)
      read_rows(context, site, access_->mask, access_->values);
    if (!fails && access_->kind == Kind::atomic) read_words(context, site, access_->mask, access_->values);
    Event made = std::move(*access_);
    access_.reset();
    add(log, std::move(made));
  } else if (!fails && op.plain == &shuffle) {
    shuffled(op, context, log);
  } else if (!fails) {
    compute(op, context, log);
  }
}

void Recorder::shuffled(const Op &op, Context &context, Log &log) {
  Event made = event(Kind::shuffle, location_of(op, context), context.mask);
  each_lane(context.mask, [&](std::uint32_t lane) {
    made.from.push_back(from_[lane]);
    made.values.push_back(context.run->value(op.d, lane, false));
  });
  add(log, std::move(made));
}

/// Of the operations of a line, the last one whose result says something: a float rather than an integer, and
/// nothing that only becomes an address, which the access itself shows.
void Recorder::compute(const Op &op, Context &context, Log &log) {
  const Entry *entry = entry_of(op.plain);
  std::pair<Type, std::uint8_t> type{Type::bits, 0};
  Width width = Width::none;
  if (op.plain == &convert) {
    const auto to = static_cast<ptx::Type>(op.immediate & 255);
    type = to == ptx::Type::f32   ? std::pair(Type::real, std::uint8_t{4})
           : to == ptx::Type::f64 ? std::pair(Type::real, std::uint8_t{8})
                                  : std::pair(Type::bits, std::uint8_t{0});
    width = to == ptx::Type::f64 ? Width::wide : Width::word;
  } else if (entry) {
    width = entry->d;
    type = type_named(entry->name);
    const bool moves =
        entry->name.starts_with("mov") || entry->name.starts_with("cvt") || entry->name.starts_with("not");
    if (moves || (type.first != Type::real && type.second == 8)) return;
  }
  if ((width != Width::word && width != Width::wide) || type.second < 4) return;
  if (!reaches_data_.at(static_cast<std::size_t>(&op - context.run->program.ops.data()))) return;
  const std::int32_t location = location_of(op, context);
  const std::uint32_t here = line(location);
  if (log.computed && (log.computed->line != here || log.computed->mask != context.mask)) flush(log);
  if (log.computed && log.computed->type == Type::real && type.first != Type::real) return;
  Event made = event(Kind::compute, location, context.mask);
  made.type = type.first;
  made.bytes = type.second;
  each_lane(context.mask, [&](std::uint32_t lane) {
    made.values.push_back(context.run->value(op.d, lane, width == Width::wide));
  });
  log.computed = std::move(made);
}

void Recorder::branch(Context &context, const Block &block, std::uint32_t mask, std::uint32_t taken) {
  if (!takes(context.warp)) return;
  Event made = event(Kind::branch, block.location, mask);
  made.taken = taken;
  add(*details_[context.warp], std::move(made));
}

void Recorder::arrive(BlockRun &, std::uint32_t warp, std::int32_t location, std::uint32_t mask) {
  if (warp < outlines_.size() && outlines_[warp]) add(*outlines_[warp], event(Kind::arrive, location, mask));
}

void Recorder::release(BlockRun &, std::uint32_t warp, std::int32_t location, std::uint32_t mask) {
  if (warp < outlines_.size() && outlines_[warp]) add(*outlines_[warp], event(Kind::release, location, mask));
}

void Recorder::leave(BlockRun &, std::uint32_t warp, std::int32_t location, std::uint32_t mask) {
  if (warp < outlines_.size() && outlines_[warp]) add(*outlines_[warp], event(Kind::leave, location, mask));
}

void Recorder::sync(Context &context, const Block &block, std::uint32_t mask) {
  if (!takes(context.warp)) return;
  const std::vector<Op> &ops = context.run->program.ops;
  if (block.first < block.last && is_warp_operation(ops[block.first])) return;  // it says so itself
  add(*details_[context.warp], event(Kind::sync, block.location, mask));
}

void Recorder::finding(BlockRun &run, const Diagnostic &found) {
  if (finding_ || found.severity == Severity::info) return;
  if (awaited_ &&
      (awaited_->code != found.code || !(awaited_->here.at == found.here.at) ||
       !(awaited_->here.block == found.here.block) || !(awaited_->here.thread == found.here.thread)))
    return;
  const Dim3 block = launch_.launch.block;
  const Dim3 thread = found.here.thread;
  const std::uint32_t number = (thread.z * block.y + thread.y) * block.x + thread.x;
  if (!(found.here.block == run.block_index()) || number / 32 >= details_.size()) return;
  Log *const log = details_[number / 32];
  if (!log) return;
  finding_ = true;
  Event made;
  made.kind = Kind::finding;
  made.mask = 1u << number % 32;
  made.when = ++when_;  // behind the access that is found while it runs
  made.text = found.message;
  const auto [known, fresh] =
      line_numbers_.emplace(found.here.at, static_cast<std::uint32_t>(made_.lines.size()));
  if (fresh) {
    made_.lines.push_back(found.here.at);
    made_.paths.emplace_back();
  }
  made.line = known->second;
  made_.lane = number % 32;
  add(*log, std::move(made));
  for (const auto &one : logs_) one->left = std::min(one->left, after_finding);
}

Recording Recorder::take() {
  for (const auto &log : logs_) flush(*log);
  std::stable_sort(logs_.begin(), logs_.end(),
                   [](const auto &a, const auto &b) { return a->wanted < b->wanted; });
  for (const auto &log : logs_) {
    for (Event &one : log->events) {
      one.warp = static_cast<std::uint32_t>(made_.warps.size());
      made_.events.push_back(std::move(one));
    }
    made_.warps.push_back(log->of);
  }
  std::stable_sort(made_.events.begin(), made_.events.end(),
                   [](const Event &a, const Event &b) { return a.when < b.when; });
  return std::move(made_);
}

}  // namespace warpgrade::simt
