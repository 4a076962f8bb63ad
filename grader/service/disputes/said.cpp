#include "service/disputes/said.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "service/disputes/disputes.hpp"
#include "service/disputes/forms.hpp"
#include "service/orders.hpp"

namespace warpgrade::service {

namespace {

const DisputeMessage *last_of_staff(const std::vector<DisputeMessage> &all) {
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [](const DisputeMessage &m) { return m.kind != DisputeKind::comment; });
  return found == all.rend() ? nullptr : &*found;
}

std::string decided_in_words(DisputeKind kind) {
  switch (kind) {
    case DisputeKind::points:
      return "points by hand";
    case DisputeKind::our_fault:
      return "the grader was wrong, which is our fault and not yours";
    default:
      return "answer";
  }
}

}  // namespace

std::vector<std::string> said_of(const Dispute &d, const std::vector<DisputeMessage> &messages) {
  std::vector<std::string> sentences;
  const std::string which = fmt::format("Dispute {} ({})", d.id, about_in_words(d.about));
  bool decided = false, was_our_fault = false;
  for (const DisputeMessage &m : messages) {
    if (m.kind == DisputeKind::our_fault) was_our_fault = true;
    if (m.kind == DisputeKind::comment || taken_back(messages, m)) continue;
    decided = m.kind != DisputeKind::reopened;
    if (decided)
      sentences.push_back(fmt::format("{}, {}: {}", which, decided_in_words(m.kind), in_one_line(m.text)));
    else if (&m == last_of_staff(messages))
      sentences.push_back(fmt::format("{} is open again{}: {}", which,
                                      was_our_fault ? ", and that the grader was wrong is taken back" : "",
                                      in_one_line(m.text)));
    if (!decided) was_our_fault = false;
  }
  if (decided && d.open) sentences.push_back(which + " is open again, after a further comment.");
  return sentences;
}

namespace {

void read_decisions(gradebook::FromService &from, const std::filesystem::path &service,
                    const std::string &assignment) {
  ServiceStore store(service, ServiceStore::Access::read);
  Disputes disputes(store);
  std::vector<std::string> students;
  batch::Statement rows =
      store.database().prepare("SELECT DISTINCT student FROM dispute WHERE assignment = ?");
  for (rows.text(assignment); rows.step();) students.push_back(rows.text_at(0));
  for (const std::string &student : students) {
    std::vector<Dispute> all = disputes.of_student(student);  // the latest first
    std::reverse(all.begin(), all.end());
    for (const Dispute &d : all)
      if (d.about.assignment == assignment)
        for (std::string &sentence : said_of(d, disputes.messages(d.id)))
          from.notes[student].push_back(std::move(sentence));
  }
  for (const Order &o : Orders(store).open(assignment))
    if (o.kind == Order::Kind::points || o.kind == Order::Kind::withdraw) from.undecided.insert(o.student);
}

}  // namespace

gradebook::FromService from_service(const std::filesystem::path &class_folder) {
  std::filesystem::path of_class = std::filesystem::weakly_canonical(class_folder);
  if (of_class.filename().empty()) of_class = of_class.parent_path();  // "course/hw6/"
  if (!std::filesystem::exists(of_class.parent_path() / service_store_name)) return {};
  gradebook::FromService from;
  try {
    read_decisions(from, of_class.parent_path(), of_class.filename().string());
  } catch (const batch::StoreError &e) {
    from = {};
    from.unread = e.what();
  }
  return from;
}

}  // namespace warpgrade::service
