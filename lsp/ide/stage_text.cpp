#include "lsp/ide/stage_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/device/array/print.h"
#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/schedule/scheduled_text.h"
#include "compiler/run/cps/lower.h"
#include "compiler/run/cps/print.h"
#include "compiler/run/interpret/interpret.h"
#include "compiler/views/emit/annotate.h"
#include "compiler/views/emit/print_ast.h"
#include "compiler/views/emit/print_draws.h"
#include "compiler/views/emit/print_hir.h"
#include "compiler/views/emit/print_tree.h"
#include "compiler/views/he/bundle.h"
#include "compiler/views/mpc/item_costs.h"
#include "compiler/views/picture/approximation_picture.h"
#include "compiler/views/picture/circuit_picture.h"
#include "compiler/views/picture/layout_picture.h"
#include "engine/program/he/text.h"
#include "engine/program/mpc/text.h"
#include "formatter/format.h"
#include "lsp/ide/array_programs.h"
#include "lsp/ide/oblivious_form.h"

namespace tacet::ide {

namespace {

enum class Stage : uint8_t {
  Tree,
  Ast,
  Hir,
  Ssa,
  Quotients,
  Annotated,
  Cps,
  Random,
  Oblivious,
  Array,
  Schedule,
  Circuit,
  Dot,
  Loops,
  HeProgram,
  LayoutSvg,
  CircuitSvg,
  Mpc,
  Approximations,
  ApproximationsSvg,
};

/// By `Stage`.
constexpr std::array<std::string_view, 20> kNames = {"tree",
                                                     "ast",
                                                     "hir",
                                                     "ssa",
                                                     "quotients",
                                                     "annotated",
                                                     "cps",
                                                     "random",
                                                     "oblivious",
                                                     "array",
                                                     "schedule",
                                                     "circuit",
                                                     "dot",
                                                     "loops",
                                                     "program",
                                                     "layout-svg",
                                                     "circuit-svg",
                                                     "mpc",
                                                     "approximations",
                                                     "approximations-svg"};

auto without(std::string problem) -> StageText {
  return {.text = {}, .line = 0, .is_source = false, .problem = std::move(problem)};
}

}  // namespace

auto stage_names() -> std::span<const std::string_view> {
  return kNames;
}

/// The item whose text has `offset`; of a file with one program that.
static auto item_at(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> names::ItemId {
  names::ItemId program;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const names::ItemTree tree = snapshot.tree(item.id);
    const syntax::Node node = names::item_node(*tree);
    if (item.kind == names::ItemKind::Program) {
      program = item.id;
    } else if (node && node.range().shifted(snapshot.item_begin(item.id)).touches(offset)) {
      return item.id;
    }
  }
  return program;
}

/// The first line with the name of the item at the cursor as a word, so that editors can show it.
static auto line_of(const program::FrontendSnapshot& snapshot, names::ItemId item,
                    std::string_view text) -> uint32_t {
  if (!item.has_value() || !snapshot.item_key(item).name.has_value()) {
    return 0;
  }
  const std::string_view name = snapshot.interner().text(snapshot.item_key(item).name);
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return static_cast<uint32_t>(
          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    }
  }
  return 0;
}

/// Of networks (`compiler/he/diagonals`).
static constexpr std::string_view kNoSchedule =
    "the program is a network: each array is in one vector, and there is no schedule";

/// All arrays that are read, in the order of the text, then what is left in the end.
static auto layouts_of(const he_views::Plan& plan) -> Result<std::string> {
  if (!plan.schedule) {
    return Error{std::string(kNoSchedule)};
  }
  std::vector<picture::CaptionedLayout> layouts;
  const array::Program& program = plan.program;
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const array::Statement& statement = program.statements[i];
    for (uint32_t e = 0; e < statement.exprs.size(); ++e) {
      const array::ExprId expr{e};
      if (std::holds_alternative<array::Site>(statement.exprs[expr].node)) {
        layouts.push_back({print(program, statement, expr),
                           he_views::layout_of_site(program, *plan.schedule, i, expr)});
      }
    }
    Result<he_views::Layout> left = he_views::layout_of_result(program, *plan.schedule, i);
    if (!left) {
      return left.error();
    }
    layouts.push_back({"→ " + program.arrays[statement.result].name, std::move(*left)});
  }
  return picture::layout_picture(layouts);
}

/// Loops over vectors, before parameters are chosen.
static auto loops_of(const he_views::Plan& plan) -> Result<std::string> {
  Result<engine::HeProgram> program = circuit::lower(plan.circuit, {});
  return program ? engine::to_text(*program) : Result<std::string>(program.error());
}

/// What client and server are given.
static auto bundle_text(const program::FrontendSnapshot& snapshot, names::ItemId item,
                        const he_views::Plan& plan) -> Result<std::string> {
  if (plan.parts.empty()) {
    return Error{"parameters can be chosen only if all inputs are bounded (`in LO..HI`)"};
  }
  const interpret::Compilation entry = interpret::compile(snapshot, item, {});
  if (!entry.executable) {
    return Error{entry.problem};
  }
  const auto name = snapshot.item_key(item).name;
  const he_views::ComputedResult computed{&plan.program, plan.parts, plan.result, plan.error,
                                          plan.within};
  return engine::to_text(
      he_views::bundle_of(name.has_value() ? std::string(snapshot.interner().text(name)) : "main",
                          entry.executable->parameters, entry.executable->results, {&computed, 1}));
}

/// The functions of encrypted reals in the order of the text, with what they cost.
static auto approximations_of(const he_views::Plan& plan, Stage stage) -> Result<std::string> {
  if (plan.functions.empty()) {
    return Error{"there is no function of reals here that is computed by polynomials"};
  }
  if (stage == Stage::Approximations) {
    return he_lower::to_text(plan.functions);
  }
  std::vector<picture::CaptionedApproximation> captioned;
  for (const he_lower::ApproximatedFunction& function : plan.functions) {
    captioned.push_back({he_lower::function_text(function.approximation.kind, function.operand),
                         &function.approximation});
  }
  return picture::approximations_picture(captioned);
}

/// What is known of a function when its schedule is, as text or as a picture.
static auto planned_text(const program::FrontendSnapshot& snapshot, names::ItemId item,
                         const he_views::Plan& plan, Stage stage) -> Result<std::string> {
  switch (stage) {
    case Stage::Schedule:
      return plan.schedule ? schedule::scheduled_text(plan.program, *plan.schedule)
                           : Result<std::string>(Error{std::string(kNoSchedule)});
    case Stage::Circuit:
      return circuit::to_text(plan.circuit);
    case Stage::Dot:
      return circuit::to_dot(plan.circuit);
    case Stage::Loops:
      return loops_of(plan);
    case Stage::HeProgram:
      return bundle_text(snapshot, item, plan);
    case Stage::LayoutSvg:
      return layouts_of(plan);
    case Stage::CircuitSvg:
      return picture::circuit_picture(plan.circuit);
    case Stage::Approximations:
    case Stage::ApproximationsSvg:
      return approximations_of(plan, stage);
    case Stage::Tree:
    case Stage::Ast:
    case Stage::Hir:
    case Stage::Ssa:
    case Stage::Quotients:
    case Stage::Annotated:
    case Stage::Cps:
    case Stage::Random:
    case Stage::Oblivious:
    case Stage::Array:
    case Stage::Mpc:
      break;
  }
  return std::string();
}

static auto array_stage(const program::FrontendSnapshot& snapshot, names::ItemId item, Stage stage,
                        PlanStore& plans) -> StageText {
  const auto program = item.has_value() ? array_program(snapshot, item) : nullptr;
  if (program == nullptr) {
    return without("there is no array program without errors here");
  }
  if (stage == Stage::Array) {
    return {array::print(*program->program), 0, false, {}};
  }
  const auto plan = plans.find(snapshot, item, *program, PlanStore::Clause::Obeyed);
  if (plan == nullptr) {
    return without("searching for a schedule; ask again in a moment");
  }
  if (plan->circuit.statements.empty()) {
    return without(plan->problem);
  }
  Result<std::string> text = planned_text(snapshot, item, *plan, stage);
  return text ? StageText{std::move(*text), 0, false, {}} : without(text.error().message);
}

/// What the machine of several parties runs, with the lines of the file.
static auto shared_stage(const program::FrontendSnapshot& snapshot, FileId file, names::ItemId item)
    -> StageText {
  const auto program = item.has_value() ? snapshot.get<mpc_views::ProgramOfItem>(item) : nullptr;
  if (program == nullptr) {
    return without("there is no `fn(mpc)` without errors here");
  }
  if (!program->program) {
    return without(program->problem);
  }
  const std::string& source = *snapshot.get<syntax::SourceText>(file).text;
  const LineIndex lines(source);
  engine::MpcProgram placed = *program->program;
  for (engine::MpcInstruction& instruction : placed.code) {
    if (instruction.line != 0) {
      const uint32_t offset =
          snapshot.item_begin(item) + program->places[instruction.line - 1].begin;
      instruction.line = lines.position(source, offset, PositionEncoding::Utf8).line + 1;
    }
  }
  return {engine::to_text(placed), 0, false, {}};
}

static auto file_stage(const program::FrontendSnapshot& snapshot, FileId file, Stage stage,
                       const formatter::Style& style) -> std::string {
  switch (stage) {
    case Stage::Tree:
      return emit::print_tree(*snapshot.get<syntax::ParseFile>(file));
    case Stage::Ast:
      return emit::print_ast(snapshot, file);
    case Stage::Hir:
      return emit::print_hir(snapshot, file, emit::HirForm::Built);
    case Stage::Ssa:
      return emit::print_hir(snapshot, file, emit::HirForm::Ssa);
    case Stage::Quotients:
      return emit::print_hir(snapshot, file, emit::HirForm::Quotients);
    case Stage::Annotated:
      return formatter::format(emit::annotate(snapshot, file), syntax::Language::Module,
                               formatter::Edits::NotWanted, style)
          .text;
    case Stage::Cps:
      return cps::print(cps::lower_file(snapshot, file).program);
    case Stage::Random:
      return emit::print_draws(snapshot, file, *snapshot.get<syntax::SourceText>(file).text);
    case Stage::Oblivious:
    case Stage::Array:
    case Stage::Schedule:
    case Stage::Circuit:
    case Stage::Dot:
    case Stage::Loops:
    case Stage::HeProgram:
    case Stage::LayoutSvg:
    case Stage::CircuitSvg:
    case Stage::Mpc:
    case Stage::Approximations:
    case Stage::ApproximationsSvg:
      break;
  }
  return {};
}

auto stage_text(const program::FrontendSnapshot& snapshot, FileId file, std::string_view stage,
                uint32_t offset, const formatter::Style& style, PlanStore& plans) -> StageText {
  const auto* found = std::find(kNames.begin(), kNames.end(), stage);
  if (found == kNames.end()) {
    return without(fmt::format("there is no stage `{}`", stage));
  }
  const auto which = static_cast<Stage>(found - kNames.begin());
  const names::ItemId item = item_at(snapshot, file, offset);
  if (which == Stage::Oblivious) {
    auto form = oblivious_form(snapshot, file, offset, style);
    return form ? StageText{std::move(form->text), 0, true, {}}
                : without("there is no device function without errors here");
  }
  if (which == Stage::Mpc) {
    return shared_stage(snapshot, file, item);
  }
  if (which >= Stage::Array) {
    return array_stage(snapshot, item, which, plans);
  }
  StageText text{file_stage(snapshot, file, which, style), 0, which == Stage::Annotated, {}};
  text.line = line_of(snapshot, item, text.text);
  return text;
}

}  // namespace tacet::ide
