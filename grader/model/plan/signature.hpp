// The launcher of a problem as a C++ signature. A problem writes its parameters once, as text; the
// declaration for people, the mangled name that a build looks for and the recorder's call follow from this
// text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::plan {

/// How a launcher takes a parameter.
enum class Passed : unsigned char {
  integer,
  real,
  pointer,
  pointers,  ///< an array with a pointer for each device
};

struct Parameter {
  std::string type;  ///< "float" of "const float *A" and of "const float *const *A"
  std::string name;  ///< "A"
  Passed passed = Passed::integer;
  bool constant = false;        ///< a pointer to const, or pointers to const
  std::size_t value_bytes = 0;  ///< of the type; 0 if only the compiler knows (a structure)
};

class Signature {
 public:
  /// text: "int n, float a, const float *x, float *y". Types are C's integers and reals, those of <cstdint>,
  /// `__half`, `__nv_bfloat16`, `__nv_fp8_e4m3`, and names of structures, which only pointers may refer to; "float *const *z" is an
  /// array with a pointer for each device. Throws
  /// std::invalid_argument with a sentence that quotes the parameter.
  explicit Signature(std::string_view text);

  const std::string &text() const { return text_; }
  const std::vector<Parameter> &parameters() const { return parameters_; }
  std::size_t count(Passed) const;
  /// The parameter of that name, or null.
  const Parameter *find(std::string_view name) const;

 private:
  std::string text_;
  std::vector<Parameter> parameters_;
};

/// Of the pointer that such an array has for one device: "z[1]".
std::string name_on_device(std::string_view parameter, std::size_t device);

/// "void step3(int M, ...)" and "_Z5step3iiifPKfS0_fPf" (the Itanium C++ ABI) for the entry `name`.
std::string declaration(const Signature &, std::string_view name);
std::string mangled_entry(const Signature &, std::string_view name);

}  // namespace warpgrade::plan
