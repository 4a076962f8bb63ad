#include "gpu/conversation.hpp"

namespace warpgrade::gpu {
namespace {

run::End checked_end(std::uint32_t value) {
  const auto end = run::End{static_cast<std::uint8_t>(value)};
  return value > static_cast<std::uint32_t>(run::End::our_failure) || end == run::End::unsupported
             ? run::End::our_failure
             : end;
}

std::string in_seconds(double seconds) {
  auto text = std::to_string(seconds);
  text.erase(text.find('.') + 2);
  return text + " s";
}

/// Fills in what a `finished` message says.
void read_finished(const Answer &answer, Exchange &exchange) {
  Reader reader(answer.payload);
  exchange.end = checked_end(reader.get<std::uint32_t>());
  exchange.message = reader.get_string();
  exchange.sample.seconds = reader.get<double>();
  exchange.sample.host_seconds = reader.get<double>();
  exchange.energy = get_energy(reader);
  exchange.how = Exchange::How::answered;
}

}  // namespace

void put_energy(Writer &to, const run::Energy &e) {
  to.put(e.joules).put(e.wrong_by).put(e.watts).put(e.seconds).put(e.runs).put_string(e.why_not);
}

run::Energy get_energy(Reader &from) {
  run::Energy e;
  for (double *value : {&e.joules, &e.wrong_by, &e.watts, &e.seconds, &e.runs}) *value = from.get<double>();
  e.why_not = from.get_string();
  return e;
}

std::string unexpected(const Answer &answer, Message wanted, const std::string &during, double seconds) {
  switch (answer.kind) {
    case Answer::Kind::deadline:
      return "the GPU process did not finish " + during + " within " + in_seconds(seconds);
    case Answer::Kind::died:
      return "the GPU process ended while " + during + ": " + answer.how;
    case Answer::Kind::message:
      break;
  }
  if (answer.type == wanted) return "";
  if (answer.type != Message::failed) return "the GPU process gave an answer out of turn while " + during;
  try {
    Reader reader(answer.payload);
    return reader.get_string();
  } catch (const WireError &) {
    return "the GPU process failed while " + during + " and gave no reason";
  }
}

Exchange converse(ChildProcess &child, const Writer &request, double setup_seconds, double run_seconds) {
  Exchange exchange;
  const auto failed = [&exchange](std::string why) {
    exchange.how = Exchange::How::failed;
    exchange.end = run::End::our_failure;
    exchange.message = std::move(why);
    return exchange;
  };
  try {
    const bool sent = child.send(Message::run, request);
    auto answer = sent ? child.wait(now() + setup_seconds) : Answer{};
    if (answer.kind == Answer::Kind::died) {
      failed(sent ? unexpected(answer, Message::armed, "preparing a run", setup_seconds)
                  : "the GPU process was gone before a run");
      exchange.how = Exchange::How::gone_before;
      return exchange;
    }
    if (answer.kind == Answer::Kind::message && answer.type == Message::finished) {
      read_finished(answer, exchange);
      if (exchange.end == run::End::completed)
        return failed("the GPU process finished before it had started");
      return exchange;
    }
    if (auto why = unexpected(answer, Message::armed, "preparing a run", setup_seconds); !why.empty())
      return failed(std::move(why));
    exchange.armed = std::move(answer.payload);

    const double begin = now();
    if (!child.send(Message::go, {})) return failed("the GPU process was gone when a run should have begun");
    answer = child.wait(begin + run_seconds);
    const double end = now();
    if (answer.kind == Answer::Kind::deadline) {
      exchange.how = Exchange::How::deadline;
      exchange.end = run::End::time_limit;
      exchange.message = "did not finish within " + in_seconds(run_seconds);
      return exchange;
    }
    if (auto why = unexpected(answer, Message::finished, "running", run_seconds); !why.empty())
      return failed(std::move(why));
    read_finished(answer, exchange);
    exchange.sample.outer_seconds = end - begin;
    if (exchange.end != run::End::completed) return exchange;

    answer = child.wait(now() + setup_seconds);
    if (auto why = unexpected(answer, Message::outputs, "collecting the outputs", setup_seconds);
        !why.empty())
      return failed(std::move(why));
    exchange.outputs = std::move(answer.payload);
  } catch (const WireError &error) {
    return failed(std::string("the GPU process gave an unreadable answer: ") + error.what());
  }
  return exchange;
}

}  // namespace warpgrade::gpu
