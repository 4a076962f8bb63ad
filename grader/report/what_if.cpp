#include "report/what_if.hpp"

#include <fmt/format.h>

#include "report/text.hpp"
#include "whatif/kept.hpp"

namespace warpgrade::report {

std::vector<std::string> promises_in_words(const predict::StepPrediction &p) {
  std::vector<std::string> all;
  for (const predict::Promise &one : p.prediction.promises)
    all.push_back(fmt::format("with {}: {:.0f} → {:.0f} {} predicted ({:.0f} to {:.0f})",
                              whatif::in_words(one, p.file), p.rate(p.prediction.seconds),
                              p.rate(one.seconds), p.problem->rate_unit(), p.rate(one.high),
                              p.rate(one.low)));
  return all;
}

std::vector<std::string> kept_in_words(const predict::StepPrediction &p,
                                       const std::optional<double> &measured) {
  std::vector<std::string> all;
  for (const predict::KeptPromise &k : p.kept)
    all.push_back(fmt::format("{}: {:.0f} {} (from {:.0f}); predicted now {:.0f}{}", k.what, k.promised,
                              p.problem->rate_unit(), k.before, p.rate(p.prediction.seconds),
                              measured ? fmt::format(", measured {:.0f}", *measured) : ""));
  return all;
}

void put_what_if(Json &j, const predict::StepPrediction &p) {
  for (const predict::Promise &one : p.prediction.promises) {
    Json lines = Json::array();
    for (const simt::SourceLine &at : one.lines)
      lines.push_back({{"file", for_json(at.file)}, {"line", at.line}});
    j["what_if"].push_back({{"lines", lines},
                            {"cure", one.cure},
                            {"likely", number(p.rate(one.seconds))},
                            {"low", number(p.rate(one.high))},
                            {"high", number(p.rate(one.low))}});
  }
  for (const predict::KeptPromise &k : p.kept)
    j["kept"].push_back(
        {{"what", for_json(k.what)}, {"before", number(k.before)}, {"promised", number(k.promised)}});
}

std::vector<std::string> what_if_lines(const predict::StepPrediction &p) {
  std::vector<std::string> all = promises_in_words(p);
  if (all.empty()) return all;
  all.insert(all.begin(),
             fmt::format("What if, predicted for {} at {}:", p.gpu, p.problem->case_name(p.size)));
  return all;
}

}  // namespace warpgrade::report
