#include "cli/explore/pin.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::cli {

namespace {

/// The place of the function's name in a pipeline.
auto entry_place(const program::FrontendSnapshot& snapshot, FileId file, const std::string& name)
    -> Result<TextRange> {
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind == names::ItemKind::Pipeline && item.name.has_value() &&
        snapshot.interner().text(item.name) == name) {
      const names::ItemTree tree = snapshot.tree(item.id);
      const uint32_t begin = snapshot.item_begin(item.id);
      const TextRange range = names::item_node(*tree).child(syntax::Field::Entry).range();
      return TextRange{begin + range.begin, begin + range.end};
    }
  }
  return Error{fmt::format("no pipeline `{}`", name)};
}

}  // namespace

auto pin_choice(const program::FrontendSnapshot& snapshot, FileId file, const std::string& text,
                const Candidate& candidate, const std::string& pipeline) -> Result<Pinned> {
  Result<std::vector<TextEdit>> edits = program::call_edits(snapshot, file, candidate.calls);
  if (!edits) {
    return edits.error();
  }
  if (!pipeline.empty()) {
    Result<TextRange> place = entry_place(snapshot, file, pipeline);
    if (!place) {
      return place.error();
    }
    edits->push_back({*place, candidate.implementation});
    std::sort(edits->begin(), edits->end(),
              [](const TextEdit& a, const TextEdit& b) { return a.range.begin < b.range.begin; });
  }
  Pinned pinned{.text = apply_edits(text, *edits), .remark = {}};
  if (candidate.device != "local") {
    pinned.remark =
        fmt::format("where it runs stays in `{}`: {}", project::kExploreFile, candidate.text());
  }
  return pinned;
}

}  // namespace tacet::cli
