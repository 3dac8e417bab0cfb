#include "compiler/spec/program/file_diagnostics.h"

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/flow/check_space.h"
#include "compiler/front/names/place_reasons.h"
#include "compiler/front/names/queries.h"
#include "compiler/spec/infer/report.h"

namespace tacet::program {

auto placed(query::Context& context, FileId file, names::ItemId item,
            const names::ItemDiagnostic& entry) -> Diagnostic {
  const auto& table = context.service<names::ItemTable>();
  Diagnostic result = entry.diagnostic;
  const uint32_t begin = context.get<names::BeginOfItem>(item);
  result.place = {file, result.place.range.shifted(begin)};
  for (size_t i = 0; i < result.labels.size(); ++i) {
    const names::ItemId owner = entry.label_items[i];
    FileRange& place = result.labels[i].place;
    place = {table[owner].file, place.range.shifted(context.get<names::BeginOfItem>(owner))};
  }
  names::place_reasons(context, result.reasons);
  for (Fix& fix : result.fixes) {
    for (TextEdit& edit : fix.edits) {
      edit.range = edit.range.shifted(begin);
    }
  }
  return result;
}

auto diagnostics_of_item(query::Context& context, const names::FileItem& item,
                         bool with_conformance) -> std::shared_ptr<const check::ItemDiagnostics> {
  if (with_conformance && item.kind == names::ItemKind::Fn) {
    return context.get<infer::DiagnosticsOfFunction>(item.id);
  }
  if (with_conformance &&
      (item.kind == names::ItemKind::Val || item.kind == names::ItemKind::Tmln)) {
    return context.get<infer::SpecificationOf>(item.id)->diagnostics;
  }
  return context.get<check::DiagnosticsOfItem>(item.id);
}

namespace {

/// An event without a successor is reported for the timeline alone. Where a function that reaches
/// it is reported, it is the same error.
void drop_explained_events(FileId file, std::vector<Diagnostic>& all) {
  std::vector<TextRange> explained;
  for (const Diagnostic& diagnostic : all) {
    for (const Label& label : diagnostic.labels) {
      if (diagnostic.code == DiagnosticCode::T4041 && label.place.file == file) {
        explained.push_back(label.place.range);
      }
    }
  }
  std::erase_if(all, [&](const Diagnostic& diagnostic) {
    return diagnostic.code == DiagnosticCode::T2028 &&
           std::any_of(explained.begin(), explained.end(),
                       [&](TextRange range) { return range.contains(diagnostic.place.range); });
  });
}

/// Adds what is wrong with an item, by offsets in the file.
void add_placed(query::Context& context, FileId file, names::ItemId item,
                const std::shared_ptr<const check::ItemDiagnostics>& found,
                std::vector<Diagnostic>& all) {
  if (found == nullptr) {
    return;
  }
  for (const names::ItemDiagnostic& entry : *found) {
    all.push_back(placed(context, file, item, entry));
  }
}

}  // namespace

auto DiagnosticsOfChunk::compute(query::Context& context, const Key& chunk) -> Value {
  std::vector<Found> all;
  const auto add = [&](names::ItemId item, std::shared_ptr<const check::ItemDiagnostics> found) {
    if (found != nullptr && !found->empty()) {
      all.emplace_back(item, std::move(found));
    }
  };
  for (const names::FileItem& item : *context.get<names::ItemsOfChunk>(chunk)) {
    add(item.id, diagnostics_of_item(context, item, true));
    if (item.kind == names::ItemKind::Sptl) {
      add(item.id, context.get<flow::SpaceDiagnosticsOf>(item.id));
    }
  }
  return std::make_shared<const std::vector<Found>>(std::move(all));
}

auto TypeDiagnosticsOfFile::compute(query::Context& context, const Key& file) -> Value {
  std::vector<Diagnostic> all = syntax::syntax_errors(*context.get<syntax::ParseFile>(file), file);
  for (const names::FileItem& item : context.get<names::ItemsOfFile>(file)->items) {
    add_placed(context, file, item.id, diagnostics_of_item(context, item, false), all);
  }
  drop_explained_events(file, all);
  return std::make_shared<const std::vector<Diagnostic>>(std::move(all));
}

auto DiagnosticsOfFile::compute(query::Context& context, const Key& file) -> Value {
  std::vector<Diagnostic> all = syntax::syntax_errors(*context.get<syntax::ParseFile>(file), file);
  names::for_chunks<DiagnosticsOfChunk>(context, file, [&](const DiagnosticsOfChunk::Value& found) {
    for (const auto& [item, diagnostics] : *found) {
      add_placed(context, file, item, diagnostics, all);
    }
  });
  drop_explained_events(file, all);
  return std::make_shared<const std::vector<Diagnostic>>(std::move(all));
}

}  // namespace tacet::program
