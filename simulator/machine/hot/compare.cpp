// setp, selp and the logic of predicates.
#include "machine/hot/lanes.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {
namespace {

using f32 = float;
using f64 = double;

template <class T>
void add_integers(EntryList &l, const char *const (&names)[6]) {
  add_compare<T>(l, names[0], [](T a, T b) { return a == b; });
  add_compare<T>(l, names[1], [](T a, T b) { return a != b; });
  add_compare<T>(l, names[2], [](T a, T b) { return a < b; });
  add_compare<T>(l, names[3], [](T a, T b) { return a <= b; });
  add_compare<T>(l, names[4], [](T a, T b) { return a > b; });
  add_compare<T>(l, names[5], [](T a, T b) { return a >= b; });
}

/// The first six are false for NaN, the "u" forms are true.
template <class T>
void add_floats(EntryList &l, const char *const (&names)[14]) {
  add_compare<T>(l, names[0], [](T a, T b) { return a == b; });
  add_compare<T>(l, names[1], [](T a, T b) { return a < b || a > b; });
  add_compare<T>(l, names[2], [](T a, T b) { return a < b; });
  add_compare<T>(l, names[3], [](T a, T b) { return a <= b; });
  add_compare<T>(l, names[4], [](T a, T b) { return a > b; });
  add_compare<T>(l, names[5], [](T a, T b) { return a >= b; });
  add_compare<T>(l, names[6], [](T a, T b) { return !(a < b || a > b); });
  add_compare<T>(l, names[7], [](T a, T b) { return !(a == b); });
  add_compare<T>(l, names[8], [](T a, T b) { return !(a >= b); });
  add_compare<T>(l, names[9], [](T a, T b) { return !(a > b); });
  add_compare<T>(l, names[10], [](T a, T b) { return !(a <= b); });
  add_compare<T>(l, names[11], [](T a, T b) { return !(a < b); });
  add_compare<T>(l, names[12], [](T a, T b) { return a == a && b == b; });
  add_compare<T>(l, names[13], [](T a, T b) { return a != a || b != b; });
}

template <class F>
void predicate_logic(const Op &op, Context &context) {
  *reinterpret_cast<u32 *>(context.rows + op.d) = F{}(predicate(context, op.a), predicate(context, op.b));
}
template <class F>
void add_logic(EntryList &list, const char *name, F) {
  add_entry(list, {name, &predicate_logic<F>, Width::predicate, Width::predicate, Width::predicate});
}
void copy_predicate(const Op &op, Context &context) {
  *reinterpret_cast<u32 *>(context.rows + op.d) = predicate(context, op.a);
}
void invert_predicate(const Op &op, Context &context) {
  *reinterpret_cast<u32 *>(context.rows + op.d) = ~predicate(context, op.a);
}

}  // namespace

void add_compare_handlers(EntryList &list) {
  add_integers<u32>(
      list, {"setp.eq.u32", "setp.ne.u32", "setp.lt.u32", "setp.le.u32", "setp.gt.u32", "setp.ge.u32"});
  add_integers<s32>(
      list, {"setp.eq.s32", "setp.ne.s32", "setp.lt.s32", "setp.le.s32", "setp.gt.s32", "setp.ge.s32"});
  add_integers<u64>(
      list, {"setp.eq.u64", "setp.ne.u64", "setp.lt.u64", "setp.le.u64", "setp.gt.u64", "setp.ge.u64"});
  add_integers<s64>(
      list, {"setp.eq.s64", "setp.ne.s64", "setp.lt.s64", "setp.le.s64", "setp.gt.s64", "setp.ge.s64"});
  add_floats<f32>(list, {"setp.eq.f32", "setp.ne.f32", "setp.lt.f32", "setp.le.f32", "setp.gt.f32",
                         "setp.ge.f32", "setp.equ.f32", "setp.neu.f32", "setp.ltu.f32", "setp.leu.f32",
                         "setp.gtu.f32", "setp.geu.f32", "setp.num.f32", "setp.nan.f32"});
  add_floats<f64>(list, {"setp.eq.f64", "setp.ne.f64", "setp.lt.f64", "setp.le.f64", "setp.gt.f64",
                         "setp.ge.f64", "setp.equ.f64", "setp.neu.f64", "setp.ltu.f64", "setp.leu.f64",
                         "setp.gtu.f64", "setp.geu.f64", "setp.num.f64", "setp.nan.f64"});
  add_entry(list, {"selp.b32", &select<u32>, Width::word, Width::word, Width::word, Width::predicate});
  add_entry(list, {"selp.b64", &select<u64>, Width::wide, Width::wide, Width::wide, Width::predicate});
  add_logic(list, "and.pred", [](u32 a, u32 b) { return a & b; });
  add_logic(list, "or.pred", [](u32 a, u32 b) { return a | b; });
  add_logic(list, "xor.pred", [](u32 a, u32 b) { return a ^ b; });
  add_entry(list, {"mov.pred", &copy_predicate, Width::predicate, Width::predicate});
  add_entry(list, {"not.pred", &invert_predicate, Width::predicate, Width::predicate});
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
