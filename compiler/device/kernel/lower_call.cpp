#include <algorithm>

#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::kernel {

using names::Meaning;

static constexpr size_t kMaxInlinedNodes = 65536;
static constexpr size_t kMaxSubstitutedNodes = 8;

auto FunctionLowering::call(Node node) -> Exprs {
  const Node function = syntax::bare(node.child(Field::Function));
  const names::Resolution meaning = frame().body->names.of(function.index());
  if (meaning.is(Meaning::Builtin)) {
    return {builtin(node, static_cast<names::Builtin>(meaning.index()))};
  }
  const names::ItemId item = frame().body->names.item(function.index());
  if (!item.has_value()) {
    problem(node, "a call of something that is not a function");
    return {nothing(node)};
  }
  if (node.child(Field::Template)) {
    problem(node, "a call with a grid");
    return {nothing(node)};
  }
  return is_inlinable(item) ? inlined(node, frame_of(item)) : called(node, item);
}

/// Is its body known and without mistakes, not being inlined already, and small enough?
auto FunctionLowering::is_inlinable(names::ItemId item) const -> bool {
  const bool is_open = std::any_of(frames_.begin(), frames_.end(),
                                   [&](const auto& frame) { return frame->item == item; });
  return snapshot_.item_key(item).kind == names::ItemKind::Fn && !is_open &&
         snapshot_.tree(item)->errors.empty() &&
         kernel_.exprs.size() + kernel_.statements.size() < kMaxInlinedNodes;
}

/// What costs little and cannot fail may be evaluated wherever a parameter is read: nothing that
/// the callee does changes what it reads. A secret stays one.
auto FunctionLowering::may_stand_for_parameter(ExprId argument, bool is_secret) const -> bool {
  if (tree_size(kernel_, argument, kMaxSubstitutedNodes + 1) > kMaxSubstitutedNodes ||
      can_fault(kernel_, argument)) {
    return false;
  }
  return !is_secret || reads_secret(argument);
}

/// Whether it reads a variable that is declared secret, or found to be.
auto FunctionLowering::reads_secret(ExprId expr) const -> bool {
  const std::set<VariableId> read = variables_read(kernel_, expr);
  return std::any_of(read.begin(), read.end(), [&](VariableId variable) {
    return kernel_.variables[variable].visibility == types::Visibility::Secret;
  });
}

void FunctionLowering::note_bounds(const std::vector<Node>& given, const Exprs& arguments,
                                   const types::Signature& signature, const std::string& callee) {
  if (frames_.size() > 1) {
    return;  // what a function that is called gives to others is noted when it is lowered itself
  }
  for (size_t i = 0; i < arguments.size() && i < signature.parameters.size(); ++i) {
    const types::SignatureParameter& parameter = signature.parameters[i];
    if (parameter.bound) {
      bounded_.push_back(
          {arguments[i], *parameter.bound, place(given[i]), text_of(parameter.name), callee});
    }
  }
}

auto FunctionLowering::inlined(Node call, Frame callee) -> Exprs {
  const std::vector<Node> given = named_children(call.child(Field::Arguments));
  const std::vector<types::SignatureParameter>& parameters = callee.signature->parameters;
  Operands operands(*this);
  for (size_t i = 0; i < given.size() && i < parameters.size(); ++i) {
    operands.add([&] { return value_as(given[i], parameters[i].type); });
  }
  const Exprs arguments = operands.take();
  note_bounds(given, arguments, *callee.signature, text_of(snapshot_.item_key(callee.item).name));
  build_.set_place(place(call));
  const std::vector<names::Local>& locals = callee.body->names.locals;
  for (size_t i = 0; i < locals.size(); ++i) {
    if (locals[i].kind != names::LocalKind::Parameter || locals[i].ordinal >= arguments.size()) {
      continue;
    }
    const ExprId argument = arguments[locals[i].ordinal];
    const bool is_secret =
        types().visibility(parameters[locals[i].ordinal].type) == types::Visibility::Secret;
    if (may_stand_for_parameter(argument, is_secret)) {
      callee.locals[i] = argument;
      continue;
    }
    const VariableId variable = build_.variable(text_of(locals[i].name), build_.type(argument));
    kernel_.variables[variable].visibility = types().visibility(parameters[locals[i].ordinal].type);
    emit(Assign{variable, argument});
    callee.locals[i] = variable;
  }
  callee.is_inlined = true;
  callee.is_under_secret = is_under_secret(call);
  callee.words = words_of_call(call);
  const auto n_exprs = static_cast<uint32_t>(kernel_.exprs.size());
  const auto n_statements = static_cast<uint32_t>(kernel_.statements.size());
  frames_.push_back(std::make_unique<Frame>(std::move(callee)));
  const Exprs results = inlined_body();
  frames_.pop_back();
  if (frames_.size() == 1) {
    inlined_.push_back({place(call),
                        {n_exprs, static_cast<uint32_t>(kernel_.exprs.size())},
                        {n_statements, static_cast<uint32_t>(kernel_.statements.size())}});
  }
  build_.set_place(place(call));
  return results;
}

/// What the function of the innermost frame gives.
auto FunctionLowering::inlined_body() -> Exprs {
  const Node body = names::item_node(*frame().tree).child(Field::Body);
  Exprs results;
  if (contains_return(body)) {
    for (const types::SignatureResult& result : frame().signature->results) {
      frame().results.push_back(build_.mutable_variable("result", type_at(body, result.type)));
      kernel_.variables[frame().results.back()].visibility = types().visibility(result.type);
    }
    if (needs_flag(body, true)) {
      frame().has_returned = build_.mutable_variable("has_returned", {engine::kBool, {}});
      emit(Assign{frame().has_returned, build_.truth(false)});
      // All ways assign them, which the flag alone says: so nothing of an earlier call is in them.
      for (const VariableId result : frame().results) {
        emit(Assign{result, build_.zero(kernel_.variables[result].type)});
      }
    }
    const size_t depth = blocks_.size() - 1;
    return_block(body);
    close_guards(depth);
    for (const VariableId result : frame().results) {
      results.push_back(build_.read(result));
    }
  } else {
    results = block_values(body);
    for (size_t i = 0; i < results.size() && i < frame().signature->results.size(); ++i) {
      results[i] = build_.cast(results[i], type_at(body, result_type(i)).element);
      if (types().visibility(result_type(i)) == types::Visibility::Secret &&
          !reads_secret(results[i])) {
        const VariableId variable = build_.variable("result", build_.type(results[i]));
        kernel_.variables[variable].visibility = types::Visibility::Secret;
        emit(Assign{variable, results[i]});
        results[i] = build_.read(variable);
      }
    }
  }
  return results;
}

auto FunctionLowering::called(Node call, names::ItemId item) -> Exprs {
  const std::shared_ptr<const types::Signature> signature = snapshot_.signature(item);
  const std::vector<Node> given = named_children(call.child(Field::Arguments));
  Operands operands(*this);
  for (size_t i = 0; i < given.size() && i < signature->parameters.size(); ++i) {
    operands.add([&] { return value_as(given[i], signature->parameters[i].type); });
  }
  Call made;
  made.callee = item;
  made.name = text_of(snapshot_.item_key(item).name);
  made.is_pure = signature->is_pure;
  made.arguments = operands.take();
  note_bounds(given, made.arguments, *signature, made.name);
  build_.set_place(place(call));
  Exprs results;
  for (const types::SignatureResult& result : signature->results) {
    const VariableId variable = build_.variable(made.name, type_at(call, result.type));
    made.results.push_back(variable);
    results.push_back(build_.read(variable));
  }
  emit(std::move(made));
  return results;
}

}  // namespace tacet::kernel
