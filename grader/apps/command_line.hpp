// Options that several commands share, and how words are parsed. Only apps/ includes CLI11, through this
// header.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "setup/selection.hpp"

namespace warpgrade::apps {

void add_common_options(CLI::App &, Common &);

/// --toolchain of every command that compiles.
void add_toolchain_option(CLI::App &, std::string &toolchain);

/// While the result lives, commands are not run: parse() hands what a command understands to `reader`
/// instead.
[[nodiscard]] std::shared_ptr<void> describe_to(std::function<void(const CLI::App &)> reader);

/// Gives the exit status when there is nothing more to do: after --help, a mistake, or a description.
std::optional<int> parse(CLI::App &, const std::vector<std::string> &words);

/// Before anything that takes time: throws UsageError when the file that one of these options names cannot be
/// written.
void require_writable(const CLI::App &, const std::vector<std::string> &options);

}  // namespace warpgrade::apps
