#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/array/lowering.h"
#include "compiler/device/draws/member_that_runs.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/instance.h"

/// Functions that are called are inlined by name: an argument is lowered wherever the function
/// reads its parameter, along the dimensions that it is read along.
namespace tacet::array {

using names::ItemId;
using names::ItemKind;
using syntax::bare;

/// Calls in calls in calls.
static constexpr uint32_t kMostCallers = 100;
/// All calls, by each path to them.
static constexpr size_t kMostFrames = 1 << 14;

static auto new_called_frame(ItemLowering& lowering, Node call) -> Frame*;

auto add_frame(ItemLowering& lowering, ItemId item, Frame* caller, Node call,
               std::optional<FileRange> stands_at) -> Frame& {
  const auto number = static_cast<uint32_t>(lowering.frames.size());
  lowering.frames.push_back(
      std::make_unique<Frame>(lowering.snapshot, item, number, caller, call, stands_at));
  return *lowering.frames.back();
}

auto has_mistakes(const ItemLowering& lowering, ItemId item) -> bool {
  return !lowering.snapshot.tree(item)->errors.empty() ||
         check::has_errors(lowering.snapshot.get<check::DiagnosticsOfItem>(item));
}

auto called_frame(ItemLowering& lowering, Node call) -> Frame* {
  auto [known, is_new] = lowering.called.try_emplace({lowering.frame->id, call.index()}, nullptr);
  if (is_new) {
    Frame* callee = new_called_frame(lowering, call);
    lowering.called[{lowering.frame->id, call.index()}] = callee;
    return callee;
  }
  return known->second;
}

static auto new_called_frame(ItemLowering& lowering, Node call) -> Frame* {
  const ItemId called = text(lowering).body->names.item(bare(call.child(Field::Function)).index());
  const bool has_grid = call.child(Field::Template) && called.has_value() &&
                        !names::is_instance(lowering.snapshot.item_key(called));
  if (!called.has_value() || has_grid) {
    unsupported_call(lowering, call);
    return nullptr;
  }
  const std::string name = text_of(lowering, lowering.snapshot.item_key(called).name);
  const ItemId item =
      draws::member_that_runs(lowering.snapshot, called, [](ItemId) { return false; });
  const ItemKind kind = item.has_value() ? lowering.snapshot.item_key(item).kind : ItemKind::Extern;
  const auto signature = item.has_value() ? lowering.snapshot.signature(item) : nullptr;
  const bool is_device_function =
      kind == ItemKind::Fn && signature && signature->is_device_function;
  if (kind != ItemKind::Val && !is_device_function) {
    unsupported(lowering, call, fmt::format("calling `{}`", name),
                "the callee, or another member of its class, must be a value specification or a "
                "device function");
    return nullptr;
  }
  if (has_mistakes(lowering, item)) {
    report(lowering, DiagnosticCode::T6001, text(lowering).place(call),
           fmt::format("`{}` contains errors", name), "fix them first");
    return nullptr;
  }
  if (signature->results.size() != 1 ||
      signature->parameters.size() != arguments_of(text(lowering), call).size()) {
    unsupported(lowering, call,
                fmt::format("calling `{}`, which has {} results,", name, signature->results.size()),
                "write one function for each result");
    return nullptr;
  }
  for (const Frame* frame = lowering.frame; frame != nullptr; frame = frame->caller) {
    if (frame->text.item == item || frame->n_callers >= kMostCallers) {
      unsupported(lowering, call,
                  frame->text.item == item
                      ? fmt::format("a recursive call of `{}`", name)
                      : fmt::format("a nesting of more than {} calls", kMostCallers),
                  "use `for` or a reduction to repeat a computation");
      return nullptr;
    }
  }
  if (lowering.frames.size() >= kMostFrames) {
    report(lowering, DiagnosticCode::T6003, text(lowering).place(call),
           fmt::format("more than {} calls after inlining", kMostFrames),
           "name repeated computations with `let`");
    return nullptr;
  }
  Frame& frame = add_frame(lowering, item, lowering.frame, call, text(lowering).place(call));
  return in_frame(lowering, frame, [&]() -> Frame* {
    const size_t n_reported = lowering.diagnostics.size();
    check_statements(lowering, names::item_node(*text(lowering).tree).child(Field::Body));
    if (lowering.diagnostics.size() != n_reported) {
      return nullptr;
    }
    check_faults(lowering);
    add_lets(lowering);
    return &frame;
  });
}

auto function_call(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  Frame* callee = called_frame(lowering, node);
  if (callee == nullptr) {
    return nothing(lowering, text(lowering).place(node));
  }
  return in_frame(lowering, *callee, [&] {
    const Node result = text(lowering).result();
    return expression(lowering, result, extents(lowering, result).empty() ? Indices() : at);
  });
}

/// With the promise that an argument keeps to the bound of its parameter: of fixed-point numbers,
/// of which the ranges alone say too little.
static auto kept(ItemLowering& lowering, const std::optional<types::ValueBound>& bound,
                 ExprId argument, FileRange place) -> ExprId {
  if (!bound || bound->fraction_bits == 0 ||
      bound->fraction_bits != lowering.program.fraction_bits) {
    return argument;
  }
  return pool(lowering).function(FunctionKind::Promise, {},
                                 {argument, fixed_number(lowering, bound->lower, place),
                                  fixed_number(lowering, bound->upper, place)},
                                 place);
}

auto argument(ItemLowering& lowering, uint32_t ordinal, const Indices& at) -> ExprId {
  const Node value = bare(lowering.frame->arguments.at(ordinal));
  const types::SignatureParameter& parameter =
      lowering.snapshot.signature(text(lowering).item)->parameters.at(ordinal);
  const std::string name = text_of(lowering, parameter.name);
  const std::optional<types::ValueBound> bound = parameter.bound;
  const auto scope_key = [&] {
    std::vector<int64_t> key = {lowering.frame->id, -1 - static_cast<int64_t>(ordinal)};
    add_to_key(at, key);
    return key;
  };
  std::vector<int64_t> key = scope_key();
  return in_frame(lowering, *lowering.frame->caller, [&] {
    const std::vector<int64_t> shape = extents(lowering, value);
    const Indices along = shape.empty() ? Indices() : at;
    const FileRange place = text(lowering).place(value);
    if (!value.is(NodeKind::Identifier) && !are_within(lowering, along, shape)) {
      const ArrayId array = materialised(lowering, value, name, place);
      return kept(lowering, bound, site_of(lowering, value, array, along, place), place);
    }
    for (const Variable& variable : variables_of(lowering, value)) {
      add_to_key({lowering.scope->variables.at(variable)}, key);
    }
    if (auto known = lowering.scope->inlined.find(key); known != lowering.scope->inlined.end()) {
      return known->second;
    }
    const ExprId result = kept(lowering, bound, expression(lowering, value, along), place);
    lowering.scope->inlined.emplace(key, result);
    return result;
  });
}

auto constant_frame(ItemLowering& lowering, ItemId constant, Node use) -> Frame& {
  auto [known, is_new] = lowering.constants.try_emplace(constant, nullptr);
  if (is_new) {
    known->second = &add_frame(lowering, constant, nullptr, {}, text(lowering).place(use));
  }
  return *known->second;
}

auto constant_item(ItemLowering& lowering, ItemId constant, Node node, const Indices& at)
    -> ExprId {
  if (lowering.snapshot.item_key(constant).kind != ItemKind::Const) {
    return unsupported(lowering, node, fmt::format("using `{}` as a value", node.text()), "");
  }
  if (has_mistakes(lowering, constant)) {
    report(lowering, DiagnosticCode::T6001, text(lowering).place(node),
           fmt::format("`{}` contains errors", node.text()), "fix them first");
    return nothing(lowering, text(lowering).place(node));
  }
  const std::string name(node.text());
  return in_frame(lowering, constant_frame(lowering, constant, node), [&] {
    const Node value = bare(text(lowering).result());
    const FileRange place = text(lowering).place(value);
    const std::vector<int64_t> shape = extents(lowering, value);
    if (std::optional<ArrayId> written = constant_array(lowering, value, name, place)) {
      return pool(lowering).site({*written, at}, place);
    }
    return are_within(lowering, at, shape)
               ? expression(lowering, value, shape.empty() ? Indices() : at)
               : site_of(lowering, value, materialised(lowering, value, name, place), at, place);
  });
}

auto variables_of(ItemLowering& lowering, Node node) -> const std::vector<Variable>& {
  const FrameNode key = {lowering.frame->id, node.index()};
  if (auto known = lowering.variables.find(key); known != lowering.variables.end()) {
    return known->second;
  }
  std::vector<Variable> result;
  for (uint32_t local : lets(lowering).variables_of(node)) {
    result.push_back(variable(lowering, local));
  }
  if (lowering.frame->caller != nullptr) {
    for (uint32_t ordinal : lets(lowering).parameters_of(node)) {
      const Node value = lowering.frame->arguments.at(ordinal);
      in_frame(lowering, *lowering.frame->caller, [&] {
        const std::vector<Variable>& of_argument = variables_of(lowering, value);
        result.insert(result.end(), of_argument.begin(), of_argument.end());
        return 0;
      });
    }
  }
  // Those of a caller are around those of what it calls.
  const auto order = [&](const Variable& variable) {
    const names::Local& local =
        lowering.frames[variable.frame]->text.body->names.locals[variable.local];
    return std::make_pair(variable.frame, local.declaration);
  };
  std::sort(result.begin(), result.end(),
            [&](const Variable& a, const Variable& b) { return order(a) < order(b); });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return lowering.variables.emplace(key, std::move(result)).first->second;
}

}  // namespace tacet::array
