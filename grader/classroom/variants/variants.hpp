// Variants of an assignment: the same exercise with other choices, such as the type of the numbers or what is
// computed. The key `variants` of assignment.yaml names a file beside it, which has parameters with values; a
// value says how the assignment's files are edited. A variant is one value of each parameter, and a course of
// its own: the files as they are, edited, without that key. A kit has neither the file nor the key.
//
// A student's variant follows from the id on the roster and the secret of the assignment, and nothing else.
//
// Everything throws course::ConfigError with file and line, or UsageError.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpgrade::variants {

/// The usual name of the file.
inline constexpr char variants_file[] = "variants.yaml";

/// Replaces texts in some of an assignment's files.
struct Edit {
  std::vector<std::string> in;  ///< patterns of names, with * and ?: "*.cu", "assignment.yaml"
  bool words = false;           ///< only where no letter, digit or underscore is beside the text
  bool optional = false;        ///< it may change nothing, as after edits of other parameters
  std::vector<std::pair<std::string, std::string>> texts;  ///< from, to; one after the other
  std::string place;                                       ///< "FILE:LINE", for messages
  /// Words outside of strings and of comments with //, and what each becomes, all at the same time: two may change places.
  /// Such an edit has no `texts`.
  std::map<std::string, std::string> code = {};
};

/// A value of a parameter. The first one of each is that of the files as they are, and has no edits.
struct Value {
  std::string name, says;  ///< says: sentences for the student
  std::vector<Edit> edits;
};
struct Parameter {
  std::string name;
  std::vector<Value> values;
};

/// For each parameter, the number of its value.
using Variant = std::vector<std::size_t>;

struct Variants {
  std::string assignment;
  std::vector<Parameter> parameters;  ///< in the order in which their edits are made
  std::string file = variants_file;   ///< in the assignment's folder
  std::size_t size() const;           ///< how many variants there are
  Variant at(std::size_t number) const;
  /// "element=int operation=squares"
  std::string name_of(const Variant &) const;
  /// What name_of() writes, with the parameters in any order; one that is missing has its first value. Throws
  /// UsageError with what there is.
  Variant parse(std::string_view name) const;
  /// What is asked of the student: the sentences of the values.
  std::string says(const Variant &) const;
};

/// None: assignment.yaml has no key `variants`.
std::optional<Variants> read_variants(const std::filesystem::path &assignment_folder);

/// assignment.yaml without the line that names the file.
std::string without_key(const std::string &assignment_yaml);

/// Which variant a student has.
Variant variant_of(const Variants &, std::string_view student, std::string_view secret);

/// The files of an assignment by the names that edits know: those of solutions/NAME and starter/NAME by their
/// own, assignment.yaml, hidden.yaml, thresholds/GPU.yaml, and the handout as handout.md, handout.html.
using Texts = std::map<std::string, std::string>;
/// Makes the edits of a variant. Gives the places of those that had to change something and did not.
std::vector<std::string> edit(const Variants &, const Variant &, Texts &);

/// Writes the course of a variant into a folder, with this assignment alone: assignments/, starter/,
/// solutions/ and handouts/, as far as the course has them. Edits that change nothing in the assignment or its
/// solution are errors.
void write_course(const std::filesystem::path &root, const Variants &, const Variant &,
                  const std::filesystem::path &to);

/// A file of written handouts as the variant has it: the sentences of the variant at its top, and nothing of
/// paragraphs that became `<p hidden>`.
std::string edited_page(const Variants &, const Variant &, std::string html);

/// The secrets of a course, one for each assignment: lines "NAME SECRET LIST" of a file that only its owner
/// reads. LIST is a hash of the parameters and their values, on which it depends who has which variant.
inline constexpr char secrets_file[] = "variants.secret";
std::optional<std::string> secret_of(const std::filesystem::path &file, const std::string &assignment);
/// Whether both have the same parameters and values in the same order: then everybody has the same variant by both.
bool same_list(const Variants &, const Variants &);
/// What is said where an assignment has variants, and `secrets` no secret of it.
std::string nobody_has_a_variant(const std::filesystem::path &secrets, const std::string &assignment);
/// What is said where files were graded as variants, and `kept` does not have the secret any more.
std::string secret_is_missing(const std::filesystem::path &kept, const std::string &assignment);
/// Throws UsageError that says what to do if the file's secret was drawn for other parameters or values.
void demand_same_list(const std::filesystem::path &file, const Variants &, bool of_class = false);
/// The secret; draws one if there is none yet, or if a new one is asked for, which makes the old one a comment.
/// Throws as demand_same_list() does.
std::string secret_or_new(const std::filesystem::path &file, const Variants &, bool new_one = false);
/// The line for a file of secrets.
std::string secret_line(const Variants &, const std::string &secret);

/// In a class, a file is graded as its student's variant: a last line says which one. So the same file of two
/// students with different variants is two files, each with a result of its own. file_name  of its step
std::string marked(std::string content, std::string_view file_name, std::string_view variant);
/// The content, where there are no variants: a mark that a student has written becomes a part of it.
std::string without_a_mark(std::string content, std::string_view file_name);
struct Unmarked {
  std::string content, variant;  ///< variant: empty if there is no mark
};
Unmarked unmarked(std::string_view content);

/// What a student learns whose file is wrong, and right for another variant: what that one asks for.
std::string right_for_another(const Variants &, const Variant &own, const Variant &other);
/// The other variant's choices, if that is in `reason`; empty: it is not.
std::string other_variant_in(std::string_view reason);

struct Options {
  std::string assignment;
  std::vector<std::string> choices;  ///< "element=int"; with `out`: of the variant that is written
  std::string student, secret, out;
};
/// ./gradebook variants: lists the variants, says which one a student has, or writes the course of one. Gives the
/// exit status.
int variants(const Options &);

}  // namespace warpgrade::variants
