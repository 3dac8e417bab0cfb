#include "lsp/ide/explored_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/spec/program/call_swaps.h"
#include "compiler/spec/program/implementations.h"
#include "compiler/views/he/circuit_costs.h"
#include "compiler/views/he/written_schedule.h"
#include "compiler/views/picture/front_picture.h"
#include "engine/mpc_model/run_times.h"
#include "lsp/ide/array_programs.h"
#include "lsp/ide/shared_programs.h"

namespace tacet::ide {

namespace {

using names::ItemId;
using names::ItemKind;

/// Pictures have no place for 0 seconds.
constexpr double kLeastMilliseconds = 1e-3;

auto way_text(const program::ExploredWay& way) -> std::string {
  std::string text = fmt::format("`{}`", way.implementation);
  text += !way.scheme.empty()   ? fmt::format(" under {}", way.scheme)
          : way.device == "he"  ? " under encryption"
          : way.device == "mpc" ? " by parties"
                                : " in plaintext";
  text += way.protocol.empty() ? "" : fmt::format(", {}", way.protocol);
  for (const std::string& call : way.calls) {
    text += fmt::format(", `{}`", call);
  }
  text += way.layout.empty() ? "" : fmt::format(", `{}`", way.layout);
  text += way.threads == 0 ? "" : fmt::format(", {} threads", way.threads);
  return text;
}

/// The names that a choice for what is at a place may have: the item's own, then those of what it
/// implements.
struct Names {
  std::vector<std::string> targets;
  std::string pipeline;
};

/// What an item computes, as specifications of values say it.
auto value_specifications(const program::FrontendSnapshot& snapshot, ItemId item)
    -> std::vector<ItemId> {
  std::vector<ItemId> found = snapshot.query().run(
      [&](query::Context& context) { return program::specifications_of(context, item); });
  found.push_back(item);
  std::erase_if(found, [&](ItemId specification) {
    const ItemKind kind = snapshot.item_key(specification).kind;
    return kind != ItemKind::Val && kind != ItemKind::Feq;
  });
  return found;
}

auto names_at(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset) -> Names {
  Names names;
  const auto word = [&](ItemId item) {
    return std::string(snapshot.interner().text(snapshot.item_key(item).name));
  };
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const names::ItemTree tree = snapshot.tree(item.id);
    const syntax::Node node = names::item_node(*tree);
    if (!node || !item.name.has_value() ||
        !node.range().shifted(snapshot.item_begin(item.id)).touches(offset)) {
      continue;
    }
    if (item.kind == ItemKind::Pipeline) {
      names.pipeline = word(item.id);
      continue;
    }
    names.targets.push_back(word(item.id));
    for (const ItemId specification : value_specifications(snapshot, item.id)) {
      names.targets.push_back(word(specification));
    }
  }
  return names;
}

auto choice_at(const std::vector<program::ExploredChoice>& choices, const Names& names)
    -> const program::ExploredChoice* {
  const auto find = [&](auto is_it) {
    const auto found = std::find_if(choices.begin(), choices.end(), is_it);
    return found == choices.end() ? nullptr : &*found;
  };
  if (!names.pipeline.empty()) {
    return find([&](const auto& choice) { return choice.pipeline == names.pipeline; });
  }
  for (const std::string& target : names.targets) {
    if (const auto* const found =
            find([&](const auto& choice) { return choice.target == target; })) {
      return found;
    }
  }
  // What a pipeline's function was chosen for.
  return find([&](const auto& choice) {
    return !choice.pipeline.empty() &&
           std::find(names.targets.begin(), names.targets.end(), choice.chosen.implementation) !=
               names.targets.end();
  });
}

/// The place of the function's name in a pipeline, or none.
auto pipeline_entry(const program::FrontendSnapshot& snapshot, FileId file, const std::string& name)
    -> std::optional<TextRange> {
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind == ItemKind::Pipeline && item.name.has_value() &&
        snapshot.interner().text(item.name) == name) {
      const names::ItemTree tree = snapshot.tree(item.id);
      return names::item_node(*tree)
          .child(syntax::Field::Entry)
          .range()
          .shifted(snapshot.item_begin(item.id));
    }
  }
  return std::nullopt;
}

/// What writes a way into the file; nothing if the program no longer has it.
auto edits_of(const program::FrontendSnapshot& snapshot, FileId file,
              const program::ExploredChoice& choice, const program::ExploredWay& way)
    -> std::vector<TextEdit> {
  std::vector<program::CallSwap> calls;
  for (const std::string& text : way.calls) {
    Result<program::CallSwap> call = program::parse_call_swap(text);
    if (!call) {
      return {};
    }
    calls.push_back(std::move(*call));
  }
  Result<std::vector<program::FileEdits>> all = program::call_edits(snapshot, file, calls);
  if (!all) {
    return {};
  }
  std::vector<TextEdit> edits;
  for (program::FileEdits& of_file : *all) {
    if (of_file.file == file) {
      edits = std::move(of_file.edits);
    }
  }
  const ItemId function = snapshot.find(file, names::Namespace::Callable, way.implementation);
  if (!way.layout.empty() && function.has_value() && snapshot.item_key(function).file == file) {
    Result<std::string> clause = he_views::checked_clause(snapshot, function, way.layout);
    if (!clause) {
      return {};
    }
    edits.push_back(he_views::clause_edit(snapshot, function, *clause));
  }
  if (const auto entry = pipeline_entry(snapshot, file, choice.pipeline)) {
    edits.push_back({*entry, way.implementation});
  }
  return edits;
}

auto beats(const ExploredPoint& a, const ExploredPoint& b) -> bool {
  const double time_a = *a.milliseconds;
  const double time_b = *b.milliseconds;
  const double bytes_a = a.bytes.value_or(0);
  const double bytes_b = b.bytes.value_or(0);
  return time_a <= time_b && bytes_a <= bytes_b && (time_a < time_b || bytes_a < bytes_b);
}

auto named_item_at(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> ItemId {
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const names::ItemTree tree = snapshot.tree(item.id);
    const syntax::Node node = names::item_node(*tree);
    if (!node || !item.name.has_value() ||
        !node.range().shifted(snapshot.item_begin(item.id)).touches(offset)) {
      continue;
    }
    if (item.kind == ItemKind::Pipeline) {
      const ItemId entry = snapshot.body(item.id)->names.item(
          names::item_node(*tree).child(syntax::Field::Entry).index());
      return entry;
    }
    return item.id;
  }
  return {};
}

/// How long a function on a device takes, as far as that is known without running it.
void predict(const Analysis& analysis, FileId file, ItemId function, ExploredPoint& point,
             bool& is_unfinished) {
  const program::FrontendSnapshot& snapshot = analysis.snapshot();
  if (is_shared_function(snapshot, function)) {
    const mpc_views::Parties parties = analysis.parties(file);
    const auto costs =
        snapshot.get<mpc_views::CostsOfItem>({.item = function, .protocol = parties.protocol});
    const auto& times = mpc_model::default_protocol_times();
    const auto of = times.find(mpc_views::protocol_name(parties.protocol));
    if (costs != nullptr && of != times.end()) {
      point.milliseconds = of->second.milliseconds_of(costs->total.cost);
      point.bytes = static_cast<double>(costs->total.cost.bytes);
    }
    return;
  }
  if (is_bit_by_bit(snapshot, function)) {
    if (const auto costs = snapshot.get<he_views::CircuitCostsOfItem>(function);
        costs != nullptr && costs->is_known) {
      point.milliseconds = he_views::milliseconds_of(*costs, analysis.plans().bootstrap_times());
    }
    return;
  }
  if (const auto program = array_program(snapshot, function)) {
    const auto plan =
        analysis.plans().find(snapshot, function, *program, PlanStore::Clause::Obeyed);
    is_unfinished = is_unfinished || plan == nullptr;
    if (plan != nullptr && !plan->circuit.statements.empty()) {
      point.milliseconds = plan->milliseconds;
    } else if (plan != nullptr) {
      point.why = plan->problem;
    }
  }
}

/// What computes the same as the item at a place, predicted.
auto predicted_at(const Analysis& analysis, FileId file, uint32_t offset) -> Result<Explored> {
  const program::FrontendSnapshot& snapshot = analysis.snapshot();
  const ItemId item = named_item_at(snapshot, file, offset);
  std::vector<ItemId> functions;
  for (const ItemId specification :
       item.has_value() ? value_specifications(snapshot, item) : std::vector<ItemId>()) {
    if (functions.empty()) {
      functions = snapshot.query().run([&](query::Context& context) {
        return program::implementations_of(context, specification);
      });
    }
  }
  if (functions.empty() && item.has_value() && snapshot.item_key(item).kind == ItemKind::Fn) {
    functions.push_back(item);
  }
  Explored explored;
  for (const ItemId function : functions) {
    const names::ItemKey& key = snapshot.item_key(function);
    if (key.kind != ItemKind::Fn || !key.name.has_value()) {
      continue;
    }
    const auto signature = snapshot.signature(function);
    const bool is_device = signature && signature->is_device_function;
    ExploredPoint& point = explored.points.emplace_back();
    point.implementation = std::string(snapshot.interner().text(key.name));
    point.label = fmt::format("`{}`{}", snapshot.interner().text(key.name),
                              !is_device                               ? " in plaintext"
                              : is_shared_function(snapshot, function) ? " by parties"
                              : signature->is_for(names::Device::He)   ? " under encryption"
                                                                       : " on a device");
    if (is_device) {
      predict(analysis, file, function, point, explored.is_unfinished);
    }
    if (point.why.empty()) {
      point.why = point.milliseconds ? "predicted" : "not predicted";
    }
  }
  if (explored.points.empty()) {
    return Error{"there is nothing here that functions implement"};
  }
  explored.name = std::string(snapshot.interner().text(snapshot.item_key(item).name));
  return explored;
}

}  // namespace

auto explored_at(const Analysis& analysis, FileId file, uint32_t offset) -> Result<Explored> {
  const program::FrontendSnapshot& snapshot = analysis.snapshot();
  const std::vector<program::ExploredChoice> choices = analysis.explored(file);
  const program::ExploredChoice* const choice =
      choice_at(choices, names_at(snapshot, file, offset));
  if (choice == nullptr) {
    return predicted_at(analysis, file, offset);
  }
  Explored explored;
  explored.is_measured = true;
  explored.name = choice->pipeline.empty() ? choice->target : choice->pipeline;
  const std::string before = *analysis.text(file);
  std::vector<const program::ExploredWay*> ways = {&choice->chosen};
  for (const program::ExploredWay& other : choice->others) {
    ways.push_back(&other);
  }
  for (const program::ExploredWay* const way : ways) {
    const std::vector<TextEdit> edits = edits_of(snapshot, file, *choice, *way);
    std::string text = apply_edits(before, sorted_edits(edits));
    explored.points.push_back({.label = way_text(*way),
                               .implementation = way->implementation,
                               .milliseconds = way->milliseconds,
                               .bytes = way->bytes,
                               .why = way->why,
                               .is_chosen = way == &choice->chosen,
                               .text = text == before ? std::string() : std::move(text)});
  }
  std::vector<picture::FrontPoint> drawn;
  for (ExploredPoint& point : explored.points) {
    if (!point.milliseconds) {
      continue;
    }
    point.is_on_front = std::none_of(
        explored.points.begin(), explored.points.end(),
        [&](const ExploredPoint& other) { return other.milliseconds && beats(other, point); });
    drawn.push_back({.seconds = std::max(*point.milliseconds, kLeastMilliseconds) / 1000,
                     .bytes = point.bytes.value_or(0),
                     .label = point.label,
                     .is_on_front = point.is_on_front});
  }
  explored.picture = picture::front_picture(explored.name, drawn);
  return explored;
}

}  // namespace tacet::ide
