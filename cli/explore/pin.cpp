#include "cli/explore/pin.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/views/he/written_schedule.h"

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

void add_edit(TextEdit edit, FileId file, std::vector<program::FileEdits>& all) {
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const program::FileEdits& of) { return of.file == file; });
  if (found == all.end()) {
    found = all.insert(all.begin(), program::FileEdits{file, {}});
  }
  found->edits.push_back(std::move(edit));
  std::sort(found->edits.begin(), found->edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.range.begin < b.range.begin; });
}

}  // namespace

auto pin_choice(const program::FrontendSnapshot& snapshot, FileId file, const Candidate& candidate,
                const std::string& pipeline) -> Result<Pinned> {
  Result<std::vector<program::FileEdits>> edits =
      program::call_edits(snapshot, file, candidate.calls);
  if (!edits) {
    return edits.error();
  }
  if (!pipeline.empty()) {
    Result<TextRange> place = entry_place(snapshot, file, pipeline);
    if (!place) {
      return place.error();
    }
    add_edit({*place, candidate.implementation}, file, *edits);
  }
  if (!candidate.layout.empty()) {
    const names::ItemId function =
        snapshot.find(file, names::Namespace::Callable, candidate.implementation);
    Result<std::string> clause = he_views::checked_clause(snapshot, function, candidate.layout);
    if (!clause) {
      return clause.error();
    }
    add_edit(he_views::clause_edit(snapshot, function, *clause), snapshot.item_key(function).file,
             *edits);
  }
  Pinned pinned{.edits = std::move(*edits), .remark = {}};
  if (candidate.device != "local") {
    Candidate left = candidate.outline();
    left.threads = candidate.threads;
    pinned.remark =
        fmt::format("where it runs stays in `{}`: {}", project::kExploreFile, left.text());
  }
  return pinned;
}

}  // namespace tacet::cli
