// Runs the kernel `scale(float *x, int n)` of a PTX file on an array that is too short for it, and prints what the
// simulator says.
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "base/files.hpp"
#include "machine/device.hpp"

int main(int, char **arguments) {
  using namespace warpgrade;
  simt::Device device;
  device.load(std::make_shared<const ptx::Module>(ptx::parse(read_whole(arguments[1]))));

  const std::vector<float> numbers(100, 1.0f);
  const simt::Address x = device.allocate(400, "x");
  device.write(x, std::as_bytes(std::span(numbers)));
  const int n = 128;  // wrong: the array has 100 elements

  simt::Launch launch;
  launch.kernel = "scale";
  launch.block = {128, 1, 1};
  launch.arguments.resize(12);
  std::memcpy(launch.arguments.data(), &x, sizeof x);
  std::memcpy(launch.arguments.data() + 8, &n, sizeof n);
  const simt::LaunchResult result = device.launch(launch);

  std::puts(name_of(result.status).data());
  for (const simt::Diagnostic &found : result.diagnostics) std::puts(to_text(found).c_str());
}
