// Converts plain structures to JSON and back without loss, from one list of fields each.
//
//     namespace warpgrade::grading {
//     WARPGRADE_FIELDS(DeviceRecord, gpu, name, arch, why_no_gpu)
//     }
//     const json::Json text = json::write(record);
//     auto same = json::read<DeviceRecord>(text);
//
// base/fields.hpp defines these lists. Fields with their default value are omitted, so that a field can be
// added and older data can still be read. Strings that are not UTF-8 and numbers that are not finite, which
// JSON cannot represent, come back unchanged. Unknown keys are ignored; any other mismatch throws
// nlohmann::json::exception.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fields.hpp"

namespace warpgrade::json {

using Json = nlohmann::json;

/// A string if it is UTF-8, else {"bytes": "<hexadecimal>"}.
Json write_text(const std::string &);
std::string read_text(const Json &);
/// A number, or "nan", "inf", "-inf".
Json write_real(double);
double read_real(const Json &);
/// Throws what nlohmann's own readers throw.
[[noreturn]] void unexpected(const std::string &what);

/// How a type is written; specialise it for enumerations (see NamedEnum) and for types with a form of their
/// own.
template <class T>
struct Codec;

template <class T>
Json write(const T &value) {
  return Codec<T>::write(value);
}
template <class T>
T read(const Json &from) {
  T value{};
  Codec<T>::read(from, value);
  return value;
}

/// Equal in every bit that is written: a NaN equals itself, and 0 differs from -0.
template <class T>
bool identical(const T &a, const T &b);

namespace detail {
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
}  // namespace detail

template <class T>
bool identical(const T &a, const T &b) {
  if constexpr (std::same_as<T, double>) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  } else if constexpr (HasFields<T>) {
    bool same = true;
    each_field(a, b, [&](const char *, const auto &x, const auto &y) { same = same && identical(x, y); });
    return same;
  } else if constexpr (detail::IsVector<T>::value) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!identical(a[i], b[i])) return false;
    return true;
  } else if constexpr (detail::IsOptional<T>::value) {
    return a.has_value() == b.has_value() && (!a || identical(*a, *b));
  } else {
    return a == b;
  }
}

/// The names that fields of T had in older data, which is still read: {"now", "before"}. Specialise it.
template <class T>
inline constexpr std::array<std::pair<std::string_view, const char *>, 0> former_names{};

template <HasFields T>
struct Codec<T> {
  static Json write(const T &record) {
    Json to = Json::object();
    each_field(record, T{}, [&to](const char *name, const auto &value, const auto &fresh) {
      if (!identical(value, fresh)) to[name] = json::write(value);
    });
    return to;
  }
  static void read(const Json &from, T &record) {
    if (!from.is_object()) unexpected("an object was expected");
    record = T{};
    each_field(record, T{}, [&from](const char *name, auto &value, const auto &) {
      auto found = from.find(name);
      for (const auto &[now, before] : former_names<T>)
        if (found == from.end() && now == name) found = from.find(before);
      if (found != from.end()) Codec<std::remove_reference_t<decltype(value)>>::read(*found, value);
    });
  }
};

template <class T>
requires std::integral<T>
struct Codec<T> {
  static Json write(T value) { return value; }
  static void read(const Json &from, T &value) {
    if constexpr (std::same_as<T, bool>) {
      from.get_to(value);
    } else {  // nlohmann's own reader truncates values that do not fit
      const bool whole = from.is_number_integer();
      const bool fits = whole && (from.is_number_unsigned() ? std::in_range<T>(from.get<std::uint64_t>())
                                                            : std::in_range<T>(from.get<std::int64_t>()));
      if (!fits) unexpected("no whole number that fits: " + from.dump());
      value = from.get<T>();
    }
  }
};

template <>
struct Codec<double> {
  static Json write(double value) { return write_real(value); }
  static void read(const Json &from, double &value) { value = read_real(from); }
};

template <>
struct Codec<std::string> {
  static Json write(const std::string &value) { return write_text(value); }
  static void read(const Json &from, std::string &value) { value = read_text(from); }
};

template <class T>
struct Codec<std::optional<T>> {
  static Json write(const std::optional<T> &value) { return value ? json::write(*value) : Json(); }
  static void read(const Json &from, std::optional<T> &value) {
    value.reset();
    if (from.is_null()) return;
    T read{};  // not in place, which g++ 14 warns of
    Codec<T>::read(from, read);
    value = std::move(read);
  }
};

template <class T>
struct Codec<std::vector<T>> {
  static Json write(const std::vector<T> &values) {
    Json to = Json::array();
    for (const T &value : values) to.push_back(json::write(value));
    return to;
  }
  static void read(const Json &from, std::vector<T> &values) {
    if (!from.is_array()) unexpected("a list was expected");
    values.clear();
    for (const Json &one : from) Codec<T>::read(one, values.emplace_back());
  }
};

template <class T, std::size_t n>
struct Codec<std::array<T, n>> {
  static Json write(const std::array<T, n> &values) {
    Json to = Json::array();
    for (const T &value : values) to.push_back(json::write(value));
    return to;
  }
  static void read(const Json &from, std::array<T, n> &values) {
    if (!from.is_array() || from.size() != n) unexpected("a list of another length was expected");
    for (std::size_t i = 0; i < n; ++i) Codec<T>::read(from[i], values[i]);
  }
};

/// A list of objects, each with the fields of key and value.
template <HasFields Key, HasFields Value>
struct Codec<std::map<Key, Value>> {
  static Json write(const std::map<Key, Value> &entries) {
    Json to = Json::array();
    for (const auto &[key, value] : entries) {
      Json one = json::write(key);
      one.update(json::write(value));
      to.push_back(std::move(one));
    }
    return to;
  }
  static void read(const Json &from, std::map<Key, Value> &entries) {
    if (!from.is_array()) unexpected("a list was expected");
    entries.clear();
    for (const Json &one : from) entries[json::read<Key>(one)] = json::read<Value>(one);
  }
};

/// Codecs of enumerations derive from this: `names` gives each value's name, `values` the reverse.
template <class T, auto name, auto value_of>
struct NamedEnum {
  static Json write(T value) { return std::string(name(value)); }
  static void read(const Json &from, T &value) {
    const std::optional<T> found = value_of(from.get<std::string>());
    if (!found) unexpected("no such name: " + from.get<std::string>());
    value = *found;
  }
};

}  // namespace warpgrade::json
