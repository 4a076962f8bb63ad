// What holds for all sizes, in HTML: a part of a submission's page, and a page by itself.
#include "report/html_parts.hpp"
#include "report/proof.hpp"
#include "report/region.hpp"

namespace warpgrade::report {

namespace {

constexpr const char *proof_body = R"(<main id="main">
<h1>{{title}}, for all sizes</h1>
<p>{{sizes}}</p>
<ul>{{#launches}}<li>{{text}}</li>{{/launches}}</ul>
<div class="wide"><table class="stack">
<caption>What holds at every size of the contract</caption>
<thead><tr><th scope="col">Property</th><th scope="col">Result</th></tr></thead>
<tbody>{{#properties}}<tr {{#fails}}class="bad"{{/fails}}><th scope="row">{{words}}</th><td class="long" data-label="Result">{{result}}</td></tr>
{{/properties}}</tbody></table></div>
{{#regions}}<figure class="drawn">{{{picture}}}<figcaption>{{words}}</figcaption></figure>
{{/regions}}
</main>
<footer class="faint"><p>Made by Warpgrade. This page is self-contained: it loads nothing from the network.</p></footer>
)";

}  // namespace

void put_properties(Fields &f, const std::string &id, const course::Step *step,
                    const std::vector<grading::PropertyRecord> &properties) {
  Fields rows(Fields::type::list), regions(Fields::type::list);
  for (const grading::PropertyRecord &p : properties) {
    Fields row;
    row.set("words", property_in_words(p.property));
    row.set("result", result_in_words(p));
    row.set("fails", p.result == "fails");
    row.set("points", step ? points_of_property(*step, p) : "");
    rows << row;
    if (!p.region || p.region->parts.empty()) continue;
    Fields region;
    region.set("picture", region_to_svg(id + "-" + p.property, p.property, *p.region));
    region.set("words", "At " + p.at + ": " + region_in_words(p.property, *p.region));
    regions << region;
  }
  f.set("properties_there", !properties.empty());
  f.set("properties", rows);
  f.set("properties_count", step && !step->proof.empty());
  f.set("regions", regions);
}

std::string proof_to_html(const ProofView &v) {
  Fields f;
  f.set("title", v.title);
  f.set("sizes", v.proof.sizes);
  Fields launches(Fields::type::list);
  for (const std::string &launch : v.proof.launches) launches << Fields("text", launch);
  f.set("launches", launches);
  put_properties(f, "proof", nullptr, v.proof.properties);
  return html_page(v.title, fill(proof_body, f), Json::object(), {});
}

}  // namespace warpgrade::report
