#include "batch/tree.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/wire.hpp"
#include "batch/apart.hpp"
#include "batch/names.hpp"
#include "platforms/platform.hpp"

namespace warpgrade::batch {

namespace {

constexpr std::uint64_t most_metadata_bytes = 64 << 20;  // of all files of that name together
constexpr std::size_t most_nodes_below_a_top = 200'000;

/// One entry as the tree takes it. `metadata` is what Gradescope's file holds; of any other entry nothing.
using EachSeen = std::function<void(const Entry &, const std::optional<std::string> &metadata)>;

/// At the top, or in the one folder around it, and in no student's: those are called submission_1234.
bool may_be_metadata(const Entry &entry, const std::vector<std::string> &parts) {
  return !parts.empty() && parts.size() <= 2 && parts.back() == platforms::gradescope.names.metadata &&
         entry.kind == Entry::Kind::file && (parts.size() == 1 || !parts[0].starts_with("submission_"));
}

void walk(const Source &source, const EachSeen &each) {
  std::uint64_t left = most_metadata_bytes;
  source.walk([&](const Entry &entry, const ReadContent &read) {
    std::optional<std::string> metadata;
    if (may_be_metadata(entry, safe_parts(entry.path))) {
      try {
        metadata = read(left);
      } catch (const Refused &) {  // of a student perhaps; if it was needed, that is said later
      }
      if (metadata) left -= metadata->size();
    }
    each(entry, metadata);
  });
}

void walk_apart(const Source &source, const course::ArchiveLimits &limits, const EachSeen &each) {
  constexpr ApartLimits of_a_class = {std::uint64_t{4} << 30, 600};
  const bool small = source.bytes()->size() <= limits.packed_bytes;
  const ApartLimits chosen = small ? ApartLimits{limits.memory_bytes, limits.wall_seconds} : of_a_class;
  prepare_to_read();
  const std::string seen = run_apart(chosen, source.bytes()->descriptor(), [&] {
    Writer out;
    walk(source, [&](const Entry &entry, const std::optional<std::string> &metadata) {
      out.put_string(entry.path).put(static_cast<std::uint8_t>(entry.kind)).put(std::int64_t{entry.modified});
      out.put(std::uint8_t{metadata.has_value()});
      if (metadata) out.put_string(*metadata);
    });
    return out.text();
  });
  for (Reader in(std::as_bytes(std::span(seen))); !in.at_end();) {
    Entry entry;
    entry.path = in.get_string();
    const auto kind = in.get<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(Entry::Kind::unreadable))
      throw WireError("the archive reader names a kind of entry that there is not");
    entry.kind = static_cast<Entry::Kind>(kind);
    entry.modified = in.get<std::int64_t>();
    const bool has_metadata = in.get<std::uint8_t>() != 0;
    each(entry, has_metadata ? std::optional(in.get_string()) : std::nullopt);
  }
}

/// What an archive's reader gives for a name that it cannot put into UTF-8.
constexpr std::string_view no_utf8 = "\xef\xbf\xbd";

/// "/etc" of "/etc/passwd", "C:" of "C:/x", ".." of "../x"
std::string top_of(std::string_view path) {
  const std::size_t begin = std::min(path.find_first_not_of("/\\"), path.size());
  return std::string(path.substr(0, path.find_first_of("/\\", begin)));
}

class Builder {
 public:
  void add(const Entry &entry, const std::optional<std::string> &metadata) {
    const std::vector<std::string> parts = safe_parts(entry.path);
    if (parts.empty() || entry.path == no_utf8) {
      if (const std::string why = hazard_in(entry.path, UINT64_MAX);
          !why.empty() && tree.hazards.size() < most_hazards)
        tree.hazards.emplace(top_of(entry.path), why);
      return;
    }
    if (metadata) tree.metadata.emplace(parts.size() == 1 ? "" : parts[0] + "/", *metadata);
    Node *at = &tree.root;
    for (std::size_t i = 0; i < std::min(parts.size(), deepest_part); ++i) {
      note_time(*at, entry);
      ++at->below;
      auto child = at->children.find(parts[i]);
      if (child == at->children.end()) {
        if (++nodes_[parts[0]] > most_nodes_below_a_top) return;
        child = at->children.emplace(parts[i], Node{}).first;
      }
      at = &child->second;
    }
    note_time(*at, entry);
    if (parts.size() > deepest_part || parts.size() < parts_of(entry.path).size()) {
      ++at->below;
      return;
    }
    ++at->self;
    at->kind = entry.kind;
  }
  Tree tree;

 private:
  static void note_time(Node &node, const Entry &entry) {
    if (entry.kind == Entry::Kind::file) node.modified = std::max(node.modified, entry.modified);
  }
  std::map<std::string, std::size_t> nodes_;  // below each top
};

}  // namespace

std::vector<std::string> safe_parts(std::string_view path) {
  if (path.starts_with('/') || path.starts_with('\\') || (path.size() > 1 && path[1] == ':')) return {};
  std::vector<std::string> parts = parts_of(path);
  parts.erase(std::find(parts.begin(), parts.end(), ".."), parts.end());
  return parts;
}

Tree look_at(const Source &source, const course::ArchiveLimits &limits, bool apart) {
  Builder builder;
  const EachSeen add = [&](const Entry &entry, const std::optional<std::string> &metadata) {
    builder.add(entry, metadata);
  };
  if (source.bytes() != nullptr && apart)
    walk_apart(source, limits, add);
  else
    walk(source, add);
  return std::move(builder.tree);
}

}  // namespace warpgrade::batch
