// Every editor feature answers for every text and stays inside it; and what it answers after an
// edit is what it answers for the new text afresh. The input is a text and, behind its last zero
// byte, another that it is edited into.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/ide/call_hierarchy.h"
#include "lsp/ide/code_actions.h"
#include "lsp/ide/document_symbols.h"
#include "lsp/ide/find_references.h"
#include "lsp/ide/folding.h"
#include "lsp/ide/formatting.h"
#include "lsp/ide/goto_definition.h"
#include "lsp/ide/goto_implementation.h"
#include "lsp/ide/goto_type.h"
#include "lsp/ide/hover.h"
#include "lsp/ide/inlay_hints.h"
#include "lsp/ide/lenses.h"
#include "lsp/ide/name_colours.h"
#include "lsp/ide/selection_ranges.h"
#include "lsp/ide/signature_help.h"

namespace tacet::ide {
namespace {

constexpr size_t kMaxSize = 4096;
constexpr std::string_view kPath = "/a.tacet";

void apply(AnalysisHost& host, std::string_view text) {
  const FileChange change{std::string(kPath), std::make_shared<const std::string>(text), true};
  host.apply({&change, 1});
}

void write(std::string& out, TextRange range, std::string_view what) {
  out += fmt::format("{}..{} {}\n", range.begin, range.end, what);
}

void write(std::string& out, const std::vector<TextEdit>& edits) {
  for (const TextEdit& edit : edits) {
    write(out, edit.range, edit.new_text);
  }
}

void write(std::string& out, const std::vector<Symbol>& symbols) {
  for (const Symbol& symbol : symbols) {
    write(out, symbol.range, symbol.name + ": " + symbol.detail);
    write(out, symbol.name_range, "name");
    write(out, symbol.children);
  }
}

void write_places(std::string& out, const Analysis& analysis, FileId file, uint32_t size) {
  for (uint32_t at = 0; at <= size; at += 1 + size / 64) {
    if (const auto hover =
            ide::hover(analysis.snapshot(), file, at, analysis.plans(), analysis.parties(file))) {
      write(out, hover->range, hover->markdown);
      TACET_CHECK(hover->range.begin <= at && at <= hover->range.end, "a hover of another place");
    }
    for (const Definition& target : goto_definition(analysis.snapshot(), file, at).targets) {
      TACET_CHECK(target.full.begin <= target.name.begin && target.name.end <= target.full.end,
                  "a name outside of its definition");
      write(out, target.name, "target");
    }
  }
}

void write_links(std::string& out, const DefinitionLinks& links, std::string_view what) {
  for (const Definition& target : links.targets) {
    TACET_CHECK(target.full.begin <= target.name.begin && target.name.end <= target.full.end,
                "a name outside of its item");
    write(out, target.name, what);
  }
}

/// What is found about names elsewhere in the file.
void write_uses(std::string& out, const Analysis& analysis, FileId file, uint32_t size) {
  for (uint32_t at = 0; at <= size; at += 1 + size / 32) {
    write_links(out, goto_implementation(analysis.snapshot(), file, at), "implementation");
    write_links(out, goto_declaration(analysis.snapshot(), file, at), "declaration");
    for (const FileRange& place :
         find_references(analysis.snapshot(), file, at, Declarations::Included)) {
      write(out, place.range, "reference");
    }
    for (const Highlight& highlight : highlights(analysis.snapshot(), file, at)) {
      write(out, highlight.range, fmt::format("highlight {}", static_cast<int>(highlight.kind)));
    }
  }
}

void write(std::string& out, const HierarchyItem& item, std::string_view what) {
  write(out, item.symbol.name_range, fmt::format("{} {}", what, item.symbol.name));
}

/// What is called at a place, who calls it, and what stands around it.
void write_calls(std::string& out, const Analysis& analysis, FileId file, uint32_t size) {
  for (uint32_t at = 0; at <= size; at += 1 + size / 32) {
    if (const auto help = signature_help(analysis.snapshot(), file, at)) {
      TACET_CHECK(help->active < help->signatures.size(), "no such signature");
      for (const SignatureHelp::Signature& signature : help->signatures) {
        out += fmt::format("{} {}\n", signature.head, help->parameter);
        for (TextRange range : signature.parameters) {
          TACET_CHECK(range.end <= signature.head.size(), "a parameter outside of its head");
        }
      }
    }
    write_links(out, goto_type_definition(analysis.snapshot(), file, at), "type");
    if (const auto item = hierarchy_item(analysis.snapshot(), file, at)) {
      write(out, *item, "item");
    }
    for (const Call& call : incoming_calls(analysis.snapshot(), file, at)) {
      write(out, call.other, "from");
    }
    for (const Call& call : outgoing_calls(analysis.snapshot(), file, at)) {
      write(out, call.other, "to");
    }
    for (const HierarchyItem& item : above_in_hierarchy(analysis.snapshot(), file, at)) {
      write(out, item, "above");
    }
    for (const HierarchyItem& item : below_in_hierarchy(analysis.snapshot(), file, at)) {
      write(out, item, "below");
    }
    const std::vector<TextRange> around = selection_ranges(*analysis.syntax(file), at);
    for (size_t i = 1; i < around.size(); ++i) {
      TACET_CHECK(around[i].begin <= around[i - 1].begin && around[i - 1].end <= around[i].end,
                  "a selection that does not grow");
    }
    if (const auto ended = ended_by_token(*analysis.syntax(file), at)) {
      TACET_CHECK(ended->end == at, "what ends elsewhere");
      write(out, *ended, "ended");
    }
  }
}

void write_decorations(std::string& out, const Analysis& analysis, FileId file, uint32_t size) {
  uint32_t end = 0;
  for (const Hint& hint :
       inlay_hints(analysis.snapshot(), file, {0, size}, {true, true}, analysis.parties(file))) {
    TACET_CHECK(end <= hint.offset && hint.offset <= size, "hints out of order");
    end = hint.offset;
    write(out, {hint.offset, hint.offset}, hint.text);
  }
  for (const Lens& lens : lenses(analysis, file)) {
    const auto text = lens_text(analysis, file, lens.subject, lens.kind);
    TACET_CHECK(text.has_value() && text->range == lens.range, "a lens of something else");
    write(out, lens.range, text->title);
  }
}

/// All that the features say about the file, as text.
auto answers(AnalysisHost& host) -> std::string {
  const auto analysis = host.analysis({});
  const FileId file = analysis->file(kPath).value();
  const auto size = static_cast<uint32_t>(analysis->text(file)->size());
  const TextRange whole{0, size};
  std::string out;
  for (const Diagnostic& diagnostic : file_diagnostics(*analysis, file)) {
    write(out, diagnostic.place.range, diagnostic.message);
  }
  write(out, document_symbols(*analysis->syntax(file)));
  for (const Fold& fold : folding_ranges(*analysis->syntax(file))) {
    write(out, fold.range, "fold");
  }
  uint32_t end = 0;
  for (const Token& token : semantic_tokens(*analysis, file, whole)) {
    TACET_CHECK(end <= token.range.begin && token.range.end <= size, "tokens overlap");
    end = token.range.end;
    write(out, token.range, fmt::format("{} {}", static_cast<int>(token.kind), token.modifiers));
  }
  write(out, format_edits(*analysis, file, whole, {}));
  for (const Action& action : actions_at(*analysis, file, whole, FixAll::WithEdits)) {
    out += action.title;
    write(out, action.edits);
  }
  write_places(out, *analysis, file, size);
  write_uses(out, *analysis, file, size);
  write_calls(out, *analysis, file, size);
  write_decorations(out, *analysis, file, size);
  return out;
}

void check_edit(std::string_view before, std::string_view after) {
  const auto edited = std::make_unique<AnalysisHost>();
  apply(*edited, before);
  static_cast<void>(answers(*edited));
  apply(*edited, after);
  const auto fresh = std::make_unique<AnalysisHost>();
  apply(*fresh, after);
  const std::string of_edited = answers(*edited);
  const std::string of_fresh = answers(*fresh);
  if (of_edited != of_fresh) {
    const auto different =
        std::mismatch(of_edited.begin(), of_edited.end(), of_fresh.begin(), of_fresh.end());
    const auto at = static_cast<size_t>(different.first - of_edited.begin());
    fmt::print(stderr, "after an edit:\n{}\nfrom the beginning:\n{}\n",
               std::string_view(of_edited).substr(at - std::min<size_t>(at, 300), 600),
               std::string_view(of_fresh).substr(at - std::min<size_t>(at, 300), 600));
  }
  TACET_CHECK(of_edited == of_fresh, "an edit leaves something old behind");
}

}  // namespace
}  // namespace tacet::ide

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  if (size > tacet::ide::kMaxSize) {
    return 0;
  }
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t zero = input.rfind('\0');
  tacet::ide::check_edit(
      zero == std::string_view::npos ? input.substr(0, size / 2) : input.substr(0, zero),
      zero == std::string_view::npos ? input : input.substr(zero + 1));
  return 0;
}
