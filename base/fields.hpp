// The list of a structure's fields, once for all code that visits each of them: JSON, sums.
//
//     struct Traffic {
//       std::uint64_t requests = 0, bytes = 0;
//     };
//     WARPGRADE_FIELDS(Traffic, requests, bytes)
//
//     each_field(to, from, [](const char *name, auto &one, const auto &other) { ... });
//
// It visits the same field of two objects, in the order of the list. A field that is missing from the list,
// or occurs twice, does not compile.
#pragma once

#include <concepts>
#include <type_traits>

namespace warpgrade {

namespace detail {
struct AnyField {
  template <class V>
  void operator()(const char *, V &, const V &) const {}
};
}  // namespace detail

template <class T>
concept HasFields = requires(T &record, const T &other) {
  each_field(record, other, detail::AnyField{});
};

}  // namespace warpgrade

// Calls `macro` with each of the arguments.
#define WARPGRADE_PARENTHESES ()
#define WARPGRADE_EXPAND(...) \
  WARPGRADE_EXPAND4(WARPGRADE_EXPAND4(WARPGRADE_EXPAND4(WARPGRADE_EXPAND4(__VA_ARGS__))))
#define WARPGRADE_EXPAND4(...) \
  WARPGRADE_EXPAND3(WARPGRADE_EXPAND3(WARPGRADE_EXPAND3(WARPGRADE_EXPAND3(__VA_ARGS__))))
#define WARPGRADE_EXPAND3(...) \
  WARPGRADE_EXPAND2(WARPGRADE_EXPAND2(WARPGRADE_EXPAND2(WARPGRADE_EXPAND2(__VA_ARGS__))))
#define WARPGRADE_EXPAND2(...) __VA_ARGS__
#define WARPGRADE_EACH(macro, ...) __VA_OPT__(WARPGRADE_EXPAND(WARPGRADE_EACH_STEP(macro, __VA_ARGS__)))
#define WARPGRADE_EACH_STEP(macro, first, ...) \
  macro(first) __VA_OPT__(WARPGRADE_EACH_AGAIN WARPGRADE_PARENTHESES(macro, __VA_ARGS__))
#define WARPGRADE_EACH_AGAIN() WARPGRADE_EACH_STEP
#define WARPGRADE_ONE_FIELD(name) visit_field(#name, the_record.name, the_other.name);

/// All fields of a structure: the structured binding does not compile if one is missing.
#define WARPGRADE_FIELDS(Type, ...)                                                      \
  template <class Record, class Visit>                                                   \
  requires std::same_as<std::remove_const_t<Record>, Type>                               \
  void each_field(Record &the_record, const Type &the_other, const Visit &visit_field) { \
    [[maybe_unused]] constexpr auto all_fields_are_named = [](const Type &r) {           \
      [[maybe_unused]] const auto &[__VA_ARGS__] = r;                                    \
    };                                                                                   \
    WARPGRADE_EACH(WARPGRADE_ONE_FIELD, __VA_ARGS__)                                     \
  }

/// The same for a structure that adds fields to a base, which already has its own list. Only tests can show
/// that none is missing.
#define WARPGRADE_FIELDS_BEYOND(Type, Base, ...)                                                            \
  template <class Record, class Visit>                                                                      \
  requires std::same_as<std::remove_const_t<Record>, Type>                                                  \
  void each_field(Record &the_record, const Type &the_other, const Visit &visit_field) {                    \
    using BaseOfRecord = std::conditional_t<std::is_const_v<Record>, const Base, Base>;                     \
    each_field(static_cast<BaseOfRecord &>(the_record), static_cast<const Base &>(the_other), visit_field); \
    WARPGRADE_EACH(WARPGRADE_ONE_FIELD, __VA_ARGS__)                                                        \
  }
