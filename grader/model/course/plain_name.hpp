// Names in assignment.yaml. File names go to a compiler, and entries into a symbol, so they are plain words.
#pragma once

#include <string>
#include <string_view>

#include "course/yaml.hpp"

namespace warpgrade::course {

bool is_step(std::string_view name);          ///< step1
bool is_assignment(std::string_view name);    ///< hw6, bug-hunts
bool is_entry(std::string_view name);         ///< a function of C
bool is_file(std::string_view name);          ///< of CUDA: step1.cu
bool is_answer_file(std::string_view name);   ///< answers.yaml
bool is_header(std::string_view name);        ///< gemm.h
bool is_architecture(std::string_view name);  ///< compute_80

/// The text of a scalar, which must be such a name of at most 100 bytes. accepted: what it must be, for the message.
/// Throws ConfigError.
std::string plain_name(const Yaml &y, bool (*accepts)(std::string_view), const char *accepted);

}  // namespace warpgrade::course
