// Reads the questions of a step, and the facts that belong to them, from YAML.
#pragma once

#include <filesystem>
#include <vector>

#include "course/assignment.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

/// The keys "questions" and "counted_at" of a step. `kernels` are the steps before it.
std::vector<Question> read_questions(const Yaml &step, const std::vector<Step> &kernels);

/// Adds the contents of the folder's facts.yaml, if it exists. Facts for cases that a question no longer has
/// are left out, so a changed question has none until new facts are counted.
void read_facts(const std::filesystem::path &folder, Assignment &a);

/// Where a kit keeps hashes of answers instead of facts.yaml.
constexpr const char *sealed_file = "sealed.yaml";

/// Adds the contents of a kit's sealed.yaml. It is ignored if there is a facts.yaml. An answer without a hash
/// is left to the course.
void read_sealed(const std::filesystem::path &folder, Assignment &a);

}  // namespace warpgrade::course
