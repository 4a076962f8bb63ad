// Pictures for handouts, each drawn from a simulator trace or from GPU measurements.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "counters/sample.hpp"
#include "course/handout.hpp"
#include "explain/walk.hpp"
#include "machine/instructions/fragments.hpp"
#include "report/measured.hpp"
#include "report/roofline.hpp"

namespace warpgrade::report {

struct Drawing {
  std::string svg;
  std::map<std::string, std::string> facts;  ///< figures that its caption may want: "sectors" is "32"
};

/// A call of a solution whose block was traced.
struct TracedCall {
  const course::Figure &figure;
  std::string step_title;
  std::string case_name;
  std::vector<std::pair<std::string, problem::Extent>> buffers;  ///< in the order of the signature
  std::vector<simt::TracedRequest> trace;
};

/// Loads from a matrix with this layout, or stores to it.
inline explain::Walk walk_over(const std::string &buffer, bool store, const problem::Extent &e) {
  return {buffer, store, e.pitch, e.by_columns};
}

/// Draws any kind that comes from a trace. Throws std::runtime_error with what to change in the
/// handout's head.
Drawing draw(const TracedCall &);

/// Steps at their measured rates, over their intensities, with thresholds as boxes.
/// roof   its points have `gflops`; its first bandwidth is drawn
Drawing draw_roofline(const std::string &name, const Roofline &roof, const course::Thresholds &,
                      const Measured &);

/// Which lane holds which element of mma.m16n8k16; those of figure.lanes[0] are painted.
Drawing draw_fragment(const course::Figure &);

/// What each device holds of the arrays of a problem, at figure.at. Throws std::runtime_error if there is one
/// device.
Drawing draw_devices(const course::Figure &, const std::string &step_title, const problem::Problem &);

/// An all-reduce around a ring of figure.devices devices, round by round: whose elements are in which sum.
Drawing draw_ring(const course::Figure &);

// Drawings of both handouts and reports. `name` distinguishes pictures of one page.

/// Which lane holds which element of a product. The elements of `lane` are painted by register.
std::string draw_fragments(const std::string &name, std::string_view instruction,
                           const simt::tensor::Fragments &, std::uint32_t lane);
/// The words or pieces that a request accesses in shared memory, over the banks.
/// what   the words of its heading: "step3: ldmatrix"
std::string draw_request_over_banks(const std::string &name, const std::string &what,
                                    const simt::LaneSample &);
/// The tile that an asynchronous copy writes, likewise: LaneSample::written.
std::string draw_tile_over_banks(const std::string &name, const std::string &what, const simt::LaneSample &);

// The kinds, for draw().
Drawing draw_threads(const TracedCall &);
Drawing draw_sectors(const TracedCall &);
Drawing draw_banks(const TracedCall &);
Drawing draw_tiles(const TracedCall &);
Drawing draw_results(const TracedCall &);

}  // namespace warpgrade::report
