// Questions of a step, and the facts that belong to them, as the YAML spells them.
#pragma once

#include <filesystem>
#include <vector>

#include "course/assignment.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

/// The keys "questions" and "counted_at" of a step. `kernels` are the steps before it.
std::vector<Question> read_questions(const Yaml &step, const std::vector<Step> &kernels);

/// Adds what facts.yaml of the folder says, where there is such a file. Facts for cases that a question is
/// not asked about are left out, so that a changed question waits for new ones.
void read_facts(const std::filesystem::path &folder, Assignment &a);

/// Where a kit keeps hashes of answers in place of facts.yaml.
constexpr const char *sealed_file = "sealed.yaml";

/// Adds what sealed.yaml of a kit says. It is ignored beside facts.yaml. An answer that it has no hash of is
/// left to the course.
void read_sealed(const std::filesystem::path &folder, Assignment &a);

}  // namespace warpgrade::course
