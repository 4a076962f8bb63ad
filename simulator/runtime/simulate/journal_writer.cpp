#include "runtime/simulate/journal_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "trace/recording_json.hpp"

namespace warpgrade::cuda {
namespace {

constexpr std::size_t most_findings = 500;  // a person reads fewer; the rest is counted

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

/// What a launch is refused for, in a loop over its sizes too.
std::string without_numbers(std::string words) {
  std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });
  return words;
}

/// One place is one finding, whatever the allocation is called in the next round of a loop; two allocations of
/// one launch are two. What has no place, such as a refused launch, is told apart by its words.
std::string place_of(const Finding &f) {
  const auto at = [](const std::optional<simt::Side> &side) {
    return side ? fmt::format("{}:{}", side->at.file, side->at.line) : std::string();
  };
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", f.code, simt::name_of(f.severity), f.call, f.kernel,
                     at(f.here), at(f.other), f.ordinal,
                     !f.call.empty() ? f.message
                     : f.here        ? std::string()
                                     : without_numbers(f.message));
}

}  // namespace

JournalWriter::JournalWriter(std::string folder) : folder_(std::move(folder)) {
  open();
}

void JournalWriter::open() {
  process_ = ::getpid();
  if (folder_.empty()) return;
  const std::string file = fmt::format("{}/journal.{}", folder_, process_);
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  // Out of the way of programs that count on the next free numbers.
  if (const int high = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 200); high >= 0) {
    ::close(descriptor_);
    descriptor_ = high;
  }
  write_all(descriptor_, line_of_start(process_));
}

void JournalWriter::adopt() {
  process_ = ::getpid();
}

void JournalWriter::write(const std::string &text) {
  write_all(descriptor_, text);
}

void JournalWriter::note(Finding finding) {
  if (::getpid() != process_) {  // the program forked: what the parent found is the parent's
    *this = JournalWriter(folder_);
  }
  const auto [known, fresh] = known_.try_emplace(place_of(finding), findings_.size());
  if (!fresh) {
    Finding &first = findings_[known->second];
    first.count += finding.count;
    first.launches += finding.launches;
    return;
  }
  if (findings_.size() >= most_findings) {
    known_.erase(known);
    return;
  }
  if (folder_.empty())
    write_all(2, fmt::format("simt: {}\n", to_text(finding)));
  else
    write(line_of(findings_.size(), finding));
  written_.push_back(finding.count);
  findings_.push_back(std::move(finding));
}

void JournalWriter::note_launch(const std::string &kernel, std::uint64_t threads,
                                const simt::Counters &counters) {
  ++launches_;
  KernelTotals &totals = kernels_[kernel];
  totals.kernel = kernel;
  totals.launches += 1;
  totals.threads += threads;
  totals.counters += counters;
}

void JournalWriter::keep(const simt::Recording &recording) const {
  if (folder_.empty() || ::getpid() != process_) return;
  const std::string file = fmt::format("{}/recording.{}", folder_, process_);
  const int to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (to < 0) return;
  write_all(to, json::write(recording).dump());
  ::close(to);
}

void JournalWriter::note_operation(const links::Operation &one) {
  if (!folder_.empty() && ::getpid() == process_) write(line_of(one));
}

void JournalWriter::note_timing() {
  timed_ = true;
}

void JournalWriter::finish(bool ended_by_itself) {
  if (finished_ || folder_.empty() || ::getpid() != process_) return;
  std::string all;
  for (std::size_t i = 0; i < findings_.size(); ++i)
    if (findings_[i].count != written_[i]) all += line_of_repetition(i, findings_[i]);
  for (const auto &[name, totals] : kernels_) all += line_of(totals);
  Journal end;
  end.launches = launches_;
  end.timed = timed_;
  end.finished = ended_by_itself;
  write(all + line_of_end(end));
  finished_ = true;
}

Finding finding_of(const simt::Diagnostic &d) {
  Finding f;
  f.code = simt::name_of(d.code);
  f.severity = d.severity;
  f.message = d.message;
  f.kernel = d.kernel;
  if (d.code != simt::Code::launch_error || d.here.at.line > 0) f.here = d.here;
  f.other = d.other;
  f.buffer = d.buffer;
  f.distance_bytes = d.distance_bytes;
  f.count = d.count;
  // A variable that two files have was renamed when it was loaded.
  if (const auto clone = f.kernel.rfind(" [clone ."); clone != std::string::npos) f.kernel.resize(clone);
  return f;
}

}  // namespace warpgrade::cuda
