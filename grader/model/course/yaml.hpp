// A strict view of a YAML file: every key is known, occurs once and has the right type; otherwise, an error
// names file and line. It rejects what yaml-cpp tolerates (repeated keys, octal, null, scalars where
// maps belong).
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::course {

/// All of a file. Throws ConfigError.
std::string text_of(const std::filesystem::path &file);

/// One node together with the file it came from. Cheap to copy.
class Yaml {
 public:
  /// Reads the one document of a file. Throws ConfigError if it cannot be read or is not valid YAML.
  static Yaml read(const std::filesystem::path &file);
  /// The same from text; `name` stands for the file in messages.
  static Yaml parse(const std::string &text, const std::string &name);

  [[noreturn]] void fail(const std::string &what) const;
  /// The same for a mistake in the key that led here, which may be some lines above its value.
  [[noreturn]] void fail_at_key(const std::string &what) const;
  int line() const;

  /// Fails unless this is a map whose keys are all in `known`, none of them twice.
  void expect_keys(std::initializer_list<std::string_view> known) const { expect_keys(std::vector(known)); }
  void expect_keys(const std::vector<std::string_view> &known) const;
  bool has(std::string_view key) const;
  Yaml at(std::string_view key) const;  ///< fails if it is missing
  std::optional<Yaml> find(std::string_view key) const;

  bool is_map() const { return node_.IsMap(); }
  std::vector<Yaml> items() const;                            ///< of a list with at least one item
  std::vector<std::pair<std::string, Yaml>> entries() const;  ///< of a map, each key once

  std::string text() const;           ///< a scalar that is not empty
  std::string text_or_empty() const;  ///< a scalar, or nothing at all
  bool boolean() const;               ///< true or false
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  double real(double least, double most) const;  ///< finite; decimal notation
  std::string one_of(std::initializer_list<std::string_view> accepted) const;

 private:
  Yaml(std::string file, YAML::Node node, std::string label, int key_line = 0)
      : file_(std::move(file)), label_(std::move(label)), node_(std::move(node)), key_line_(key_line) {}
  std::string scalar(std::string_view wanted) const;

  std::string file_, label_;  // label: the key that led here, for messages
  YAML::Node node_;
  int key_line_;  // the place of the key: an absent value has no place of its own
};

}  // namespace warpgrade::course
