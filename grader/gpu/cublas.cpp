#include <array>
#include <cstring>
#include <limits>
#include <system_error>

#include "gpu/conversation.hpp"
#include "gpu/gpu.hpp"

namespace warpgrade::gpu {
namespace {

/// A product of ours that takes longer than this has hung.
constexpr double product_seconds = 60;

std::string check_sizes(const Sgemm &p, const std::vector<float> &a, const std::vector<float> &b,
                        const std::vector<float> &c) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (const auto size : {p.m, p.n, p.k})
    if (size < 1 || size > most) return "cuBLAS takes sizes from 1 to " + std::to_string(most);
  const auto wrong = [](const std::vector<float> &matrix, std::int64_t rows, std::int64_t columns) {
    return matrix.size() != static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
  };
  if (wrong(a, p.m, p.k) || wrong(b, p.k, p.n) || wrong(c, p.m, p.n))
    return "the matrices for cuBLAS do not have the sizes of the problem";
  return "";
}

}  // namespace

struct CublasReference::State {
  DeviceInfo device;
  ChildOptions options;
  std::unique_ptr<ChildProcess> child;
  std::string version;

  std::string start() {
    if (child) return "";
    try {
      child = std::make_unique<ChildProcess>(options, "--gpu-cublas-child");
    } catch (const std::system_error &error) {
      return std::string("the cuBLAS process could not be started: ") + error.what();
    }
    Writer set_up;
    set_up.put(std::int32_t{device.index}).put(std::uint64_t{options.cublas_directories.size()});
    for (const auto &directory : options.cublas_directories) set_up.put_text(directory);
    child->send(Message::set_up_cublas, set_up);
    const auto answer = child->wait(now() + options.setup_seconds);
    auto why = unexpected(answer, Message::ready, "setting up cuBLAS", options.setup_seconds);
    try {
      if (why.empty()) version = Reader(answer.payload).get_text();
    } catch (const WireError &error) {
      why = std::string("the cuBLAS process gave an unreadable answer: ") + error.what();
    }
    if (!why.empty()) child.reset();
    return why;
  }
};

CublasReference::CublasReference(DeviceInfo device, ChildOptions options)
    : state_(std::make_unique<State>()) {
  state_->device = std::move(device);
  state_->options = std::move(options);
}
CublasReference::~CublasReference() = default;
CublasReference::CublasReference(CublasReference &&) noexcept = default;
CublasReference &CublasReference::operator=(CublasReference &&) noexcept = default;
const std::string &CublasReference::version() const {
  return state_->version;
}

CublasResult CublasReference::sgemm(const Sgemm &problem, const std::vector<float> &a,
                                    const std::vector<float> &b, const std::vector<float> &c,
                                    const SampleOptions &options) {
  CublasResult result;
  if (result.why = check_sizes(problem, a, b, c); !result.why.empty()) return result;
  if (result.why = state_->start(); !result.why.empty()) return result;

  std::array<std::uint64_t, 3> offsets{};
  std::uint64_t shared_bytes = 0;
  const std::array<const std::vector<float> *, 3> matrices{&a, &b, &c};
  for (std::size_t i = 0; i < 3; ++i) {
    offsets[i] = shared_bytes;
    shared_bytes += (matrices[i]->size() * sizeof(float) + 4095) / 4096 * 4096;
  }
  Writer request;
  request.put(shared_bytes);
  for (const auto size : {problem.m, problem.n, problem.k}) request.put(static_cast<std::int32_t>(size));
  request.put(problem.alpha).put(problem.beta);
  for (std::size_t i = 0; i < 3; ++i)
    request.put(offsets[i]).put(std::uint64_t{matrices[i]->size() * sizeof(float)});
  request.put(std::uint8_t{options.flush_l2}).put(options.spin_seconds);
  try {
    const auto shared = state_->child->share(shared_bytes);
    for (std::size_t i = 0; i < 3; ++i)
      std::memcpy(shared.data() + offsets[i], matrices[i]->data(), matrices[i]->size() * sizeof(float));
    const auto exchange = converse(*state_->child, request, state_->options.setup_seconds, product_seconds);
    if (exchange.how != Exchange::How::answered || exchange.end != run::End::completed) {
      result.why = "cuBLAS: " + exchange.message;
      state_->child.reset();
      return result;
    }
    result.sample = exchange.sample;
    result.c.resize(c.size());
    std::memcpy(result.c.data(), shared.data() + offsets[2], c.size() * sizeof(float));
  } catch (const std::system_error &error) {
    result.why = error.what();
  }
  return result;
}

}  // namespace warpgrade::gpu
