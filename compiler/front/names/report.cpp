#include "compiler/front/names/report.h"

#include "compiler/core/diagnostics/reasons.h"

namespace tacet::names {

auto Draft::label_at(ItemId item, TextRange range, std::string message) -> Draft& {
  Label label;
  label.place.range = range;
  label.message = std::move(message);
  target_.diagnostic.labels.push_back(std::move(label));
  target_.label_items.push_back(item);
  return *this;
}

auto Draft::note(std::string_view text) -> Draft& {
  target_.diagnostic.notes.emplace_back(text);
  return *this;
}

auto Draft::reason(uint32_t depth, std::string text) -> Draft& {
  target_.diagnostic.reasons.push_back({depth, std::move(text), {}});
  return *this;
}

auto Draft::reason_at(uint32_t depth, ItemId item, TextRange range, std::string text) -> Draft& {
  target_.diagnostic.reasons.push_back({depth, std::move(text), {FileId{item.index}, range}});
  return *this;
}

auto Draft::reasons(std::vector<Reason> tree) -> Draft& {
  limit_reasons(tree);
  target_.diagnostic.reasons = std::move(tree);
  return *this;
}

auto Draft::fix(std::string title, Applicability applicability, std::vector<TextEdit> edits)
    -> Draft& {
  Fix fix;
  fix.title = std::move(title);
  fix.applicability = applicability;
  fix.edits = std::move(edits);
  target_.diagnostic.fixes.push_back(std::move(fix));
  return *this;
}

auto Draft::replace(TextRange range, std::string title, std::string new_text,
                    Applicability applicability) -> Draft& {
  TextEdit edit;
  edit.range = range;
  edit.new_text = std::move(new_text);
  std::vector<TextEdit> edits;
  edits.push_back(std::move(edit));
  return fix(std::move(title), applicability, std::move(edits));
}

auto Report::add(DiagnosticCode code, TextRange range, std::string message) -> Draft {
  ItemDiagnostic& added = diagnostics_.emplace_back();
  added.diagnostic = make_diagnostic(code, {FileId{}, range}, std::move(message));
  return {added, item_};
}

}  // namespace tacet::names
