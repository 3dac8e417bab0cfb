#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/parser.h"
#include "compiler/front/names/queries.h"
#include "compiler/views/he/written_schedule.h"
#include "formatter/format.h"
#include "lsp/ide/array_programs.h"

namespace tacet::ide {

namespace {

using syntax::Field;
using syntax::Node;

/// What stands between the end of the head and the body: blanks, and the clause if there is one.
auto place_of_clause(Node function) -> TextRange {
  uint32_t end = function.range().begin;
  for (Node child : function.children()) {
    if (child == he_views::schedule_clause(function) || child.field() == Field::Body) {
      break;
    }
    end = child.range().end;
  }
  return {end, function.child(Field::Body).range().begin};
}

/// Is there a comment that the edit would lose?
auto has_comment(const syntax::Tree& tree, TextRange range) -> bool {
  for (const syntax::Comment& comment : tree.comments) {
    if (range.contains(comment.range)) {
      return true;
    }
  }
  return false;
}

/// The clause as the formatter writes it, with what is around it; nothing if that is unknown.
auto formatted(const std::string& text, TextRange place, const std::string& clause) -> std::string {
  const std::string with_clause =
      text.substr(0, place.begin) + " " + clause + "\n" + text.substr(place.end);
  syntax::ParserMemory memory;
  const syntax::Tree tree = syntax::parse_unit(with_clause, syntax::Language::Module, memory);
  const Node function = names::item_node(tree);
  if (!tree.errors.empty() || !function.child(Field::Schedule)) {
    return {};
  }
  const std::string pretty = formatter::format_unit(tree, "\n");
  const syntax::Tree again = syntax::parse_unit(pretty, syntax::Language::Module, memory);
  const TextRange region = place_of_clause(names::item_node(again));
  return pretty.substr(region.begin, region.length());
}

/// What writes down the clause, by offsets in the file.
auto pinning(const program::FrontendSnapshot& snapshot, names::ItemId item,
             const std::string& clause) -> std::optional<TextEdit> {
  const names::ItemTree tree = snapshot.tree(item);
  const Node function = names::item_node(*tree);
  const uint32_t begin = snapshot.item_begin(item);
  if (const Node old = he_views::schedule_clause(function);
      old && has_comment(*tree, place_of_clause(function))) {
    return TextEdit{old.range().shifted(begin), clause};
  }
  const TextRange place = place_of_clause(function);
  if (has_comment(*tree, place)) {
    return TextEdit{{begin + place.end, begin + place.end}, clause + " "};
  }
  const bool is_member = snapshot.item_key(item).parent.has_value();
  std::string text = is_member ? std::string() : formatted(tree->text, place, clause);
  if (text.empty()) {
    text = " " + clause + " ";
  }
  return TextEdit{place.shifted(begin), std::move(text)};
}

auto is_in_head(const program::FrontendSnapshot& snapshot, names::ItemId item, TextRange range)
    -> bool {
  const names::ItemTree tree = snapshot.tree(item);
  const Node function = names::item_node(*tree);
  const Node body = function.child(Field::Body);
  if (!body) {
    return false;
  }
  const uint32_t begin = snapshot.item_begin(item);
  const TextRange head{begin + function.range().begin, begin + body.range().begin};
  return head.begin <= range.end && range.begin <= head.end;
}

/// `schedule ?`
auto is_open(const program::FrontendSnapshot& snapshot, names::ItemId item) -> bool {
  const names::ItemTree tree = snapshot.tree(item);
  const Node clause = he_views::schedule_clause(names::item_node(*tree));
  return clause && clause.is(syntax::NodeKind::OpenSchedule);
}

auto same(const std::optional<schedule::Schedule>& a, const schedule::Schedule& b) -> bool {
  return a && a->statements == b.statements;
}

}  // namespace

auto schedule_actions(const program::FrontendSnapshot& snapshot, FileId file, TextRange range,
                      std::span<const Diagnostic> diagnostics, PlanStore& plans)
    -> std::vector<Action> {
  std::vector<Action> actions;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind != names::ItemKind::Fn || !is_in_head(snapshot, item.id, range)) {
      continue;
    }
    const auto program = array_program(snapshot, item.id);
    if (program == nullptr) {
      continue;
    }
    const auto plan = plans.find(snapshot, item.id, *program, PlanStore::Clause::Ignored);
    if (plan == nullptr || !plan->schedule || plan->clause.empty() ||
        same(program->pinned, *plan->schedule)) {
      continue;
    }
    const std::optional<TextEdit> edit = pinning(snapshot, item.id, plan->clause);
    if (!edit) {
      continue;
    }
    Action action;
    action.edits = {*edit};
    const bool is_broken = program->has_clause && !program->pinned;
    action.kind =
        is_broken || is_open(snapshot, item.id) ? Action::Kind::QuickFix : Action::Kind::Rewrite;
    action.title = program->has_clause          ? "replace the schedule with the best one found"
                   : is_open(snapshot, item.id) ? "fill this schedule"
                                                : "pin this schedule";
    action.title += fmt::format(" ({})", he_views::summary(*plan));
    for (const Diagnostic& diagnostic : diagnostics) {
      const bool is_about = is_broken ? diagnostic.code == DiagnosticCode::T6010
                                      : diagnostic.code == DiagnosticCode::T6040;
      if (is_about && is_in_head(snapshot, item.id, diagnostic.place.range)) {
        action.diagnostic = diagnostic;
        action.is_preferred = true;
      }
    }
    actions.push_back(std::move(action));
  }
  return actions;
}

}  // namespace tacet::ide
