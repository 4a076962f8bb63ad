// The YAML of an assignment as blocks of text: what a new assignment takes from another one, word for word. Internal to
// hunt/.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpgrade::hunt {

/// A key at some indentation, and its lines, those of its value included. Comments on lines of their own are left out.
using Block = std::pair<std::string, std::string>;
std::vector<Block> blocks_of(std::string_view text, std::size_t indent);
/// The text of one of them; "" if there is none.
std::string block_of(const std::vector<Block> &, std::string_view key);

/// The items of the block "steps", each with its keys as blocks; the dash of an item has become a blank.
std::vector<std::vector<Block>> steps_of(std::string_view steps);

}  // namespace warpgrade::hunt
