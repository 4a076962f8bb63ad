#include "nccl/perform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "nccl/services.hpp"

namespace warpgrade::nccl {
namespace {

using cuda::Arrival;
using cuda::ByteRange;
using cuda::StreamStep;

ncclResult_t result_of(cudaError_t error) {
  return error == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

/// A mark behind everything that the stream was asked to do.
std::uint64_t mark_in(const Communicator &c, std::uint64_t stream, const char *call,
                      std::span<const std::uint64_t> after = {}) {
  const std::uint64_t mark = services().new_mark();
  StreamStep step{};
  step.call = call;
  step.device = c.device;
  step.stream = stream;
  step.after = after;
  step.mark = mark;
  services().step(step);
  return mark;
}

void forget(std::vector<std::uint64_t> &marks) {
  for (const std::uint64_t one : marks) services().forget_mark(one);
  marks.clear();
}

/// The streams of a batch, each with the name of a call in it.
std::map<std::uint64_t, const char *> streams_of(const Batch &batch) {
  std::map<std::uint64_t, const char *> all;
  for (const auto &one : batch.calls) all.emplace(one->stream, one->call.name);
  return all;
}

/// Marks in all streams; each then waits for those of the others.
std::vector<std::uint64_t> join_streams(const Communicator &c, const Batch &batch,
                                        std::span<const std::uint64_t> after) {
  std::vector<std::uint64_t> marks;
  const auto streams = streams_of(batch);
  for (const auto &[stream, call] : streams) marks.push_back(mark_in(c, stream, call, after));
  if (streams.size() > 1)
    for (const auto &[stream, call] : streams) {
      std::vector<std::uint64_t> none = {mark_in(c, stream, call, marks)};
      forget(none);
    }
  return marks;
}

/// One collective of all ranks.
class Collective {
 public:
  Collective(Clique &clique, const std::vector<Posted *> &calls, Algorithm algorithm)
      : clique_(clique),
        calls_(calls),
        first_(calls[0]->call),
        kind_(kind_of(first_.what)),
        size_(bytes_of(first_.type)),
        algorithm_(kind_ == Kind::all_reduce ? algorithm : Algorithm::ring),
        plan_(plan(kind_, algorithm_, clique.size(), first_.count, first_.has_root() ? first_.peer : 0)) {}

  ncclResult_t run() {
    const cudaError_t error = order();
    if (error != cudaSuccess || services().has_failed()) return result_of(error);
    compute();
    return ncclSuccess;
  }

 private:
  /// What a rank does in one step.
  struct Part {
    std::vector<ByteRange> reads, writes;
    std::vector<Arrival> arrivals;
    std::vector<std::uint64_t> after;
    std::uint64_t device_bytes = 0;
  };

  ByteRange sent(int rank, Span span) const {
    return range(calls_[rank]->call.send, rank, span, Kind::all_gather);
  }
  ByteRange received(int rank, Span span) const {
    return range(calls_[rank]->call.receive, rank, span, Kind::reduce_scatter);
  }
  /// Elements of the whole in a buffer, which in one kind of collective holds the part of its rank alone.
  ByteRange range(const void *buffer, int rank, Span span, Kind part) const {
    const std::uint64_t skipped = kind_ == part ? static_cast<std::uint64_t>(rank) * first_.count : 0;
    return {static_cast<const std::byte *>(buffer) + (span.begin - skipped) * size_, span.length() * size_};
  }

  void add(const Move &one, std::map<int, Part> &parts, const std::vector<std::uint64_t> &passed) const {
    const std::uint64_t bytes = one.span.length() * size_;
    if (one.from == one.to) {
      const ByteRange from = sent(one.from, one.span), to = received(one.to, one.span);
      if (from.at == to.at) return;  // in place
      Part &part = parts[one.to];
      part.reads.push_back(from);
      part.writes.push_back(to);
      part.device_bytes += 2 * bytes;
      return;
    }
    Part &sender = parts[one.from];
    if (one.own) sender.reads.push_back(sent(one.from, one.span));
    Part &receiver = parts[one.to];
    receiver.arrivals.push_back({clique_.ranks[one.from]->device, bytes});
    receiver.after.push_back(passed[one.from]);
    receiver.device_bytes += (one.reduces ? 2 : 1) * bytes;
    if (one.reduces) receiver.reads.push_back(sent(one.to, one.span));
    if (one.final) receiver.writes.push_back(received(one.to, one.span));
  }

  std::string name_of_step(int step) const {
    if (clique_.size() == 1) return first_.name;
    return fmt::format("{}, {}, step {} of {}", first_.name, algorithm_ == Algorithm::tree ? "tree" : "ring",
                       step, plan_.steps);
  }

  /// The operations of all ranks, each behind what it needs: its own last one, and that of the rank from which it gets
  /// something.
  cudaError_t order() {
    cudaError_t first_error = cudaSuccess;
    std::vector<std::uint64_t> passed, old;
    for (int r = 0; r < clique_.size(); ++r)
      passed.push_back(mark_in(*clique_.ranks[r], calls_[r]->stream, first_.name));
    auto next = plan_.moves.begin();
    for (int s = 1; s <= plan_.steps && first_error == cudaSuccess; ++s) {
      std::map<int, Part> parts;
      for (; next != plan_.moves.end() && next->step == s; ++next) add(*next, parts, passed);
      if (s == 1)
        for (int r = 0; r < clique_.size(); ++r)
          if (const void *const scalar = calls_[r]->call.scaled.on_device)
            parts[r].reads.push_back({scalar, size_});
      const std::string what = name_of_step(s);
      std::vector<std::uint64_t> marks = passed;
      for (const auto &[rank, part] : parts) {
        StreamStep step{};
        step.call = first_.name;
        step.what = what;
        step.device = clique_.ranks[rank]->device;
        step.stream = calls_[rank]->stream;
        step.after = part.after;
        step.reads = part.reads;
        step.writes = part.writes;
        step.arrivals = part.arrivals;
        step.device_bytes = part.device_bytes;
        step.mark = marks[rank] = services().new_mark();
        if (const cudaError_t error = services().step(step); error != cudaSuccess) first_error = error;
      }
      for (std::size_t r = 0; r < passed.size(); ++r)
        if (marks[r] != passed[r]) old.push_back(passed[r]);
      passed = std::move(marks);
    }
    forget(old);
    forget(passed);
    return first_error;
  }

  /// What the rank's input is multiplied by.
  std::array<std::byte, 8> scalar_of(int rank) const {
    const Scaled &scaled = calls_[rank]->call.scaled;
    if (scaled.on_device == nullptr) return scaled.value;
    std::array<std::byte, 8> value = {};
    const std::string name = "the scalar of " + clique_.ranks[rank]->member().words();
    services().read({first_.name, name, {scaled.on_device, size_}, clique_.ranks[rank]->device},
                    value.data());
    return value;
  }

  void compute() {
    const int ranks = clique_.size();
    const std::uint64_t whole = whole_count(kind_, ranks, first_.count) * size_;
    std::vector<std::vector<std::byte>> values(static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) {
      values[r].resize(whole);
      if (kind_ == Kind::broadcast && r != first_.peer) continue;
      const std::uint64_t at =
          kind_ == Kind::all_gather ? static_cast<std::uint64_t>(r) * first_.count * size_ : 0;
      const std::uint64_t bytes = kind_ == Kind::all_gather ? first_.count * size_ : whole;
      const std::string name = "the send buffer of " + clique_.ranks[r]->member().words();
      services().read({first_.name, name, {calls_[r]->call.send, bytes}, clique_.ranks[r]->device},
                      values[r].data() + at);
      if (first_.reduces()) prepare(first_.type, first_.op, ranks, values[r]);
      if (first_.op == Reduction::scaled_sum) scale(first_.type, scalar_of(r), values[r]);
    }
    for (const Move &one : plan_.moves) {
      if (one.from == one.to) continue;
      const std::size_t at = one.span.begin * size_, bytes = one.span.length() * size_;
      const std::span<const std::byte> from = std::span(values[one.from]).subspan(at, bytes);
      const std::span<std::byte> to = std::span(values[one.to]).subspan(at, bytes);
      if (one.reduces)
        combine(first_.type, first_.op, from, to);
      else
        std::copy(from.begin(), from.end(), to.begin());
    }
    for (int r = 0; r < ranks; ++r) {
      if (kind_ == Kind::reduce && r != first_.peer) continue;
      const bool part = kind_ == Kind::reduce_scatter;
      const std::uint64_t bytes = part ? first_.count * size_ : whole;
      const std::span<std::byte> result =
          std::span(values[r]).subspan(part ? static_cast<std::uint64_t>(r) * bytes : 0, bytes);
      if (first_.reduces()) finish(first_.type, first_.op, ranks, result);
      services().write(first_.name, calls_[r]->call.receive, result.data(), result.size());
    }
  }

  Clique &clique_;
  const std::vector<Posted *> &calls_;
  const Call &first_;
  Kind kind_;
  std::size_t size_;
  Algorithm algorithm_;
  Plan plan_;
};

}  // namespace

void begin(Communicator &c, Batch &batch) {
  if (batch.begun) return;
  batch.begun = true;
  batch.starts = join_streams(c, batch, c.ends);
  forget(c.ends);
}

void end(Communicator &c, Batch &batch) {
  c.ends = join_streams(c, batch, {});
  forget(batch.starts);
}

ncclResult_t perform(Clique &clique, const std::vector<Posted *> &calls, Algorithm algorithm) {
  return Collective(clique, calls, algorithm).run();
}

ncclResult_t perform(Communicator &sender, const Batch &batch, const Posted &sent, Communicator &receiver,
                     const Posted &received) {
  const std::uint64_t bytes = sent.call.count * bytes_of(sent.call.type);
  const ByteRange from{sent.call.send, bytes}, to{received.call.receive, bytes};
  const std::string sends = words_of(sent.call), receives = words_of(received.call);
  StreamStep reads{};
  reads.call = sent.call.name;
  reads.what = sends;
  reads.device = sender.device;
  reads.stream = sent.stream;
  reads.reads = {&from, 1};
  StreamStep writes{};
  writes.call = received.call.name;
  writes.what = receives;
  writes.device = receiver.device;
  writes.stream = received.stream;
  writes.after = batch.starts;
  writes.writes = {&to, 1};
  const Arrival arrival{sender.device, bytes};
  writes.arrivals = {&arrival, 1};
  writes.device_bytes = bytes;
  cudaError_t error = services().step(reads);
  if (error == cudaSuccess) error = services().step(writes);
  if (error != cudaSuccess || services().has_failed()) return result_of(error);
  std::vector<std::byte> passing(bytes);
  const std::string name = "the send buffer of " + sender.member().words();
  services().read({sent.call.name, name, from, sender.device}, passing.data());
  services().write(received.call.name, received.call.receive, passing.data(), bytes);
  return ncclSuccess;
}

}  // namespace warpgrade::nccl
