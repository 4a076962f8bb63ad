#include "tests/gpu/library_cases.hpp"

#include "problem/problem.hpp"

namespace warpgrade::gpu {
namespace {

/// For what a CUDA library computes with one rounding more than a reference in double precision.
constexpr double one_rounding = 6e-8;

}  // namespace

std::vector<LibraryCase> library_cases() {
  std::vector<LibraryCase> all;
  for (const char *n : {"1", "31", "1000", "100001"}) {
    all.push_back({"sum", n});
    all.push_back({"argmin", n});
    all.push_back({"scan", n});
    all.push_back({"compact", n});
    all.push_back({"sort", n});
  }
  for (const char *size : {"n=5000 equal=1", "n=5000 reversed=1", "n=5000 extremes=1"})
    all.push_back({"sort", size});
  all.push_back({"argmin", "n=5000 equal=1"});
  all.push_back({"compact", "n=5000 negative=100"});
  all.push_back({"compact", "n=5000 negative=0"});
  for (const char *size : {"n=1 bins=1", "n=1000 bins=7", "n=100001 bins=256", "n=100001 bins=4096",
                           "n=100001 bins=256 crowded=90"})
    all.push_back({"histogram", size});
  for (const char *size : {"rows=1 columns=1 entries=1", "rows=33 columns=70 entries=300",
                           "rows=1000 columns=1000 entries=20000 power_law=1",
                           "rows=1000 columns=1000 entries=5000 dense_row=1"})
    all.push_back({"spmv_csr", size});
  for (const char *size :
       {"queries=1 keys=1", "queries=33 keys=70", "queries=100 keys=513", "queries=70 keys=40 large=1"})
    all.push_back({"attention", size});
  return all;
}

std::string difference(Referee &referee, const LibraryCase &at, LibraryTime *time) {
  const problem::Problem &p = *problem::find_problem(at.problem);
  const problem::Case size = problem::parse_case(p, at.size);
  const std::vector<run::HostBuffer> inputs = p.inputs(size, at.seed);
  std::vector<std::uint64_t> bytes;
  for (const run::HostBuffer &buffer : inputs) bytes.push_back(buffer.bytes.size());
  if (std::string why = referee.take(p.routine(), bytes); !why.empty()) return why;
  std::vector<run::HostBuffer> left = inputs;
  const LibraryTime ran = referee.compute(&inputs, &left);
  if (!ran.why.empty()) return ran.why;
  if (time != nullptr) *time = ran;
  const problem::Comparison c = p.compare(size, inputs, p.reference(size, inputs), left, one_rounding);
  if (!c.changed_inputs.empty()) return c.changed_inputs.front() + " was changed";
  if (c.wrong == 0) return "";
  return c.first.front().where + " is " + std::to_string(c.first.front().got) + ", should be " +
         std::to_string(c.first.front().want);
}

}  // namespace warpgrade::gpu
