// The page and the list of a recording, made of hostile names and values: within bounds, and text everywhere.
#include "report/debug.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <regex>

#include "report/text.hpp"

namespace warpgrade::report {
namespace {

using Event = simt::RecordedEvent;

const std::string markup =
    "</script></td><script>alert(1)</script><img src=x onerror=alert(1)>{{who}}{{{player}}}&lt;";

/// Loads by 4 warps, as many as a recording can have: each lane its own place far from the others and its own
/// value. `word` is every name.
explain::Playback loads(const std::string &word, std::size_t events) {
  simt::Recording r;
  r.kernel = word;
  r.grid = {30'000'000, 1, 1};
  r.block = {128, 1, 1};
  r.objects.push_back({ptx::Space::global, word, std::uint64_t{1} << 40});
  r.lines.push_back({word, 7});
  r.paths.push_back(word);
  for (std::uint32_t w = 0; w < 4; ++w) r.warps.push_back({{29'999'999, 0, 0}, w, 32, true, 0});
  for (std::size_t i = 0; i < events; ++i) {
    Event e;
    e.kind = i + 1 == events ? Event::Kind::finding : Event::Kind::load;
    e.warp = static_cast<std::uint32_t>(i % 4);
    e.mask = 0xFFFF'FFFF;
    e.when = i;
    if (e.kind == Event::Kind::finding) {
      e.text = word;
    } else {
      e.type = Event::Type::real;
      e.objects = {0};
      for (std::uint64_t lane = 0; lane < 32; ++lane) {
        e.offsets.push_back(static_cast<std::int64_t>(lane * lane * 4'000'000'004 + i * 4));
        e.values.push_back(lane % 3 == 0 ? 0x7FC0'0001 + lane  // a NaN with a payload
                           : lane % 3 == 1
                               ? std::bit_cast<std::uint32_t>(-std::numeric_limits<float>::infinity())
                               : std::bit_cast<std::uint32_t>(1.0f + static_cast<float>(i * lane) * 1e-6f));
      }
    }
    r.events.push_back(std::move(e));
  }
  return explain::play(std::move(r), {}, {}, word);
}

/// The tags of a page, without what they surround.
std::string tags_of(const std::string &page) {
  std::string tags, body = page.substr(page.find("<body>"));
  body = body.substr(0, body.find("<script"));
  const std::regex tag("</?[a-zA-Z][^ >]*");
  for (std::sregex_iterator at(body.begin(), body.end(), tag), end; at != end; ++at) tags += at->str() + ">";
  return tags;
}

TEST(DebugPage, NamesWithMarkupChangeNothingOutsideTheirCells) {
  const explain::Playback hostile = loads(markup, 50), plain = loads("name", 50);
  const std::string source = "// " + markup + "\nint a;\n";
  const std::string page = debug_to_html({hostile, markup, markup, source});
  const std::string usual = debug_to_html({plain, "name", "name", "// name\nint a;\n"});
  EXPECT_EQ(tags_of(page), tags_of(usual));
  EXPECT_GT(tags_of(page).size(), 1000u);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("{{who}}{{{player}}}"), std::string::npos) << "a template in a name is not filled in";
}

TEST(DebugPage, IsBoundedWhateverALaneReads) {
  const explain::Playback most = loads(markup, 4800);
  const std::string page = debug_to_html({most, markup, markup, std::string(4'000'000, '<')});
  EXPECT_LE(page.size(), std::size_t{2} << 20);
  EXPECT_NE(page.find("earlier events were left out"), std::string::npos);
}

TEST(DebugPage, WritesNaNsAndInfinitiesAsWordsThatJsonHas) {
  const explain::Playback few = loads("x", 5);
  const std::string page = debug_to_html({few, "x", "x", ""});
  EXPECT_NE(page.find("\"NaN\",\"-inf\""), std::string::npos);
}

TEST(DebugList, IsPlainTextWhateverTheNames) {
  const explain::Playback hostile = loads("\x1b[2J\nk", 30);
  const std::string text = debug_to_terminal({hostile, "t", "k.cu", ""}, {}, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\nk"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade::report
