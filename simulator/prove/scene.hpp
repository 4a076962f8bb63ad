// A launch with names in place of sizes, as symbols.
#pragma once

#include <array>
#include <vector>

#include "prove/decider.hpp"
#include "prove/expression.hpp"
#include "prove/prove.hpp"
#include "prove/state.hpp"

namespace warpgrade::prove {

struct Scene {
  const ptx::Module *module = nullptr;
  const ptx::Function *kernel = nullptr;
  Symbols symbols;
  Names sizes;
  std::array<Polynomial, 3> grid, block;                ///< gridDim, blockDim
  std::array<Polynomial, 3> block_index, thread_index;  ///< numbers where there is only one
  std::vector<MemoryObject> objects;                    ///< buffers first, in the order of the problem
  std::vector<Value> arguments;                         ///< by parameter
  Polynomial turn;                                      ///< the number of the launch; 0 if there is one only
  bool limited = false;                                 ///< buffers have at most 2^31 - 1 elements
};

/// throws std::invalid_argument, TooLarge, NotUnderstood
Scene scene_of(const Problem &, bool limit_buffers);

/// Why a device runs this launch at no sizes, so that everything would hold of it; empty if it runs it.
std::string why_no_launch(const Problem &, Decider &);

/// The symbol of a value that was loaded. What has a '?' in its name has none in the program: no size can be called so.
constexpr const char *loaded_name = "?data";

/// The object that an address is in, and the bytes from its start; -1 if the address is none of one object.
struct Place {
  int object = -1;
  Polynomial offset;
};
Place place_of(const Scene &, const Polynomial &address);

}  // namespace warpgrade::prove
