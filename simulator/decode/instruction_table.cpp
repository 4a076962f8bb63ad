#include "decode/instruction_table.hpp"

#include <unordered_map>

namespace warpgrade::simt {
namespace {

using F = Family;
using C = InstructionClass;
using N = Naming;
using P = Passes;

constexpr const char *no_textures =
    "queries of textures and surfaces, and reductions on surfaces, are not simulated";

// clang-format off
constexpr InstructionRow rows[] = {
    // name           family          class            handler      undefined values  flops
    // integers and floating point
    {"add",           F::arithmetic,  by_type,         N::number,   P::sum,           Flops::sum},
    {"sub",           F::arithmetic,  by_type,         N::number,   P::sum,           Flops::sum},
    {"mul",           F::arithmetic,  by_type,         N::number,   P::sum,           Flops::product},
    {"mad",           F::arithmetic,  by_type,         N::number,   P::sum,           Flops::both},
    {"fma",           F::arithmetic,  by_type,         N::floating, P::compute,       Flops::both},
    {"fms",           F::arithmetic,  by_type,         N::floating, P::compute,       Flops::both},  // a * b - c, which contraction makes
    {"fnma",          F::arithmetic,  by_type,         N::floating, P::compute,       Flops::both},  // c - a * b, likewise
    {"div",           F::arithmetic,  by_type,         N::number},
    {"rem",           F::arithmetic,  by_type,         N::integer},
    {"abs",           F::arithmetic,  by_type,         N::number},
    {"neg",           F::arithmetic,  by_type,         N::number},
    {"min",           F::arithmetic,  by_type,         N::number},
    {"max",           F::arithmetic,  by_type,         N::number},
    {"rcp",           F::arithmetic,  by_type,         N::floating},
    {"sqrt",          F::arithmetic,  by_type,         N::floating},
    {"rsqrt",         F::arithmetic,  by_type,         N::floating},
    {"ex2",           F::arithmetic,  by_type,         N::floating},
    {"lg2",           F::arithmetic,  by_type,         N::floating},
    {"sin",           F::arithmetic,  by_type,         N::floating},
    {"cos",           F::arithmetic,  by_type,         N::floating},
    {"tanh",          F::arithmetic,  by_type,         N::floating},
    {"copysign",      F::arithmetic,  by_type,         N::whole},
    {"testp",         F::arithmetic,  by_type,         N::whole},
    // integers
    {"addc",          F::arithmetic,  by_type,         N::integer},
    {"subc",          F::arithmetic,  by_type,         N::integer},
    {"madc",          F::arithmetic,  by_type,         N::integer},
    {"mul24",         F::arithmetic,  by_type,         N::integer},
    {"mad24",         F::arithmetic,  by_type,         N::integer},
    {"sad",           F::arithmetic,  by_type,         N::integer},
    {"bfe",           F::arithmetic,  by_type,         N::integer,  P::field},
    {"bfind",         F::arithmetic,  by_type,         N::integer},
    {"dp2a",          F::arithmetic,  by_type,         N::whole},
    {"dp4a",          F::arithmetic,  by_type,         N::types},
    // bits
    {"and",           F::arithmetic,  by_type,         N::bits,     P::conjunction},
    {"or",            F::arithmetic,  by_type,         N::bits,     P::disjunction},
    {"xor",           F::arithmetic,  by_type,         N::bits,     P::exclusive},
    {"not",           F::arithmetic,  by_type,         N::bits,     P::copy},
    {"cnot",          F::arithmetic,  by_type,         N::bits},
    {"shl",           F::arithmetic,  by_type,         N::bits,     P::shift_left},
    {"shr",           F::arithmetic,  by_type,         N::bits,     P::shift_right},
    {"shf",           F::arithmetic,  by_type,         N::bits},
    {"lop3",          F::arithmetic,  by_type,         N::bits},
    {"prmt",          F::arithmetic,  C::conversion,   N::bits,     P::permute},
    {"popc",          F::arithmetic,  by_type,         N::bits},
    {"clz",           F::arithmetic,  by_type,         N::bits},
    {"brev",          F::arithmetic,  by_type,         N::bits},
    {"bfi",           F::arithmetic,  by_type,         N::bits,     P::insert},
    {"bmsk",          F::arithmetic,  by_type,         N::whole},
    {"szext",         F::arithmetic,  by_type,         N::whole},
    {"fns",           F::arithmetic,  by_type,         N::whole},
    {"selp",          F::arithmetic,  C::conversion,   N::bits,     P::choice},
    // parts of registers; those without a selector have handlers by name
    {"vadd",          F::video,       by_type},
    {"vsub",          F::video,       by_type},
    {"vavrg",         F::video,       by_type},
    {"vabsdiff",      F::video,       by_type},
    {"vmin",          F::video,       by_type},
    {"vmax",          F::video,       by_type},
    {"vshl",          F::video,       by_type},
    {"vshr",          F::video,       by_type},
    {"vmad",          F::video,       by_type},
    {"vset",          F::video,       by_type},
    {"vadd2",         F::video,       by_type,         N::whole},
    {"vsub2",         F::video,       by_type,         N::whole},
    {"vavrg2",        F::video,       by_type,         N::whole},
    {"vabsdiff2",     F::video,       by_type,         N::whole},
    {"vmin2",         F::video,       by_type,         N::whole},
    {"vmax2",         F::video,       by_type,         N::whole},
    {"vset2",         F::video,       by_type},
    {"vadd4",         F::video,       by_type,         N::whole},
    {"vsub4",         F::video,       by_type,         N::whole},
    {"vavrg4",        F::video,       by_type,         N::whole},
    {"vabsdiff4",     F::video,       by_type,         N::whole},
    {"vmin4",         F::video,       by_type,         N::whole},
    {"vmax4",         F::video,       by_type,         N::whole},
    {"vset4",         F::video,       by_type},
    // values as they are, in another form, or chosen
    {"mov",           F::move,        C::conversion,   N::none,     P::copy},
    {"cvt",           F::convert,     C::conversion,   N::none,     P::convert},
    {"setp",          F::compare,     by_type,         N::none,     P::equality},
    {"set",           F::set,         by_type},
    {"slct",          F::sign_choice, C::conversion},
    {"cvta",          F::address,     C::conversion},
    {"isspacep",      F::address,     by_type},
    {"mapa",          F::rank,        by_type},
    {"getctarank",    F::rank,        by_type},
    {"createpolicy",  F::policy,      by_type},
    {"low",           F::unknown,     by_type,         N::none,     P::low_half},   // of the decoder: halves of a register
    {"high",          F::unknown,     by_type,         N::none,     P::high_half},
    {"pack",          F::unknown,     by_type,         N::none,     P::join_halves},
    // memory
    {"ld",            F::load,        C::memory},
    {"ldu",           F::load,        C::memory},
    {"st",            F::store,       C::memory},
    {"atom",          F::atomic,      C::memory},
    {"red",           F::reduction,   C::memory},
    {"cp",            F::copy,        C::memory},
    {"tex",           F::texture,     C::memory},
    {"tld4",          F::texture,     C::memory},
    {"suld",          F::texture,     C::memory},
    {"sust",          F::texture,     C::memory},
    {"prefetch",      F::ignored,     C::memory},
    {"prefetchu",     F::ignored,     C::memory},
    {"discard",       F::ignored,     by_type},
    {"applypriority", F::ignored,     by_type},
    // threads with each other
    {"bar",           F::barrier,     C::cooperation},
    {"barrier",       F::barrier,     C::cooperation},
    {"mbarrier",      F::mbarrier,    C::cooperation},
    {"membar",        F::fence,       C::cooperation},
    {"fence",         F::fence,       C::cooperation},
    {"shfl",          F::warp,        C::cooperation},
    {"vote",          F::warp,        C::cooperation},
    {"match",         F::warp,        C::cooperation},
    {"redux",         F::warp,        C::cooperation},
    {"elect",         F::warp,        C::cooperation},
    {"activemask",    F::warp,        C::cooperation},
    {"nanosleep",     F::ignored,     C::cooperation},
    {"griddepcontrol", F::ignored,    C::cooperation},
    {"pmevent",       F::ignored,     by_type},
    {"setmaxnreg",    F::registers,   C::cooperation},
    // tensor cores; products count as tensor whatever their row says
    {"mma",           F::tensor,      C::memory},
    {"wmma",          F::tensor,      C::memory},
    {"wgmma",         F::tensor,      C::cooperation},
    {"ldmatrix",      F::tensor,      C::memory},
    {"stmatrix",      F::tensor,      C::memory},
    {"movmatrix",     F::tensor,      C::tensor},
    // where to go on
    {"bra",           F::jump,        C::control},
    {"brx",           F::jump_by_table, C::control},
    {"call",          F::call,        C::control},
    {"ret",           F::leave,       C::control},
    {"exit",          F::leave,       C::control},
    {"trap",          F::stop,        C::control},
    {"brkpt",         F::stop,        C::control},
    // refused
    {.base = "tcgen05", .refused = "of the tensor-core instructions, only mma, wmma, wgmma, ldmatrix, stmatrix and movmatrix are simulated"},
    {.base = "txq", .refused = no_textures},
    {.base = "suq", .refused = no_textures},
    {.base = "sured", .refused = no_textures},
    {.base = "istypep", .refused = no_textures},
    {.base = "multimem", .refused = "multicast memory is not simulated"},
    {.base = "tensormap", .refused = "of the bulk copies, only those of one dimension and of tiles of tensors are simulated, without reductions"},
    {.base = "alloca", .refused = "stack allocation of a dynamic size is not simulated"},
    {.base = "clusterlaunchcontrol", .refused = "cancelling clusters that have not started is not simulated"},
};
// clang-format on

}  // namespace

bool has_result(Family family) {
  switch (family) {
    case F::store:
    case F::reduction:
    case F::copy:
    case F::fence:
    case F::ignored:
    case F::registers:
    case F::barrier:
    case F::jump:
    case F::jump_by_table:
    case F::leave:
    case F::stop:
    case F::call:
      return false;
    default:
      return true;
  }
}

std::span<const InstructionRow> all_instructions() {
  return rows;
}

const InstructionRow &row_of(std::string_view base) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const InstructionRow *> made;
    for (const InstructionRow &row : rows) made.emplace(row.base, &row);
    return made;
  }();
  static constexpr InstructionRow unknown;
  const auto found = by_name.find(base);
  return found == by_name.end() ? unknown : *found->second;
}

}  // namespace warpgrade::simt
