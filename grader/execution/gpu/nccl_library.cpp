#include <memory>

#include "gpu/library_routine.hpp"
#include "gpu/shared_library.hpp"

namespace warpgrade::gpu {
namespace {

/// The sum of the arrays of all devices, on each of them: one thread calls for all ranks, in a group.
class Nccl final : public LibraryRoutine {
 public:
  Nccl(const Context &context, const std::vector<std::string> &directories,
       const std::vector<std::int32_t> &devices)
      : context_(context), library_({"NCCL", "libnccl", {".so.2"}}, directories), devices_(devices) {
    library_.find(version_, "ncclGetVersion");
    library_.find(error_, "ncclGetErrorString");
    library_.find(init_, "ncclCommInitAll");
    library_.find(destroy_, "ncclCommDestroy");
    library_.find(begin_group_, "ncclGroupStart");
    library_.find(end_group_, "ncclGroupEnd");
    library_.find(all_reduce_, "ncclAllReduce");
  }
  ~Nccl() override { forget(); }

  std::string name_and_version() const override {
    int version = 0;
    require(version_(&version), "ncclGetVersion");
    return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100) + " from " + library_.where();
  }

  void prepare(std::span<const DeviceSpan> operands) override {
    const Back back{context_};
    const std::size_t ranks = operands.size() / 2;
    if (ranks == 0 || operands.size() % 2 != 0 || ranks > devices_.size())
      throw DriverUnavailable("an all-reduce takes two arrays of each device, and there are " +
                              std::to_string(operands.size()) + " arrays and " +
                              std::to_string(devices_.size()) + " devices");
    if (ranks != ranks_.size()) connect(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      ranks_[r].in = operands[r];
      ranks_[r].out = operands[ranks + r];
    }
  }

  bool uses_several_gpus() const override { return ranks_.size() > 1; }

  void run() override {
    const Back back{context_};
    const auto &cu = context_.driver;
    check(cu.event_record(begun_, context_.stream));
    for (const Rank &rank : ranks_)
      if (rank.context) {
        rank.context->enter();
        check(cu.stream_wait(rank.context->stream, begun_, 0));
      }
    context_.enter();
    require(begin_group_(), "ncclGroupStart");
    int status = 0;
    for (const Rank &rank : ranks_)
      if (status == 0)
        status = all_reduce_(reinterpret_cast<void *>(rank.in.at), reinterpret_cast<void *>(rank.out.at),
                             rank.in.bytes / 4, real_32, sum, rank.communicator, rank.stream(context_));
    const int ended = end_group_();  // whatever became of the calls in it
    require(status, "ncclAllReduce");
    require(ended, "ncclGroupEnd");
    for (const Rank &rank : ranks_)
      if (rank.context) {
        rank.context->enter();
        check(cu.event_record(rank.done, rank.context->stream));
        context_.enter();
        check(cu.stream_wait(context_.stream, rank.done, 0));
      }
  }

 private:
  using Communicator = void *;
  static constexpr int real_32 = 7, sum = 0;  // ncclFloat32, ncclSum

  /// The referee works in its own context, whatever happens here. An error of that is told by its next call.
  struct Back {
    const Context &context;
    ~Back() { context.driver.context_set(context.context); }
  };

  struct Rank {
    std::unique_ptr<Context> context;  ///< none for the first: it is the referee's own
    Communicator communicator = nullptr;
    CUevent done = nullptr;
    DeviceSpan in, out;
    CUstream stream(const Context &first) const { return context ? context->stream : first.stream; }
  };

  void require(int status, const char *what) const {
    if (status != 0) throw DriverUnavailable(std::string(what) + ": " + error_(status));
  }
  void check(CUresult code) const {
    if (code != CUDA_SUCCESS) throw DriverUnavailable("an all-reduce: " + context_.driver.describe(code));
  }

  void connect(std::size_t ranks) {
    forget();
    const auto &cu = context_.driver;
    const std::vector<int> devices(devices_.begin(), devices_.begin() + static_cast<std::ptrdiff_t>(ranks));
    std::vector<Communicator> communicators(ranks, nullptr);
    require(init_(communicators.data(), static_cast<int>(ranks), devices.data()), "ncclCommInitAll");
    for (std::size_t r = 0; r < ranks; ++r) {
      Rank rank;
      rank.communicator = communicators[r];
      if (r > 0) {
        rank.context = std::make_unique<Context>(context_.another(devices[r]));
        check(cu.event_create(&rank.done, CU_EVENT_DISABLE_TIMING));
      }
      ranks_.push_back(std::move(rank));
    }
    context_.enter();
    if (begun_ == nullptr) check(cu.event_create(&begun_, CU_EVENT_DISABLE_TIMING));
  }
  void forget() {
    const Back back{context_};
    for (const Rank &rank : ranks_) destroy_(rank.communicator);
    ranks_.clear();
  }

  const Context &context_;
  SharedLibrary library_;
  std::vector<std::int32_t> devices_;
  std::vector<Rank> ranks_;
  CUevent begun_ = nullptr;
  int (*version_)(int *) = nullptr;
  const char *(*error_)(int) = nullptr;
  int (*init_)(Communicator *, int, const int *) = nullptr;
  int (*destroy_)(Communicator) = nullptr;
  int (*begin_group_)() = nullptr;
  int (*end_group_)() = nullptr;
  int (*all_reduce_)(const void *, void *, std::size_t, int, int, Communicator, CUstream) = nullptr;
};

}  // namespace

std::unique_ptr<LibraryRoutine> open_nccl(const Context &context, const std::vector<std::string> &directories,
                                          const std::vector<std::int32_t> &devices) {
  return std::make_unique<Nccl>(context, directories, devices);
}

}  // namespace warpgrade::gpu
