#include "decode/reaches_data.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "decode/handlers.hpp"

namespace warpgrade::simt {
namespace {

/// What an operation reads and writes. always: its sources are data whatever becomes of its results.
struct Use {
  std::vector<Ref> from, to;
  bool always = false;
};

Use use_by_access(const Op &op, const Site &site) {
  Use use;
  const bool plain = !site.bulk && !site.mbarrier && !site.product;
  if (plain && site.action == Site::Action::load) return use;  // op.a is the address
  use.always = true;
  for (std::size_t i = 0; i < site.rows.size(); ++i)
    if (site.used.at(i)) use.from.push_back(site.rows.at(i));
  if (plain && site.action == Site::Action::store) return use;
  use.from.insert(use.from.end(), {op.b, op.c, op.d, op.e});
  return use;
}

Use use_by(const Op &op, const Program &program) {
  if (op.accesses_memory) return use_by_access(op, program.sites[op.site]);
  if (op.plain == &convert) return {{op.a}, {op.d}, false};
  if (op.plain == &pack) return {{op.a, op.b, op.c, op.e}, {op.d}, false};
  if (op.plain == &unpack) return {{op.a}, {op.b, op.c, op.d, op.e}, false};
  const Entry *entry = entry_of(op.plain);
  if (!entry) return {{op.a, op.b, op.c, op.d, op.e}, {}, true};
  Use use;
  use.always = entry->d != Width::word && entry->d != Width::wide;  // a predicate, which decides
  use.to.push_back(op.d);
  if (entry->a != Width::none) use.from.push_back(op.a);
  if (entry->b != Width::none) use.from.push_back(op.b);
  if (entry->c != Width::none) use.from.push_back(op.c);
  if (entry->e != Width::none) use.from.push_back(op.e);
  return use;
}

/// Rows whose values are data where control is. Rows are shared by registers that do not live at the same time, so
/// this differs from place to place.
using Live = std::unordered_set<Ref>;

class Analysis {
 public:
  explicit Analysis(const Program &program) : program_(program), before_(program.blocks.size()) {
    for (const Op &op : program.ops) uses_.push_back(use_by(op, program));
    for (const Block &block : program.blocks)
      if (block.end == End::call) returns_to_.push_back(block.next);
  }

  std::vector<bool> run() {
    // Backwards, since values are mostly computed before they are used: few rounds are needed.
    for (bool more = true; more;) {
      more = false;
      for (std::size_t b = program_.blocks.size(); b-- > 0;) {
        Live live = through(b, nullptr);
        if (live.size() == before_[b].size()) continue;  // it only grows
        before_[b] = std::move(live);
        more = true;
      }
    }
    std::vector<bool> reaches(program_.ops.size());
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) through(b, &reaches);
    return reaches;
  }

 private:
  void add(Live &to, std::uint32_t block) const {
    if (block < before_.size()) to.insert(before_[block].begin(), before_[block].end());
  }

  Live behind(const Block &block) const {
    Live live;
    switch (block.end) {
      case End::jump:
        add(live, block.target);
        break;
      case End::table:
        live.insert(block.condition);
        for (const std::uint32_t target : program_.tables.at(block.target)) add(live, target);
        break;
      case End::ret:
        for (const std::uint32_t next : returns_to_) add(live, next);
        add(live, block.next);
        break;
      case End::branch:
      case End::call:
        add(live, block.target);
        add(live, block.next);
        break;
      default:
        add(live, block.next);
    }
    return live;
  }

  Live through(std::size_t number, std::vector<bool> *reaches) const {
    const Block &block = program_.blocks[number];
    Live live = behind(block);
    for (std::uint32_t i = block.last; i-- > block.first;) {
      const Use &use = uses_[i];
      const bool data = use.always || std::any_of(use.to.begin(), use.to.end(),
                                                  [&](Ref row) { return live.contains(row); });
      if (reaches) reaches->at(i) = data;
      if (!program_.ops[i].guarded)
        for (const Ref row : use.to) live.erase(row);
      if (data) live.insert(use.from.begin(), use.from.end());
    }
    for (const Ref row : {block.id, block.count, block.source})
      if (block.end == End::barrier || block.end == End::sync) live.insert(row);
    return live;
  }

  const Program &program_;
  std::vector<Use> uses_;
  std::vector<std::uint32_t> returns_to_;
  std::vector<Live> before_;
};

}  // namespace

std::vector<bool> reaches_data(const Program &program) {
  return Analysis(program).run();
}

}  // namespace warpgrade::simt
