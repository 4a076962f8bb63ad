#include "exercise_message.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

#include "base/json_fields.hpp"
#include "batch/worker_message.hpp"
#include "grading/record_fields.hpp"
#include "grading/record_json.hpp"
#include "runtime/journal/journal.hpp"
#include "runtime/journal/report.hpp"

namespace warpgrade::fuzz {
namespace {

void expect(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "a message breaks a promise: %s\n", what);
  std::abort();
}

grading::StepRecord read(const std::string &text, const grading::StepRecord *) {
  return grading::step_record_of(text);
}
grading::SubmissionRecord read(const std::string &text, const grading::SubmissionRecord *) {
  return grading::submission_record_of(text);
}

template <class Record>
void exercise_record(const std::string &text) {
  const Record *const kind = nullptr;
  Record record;
  try {
    record = read(text, kind);
  } catch (const std::runtime_error &e) {
    expect(*e.what() != '\0', "bytes that are not a record have a reason");
    return;
  }
  const std::string written = grading::to_json(record);
  expect(json::identical(read(written, kind), record), "a record comes back the same");
  expect(grading::to_json(read(written, kind)) == written, "a record is written the same again");
}

void exercise_messages(std::string_view bytes) {
  std::string received;
  std::size_t messages = 0;
  try {
    for (std::size_t piece = 1; !bytes.empty(); piece = piece * 3 % 1021) {
      received += bytes.substr(0, piece);
      bytes.remove_prefix(std::min(piece, bytes.size()));
      while (const auto message = batch::take_message(received)) {
        expect(++messages <= 1 << 20, "messages end");
        if (message->kind == 'p') {
          const double seconds = batch::seconds_of_phase(message->text);
          expect(seconds >= 0 && seconds <= batch::longest_phase, "a phase has an end");
        }
        if (message->kind == 'a') exercise_record<grading::StepRecord>(message->text);
      }
    }
  } catch (const batch::MessageError &e) {
    expect(*e.what() != '\0', "bytes that are not a message have a reason");
  }
}

void exercise_journal(const std::string &text) {
  std::istringstream in(text);
  const cuda::Journal journal = cuda::read_journal(in);
  for (const cuda::Finding &finding : journal.findings)
    expect(!cuda::to_text(finding).empty(), "a finding can be put into words");
  cuda::report({journal}, true);
  expect(!cuda::report_json({journal}, {"program"}, 1).empty(), "a journal gives a report");
}

}  // namespace

void exercise_message(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::string text(reinterpret_cast<const char *>(bytes.data()) + 1, bytes.size() - 1);
  switch (static_cast<char>(bytes[0])) {
    case 'm':
      return exercise_messages(text);
    case 's':
      return exercise_record<grading::StepRecord>(text);
    case 'r':
      return exercise_record<grading::SubmissionRecord>(text);
    case 'j':
      return exercise_journal(text);
    default:
      return;
  }
}

}  // namespace warpgrade::fuzz
