// Cases of every problem that has a problem.cu: what test_problem tries on the host and test_gpu on a GPU.
#pragma once

#include <ostream>
#include <vector>

namespace warpgrade::problem {

struct OnDeviceTest {
  const char *problem, *size;
};

inline void PrintTo(const OnDeviceTest &test, std::ostream *out) {
  *out << test.problem << " at " << test.size;
}

inline std::vector<OnDeviceTest> on_device_tests() {
  return {{"copy_matrix", "rows=33 columns=70"},
          {"transpose", "rows=33 columns=70"},
          {"transpose", "rows=257 columns=1"},
          {"vector_add", "0"},
          {"vector_add", "1001"},
          {"saxpy", "n=1001 a=-0.75"},
          {"grey", "height=31 width=45"},
          {"filter", "height=3 width=50"},
          {"filter", "height=64 width=33"},
          {"separable", "height=35 width=50"},
          {"stencil", "depth=5 height=7 width=33"},
          {"stencil", "depth=1 height=1 width=1"},
          {"scan", "0"},
          {"scan", "1024"},
          {"scan", "70001"},
          {"compact", "0"},
          {"compact", "n=70001 negative=90"},
          {"compact", "n=5000 negative=0"},
          {"compact", "n=5000 negative=100"},
          {"sum", "0"},
          {"sum", "n=70001 exact=1"},
          {"sum", "n=1000 exact=0"},
          {"argmin", "n=1"},
          {"argmin", "n=70001"},
          {"argmin", "n=5000 equal=1"},
          {"histogram", "n=100001 bins=256 crowded=90"},
          {"histogram", "n=1000 bins=7"},
          {"spmv_csr", "rows=1 columns=1 entries=1"},
          {"spmv_csr", "rows=1000 columns=1000 entries=20000 power_law=1"},
          {"spmv_csr", "rows=100 columns=5000 entries=9000 dense_row=1 exact=0"},
          {"spmv_csr", "rows=33 columns=70 entries=300 cancelling=1"},
          {"spmv_csr", "rows=33 columns=70 entries=300 equal=1"},
          {"softmax", "rows=5 columns=300"},
          {"softmax", "rows=4 columns=33 large=1"},
          {"softmax", "rows=3 columns=1 equal=1"},
          {"attention", "queries=7 keys=33"},
          {"attention", "queries=3 keys=70 large=1"}};
}

}  // namespace warpgrade::problem
