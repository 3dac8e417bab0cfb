#include <algorithm>

#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/front/names/arguments.h"
#include "compiler/front/names/instance.h"

namespace tacet::kernel {

using names::Meaning;

static constexpr size_t kMaxInlinedNodes = 65536;
static constexpr size_t kMaxSubstitutedNodes = 8;

static auto is_inlinable(const FunctionLowering& lowering, names::ItemId item) -> bool;
static auto reads_secret(const FunctionLowering& lowering, ExprId expr) -> bool;
static auto inlined(FunctionLowering& lowering, Node call, Frame callee) -> Exprs;
static auto inlined_body(FunctionLowering& lowering) -> Exprs;
static auto called(FunctionLowering& lowering, Node call, names::ItemId item) -> Exprs;
static auto constructed(FunctionLowering& lowering, Node call) -> Exprs;
static auto is_kept(const FunctionLowering& lowering, names::ItemId item) -> bool;
static auto encrypted(FunctionLowering& lowering, Node call, names::ItemId item) -> Exprs;

auto call(FunctionLowering& lowering, Node node) -> Exprs {
  const Node function = syntax::bare(node.child(Field::Function));
  const names::Resolution meaning = frame(lowering).body->names.of(function.index());
  if (meaning.is(Meaning::Builtin)) {
    return builtin(lowering, node, static_cast<names::Builtin>(meaning.index()));
  }
  const names::ItemId item = frame(lowering).body->names.item(function.index());
  if (!item.has_value()) {
    problem(lowering, node, "a call of something that is not a function");
    return {nothing(lowering, node)};
  }
  if (lowering.snapshot.item_key(item).kind == names::ItemKind::Type) {
    return constructed(lowering, node);
  }
  if (node.child(Field::Template) && !names::is_instance(lowering.snapshot.item_key(item))) {
    problem(lowering, node, "a call with a grid");
    return {nothing(lowering, node)};
  }
  if (is_kept(lowering, item)) {
    return encrypted(lowering, node, item);
  }
  return is_inlinable(lowering, item) ? inlined(lowering, node, frame_of(lowering, item))
                                      : called(lowering, node, item);
}

/// `Person(age, salary)`.
static auto constructed(FunctionLowering& lowering, Node call) -> Exprs {
  const types::Type& record = types(lowering)[type_id(lowering, call)];
  if (record.kind != types::TypeKind::Record) {
    problem(lowering, call, "a call of something that is not a function");
    return {nothing(lowering, call)};
  }
  const std::vector<types::RecordField>& fields = types(lowering).fields(record.fields);
  const std::vector<Node> given = named_children(call.child(Field::Arguments));
  Operands operands(lowering);
  for (size_t i = 0; i < given.size() && i < fields.size(); ++i) {
    operands.add_all([&] { return values_as(lowering, given[i], fields[i].type); });
  }
  return operands.take();
}

/// Is its body known and without mistakes, not being inlined already, and small enough?
static auto is_inlinable(const FunctionLowering& lowering, names::ItemId item) -> bool {
  const bool is_open = std::any_of(lowering.frames.begin(), lowering.frames.end(),
                                   [&](const auto& frame) { return frame->item == item; });
  return lowering.snapshot.item_key(item).kind == names::ItemKind::Fn && !is_open &&
         lowering.snapshot.tree(item)->errors.empty() &&
         lowering.kernel.exprs.size() + lowering.kernel.statements.size() < kMaxInlinedNodes;
}

/// What costs little and cannot fail may be evaluated wherever a parameter is read: nothing that
/// the callee does changes what it reads. A secret stays one.
static auto may_stand_for_parameter(const FunctionLowering& lowering, ExprId argument,
                                    bool is_secret) -> bool {
  if (tree_size(lowering.kernel, argument, kMaxSubstitutedNodes + 1) > kMaxSubstitutedNodes ||
      can_fault(lowering.kernel, argument)) {
    return false;
  }
  return !is_secret || reads_secret(lowering, argument);
}

/// Whether it reads a variable that is declared secret, or found to be.
static auto reads_secret(const FunctionLowering& lowering, ExprId expr) -> bool {
  const std::set<VariableId> read = variables_read(lowering.kernel, expr);
  return std::any_of(read.begin(), read.end(), [&](VariableId variable) {
    return lowering.kernel.variables[variable].visibility == types::Visibility::Secret;
  });
}

static void note_bounds(FunctionLowering& lowering, const std::vector<Node>& given,
                        const std::vector<Exprs>& arguments, const types::Signature& signature,
                        const std::string& callee) {
  if (lowering.frames.size() > 1) {
    return;  // what a function that is called gives to others is noted when it is lowered itself
  }
  for (size_t i = 0; i < arguments.size() && i < signature.parameters.size(); ++i) {
    const types::SignatureParameter& parameter = signature.parameters[i];
    if (parameter.bound && arguments[i].size() == 1) {
      lowering.bounded.push_back({arguments[i].front(), *parameter.bound,
                                  place_of(lowering, given[i]), text_of(lowering, parameter.name),
                                  callee});
    }
  }
}

/// What a call passes, column by column.
static auto arguments_of(FunctionLowering& lowering, const std::vector<Node>& given,
                         const types::Signature& signature) -> std::vector<Exprs> {
  Operands operands(lowering);
  std::vector<size_t> sizes;
  for (size_t i = 0; i < given.size() && i < signature.parameters.size(); ++i) {
    operands.add_all([&] {
      Exprs columns = values_as(lowering, given[i], signature.parameters[i].type);
      sizes.push_back(columns.size());
      return columns;
    });
  }
  const Exprs all = operands.take();
  std::vector<Exprs> arguments;
  auto next = all.begin();
  for (const size_t size : sizes) {
    const auto end = next + static_cast<std::ptrdiff_t>(size);
    arguments.emplace_back(next, end);
    next = end;
  }
  return arguments;
}

/// What stands for a parameter of a function that is inlined.
/// A bound of fixed-point numbers stays known of what is passed (`keeps_bound`): ranges do not say
/// it.
static auto held_argument(FunctionLowering& lowering, const Exprs& argument,
                          const types::SignatureParameter& parameter, const std::string& name,
                          bool keeps_bound) -> Held {
  const TypeId type = parameter.type;
  const bool is_bounded = keeps_bound && parameter.bound && parameter.bound->fraction_bits != 0;
  const std::vector<TypeId> columns = types::column_types(types(lowering), type);
  const std::vector<std::string> names = column_variable_names(lowering, type, name);
  Held held;
  for (size_t i = 0; i < argument.size() && i < columns.size(); ++i) {
    const types::Visibility visibility = types(lowering).visibility(columns[i]);
    if (!is_bounded &&
        may_stand_for_parameter(lowering, argument[i], visibility == types::Visibility::Secret)) {
      held.emplace_back(argument[i]);
      continue;
    }
    const VariableId variable = lowering.build.variable(names[i], lowering.build.type(argument[i]));
    lowering.kernel.variables[variable].visibility = visibility;
    if (is_bounded) {
      lowering.kernel.variables[variable].bound = parameter.bound;
    }
    emit(lowering, Assign{variable, argument[i]});
    held.emplace_back(variable);
  }
  return held;
}

static auto inlined(FunctionLowering& lowering, Node call, Frame callee) -> Exprs {
  const std::vector<Node> given = names::value_arguments(frame(lowering).body->names, call);
  const std::vector<types::SignatureParameter>& parameters = callee.signature->parameters;
  const std::vector<Exprs> arguments = arguments_of(lowering, given, *callee.signature);
  note_bounds(lowering, given, arguments, *callee.signature,
              text_of(lowering, lowering.snapshot.item_key(callee.item).name));
  lowering.build.set_place(place_of(lowering, call));
  // Where a secret decides whether the call is reached, it is computed of other numbers too.
  const bool keeps_bounds = !is_under_secret(lowering, call);
  const std::vector<names::Local>& locals = callee.body->names.locals;
  for (size_t i = 0; i < locals.size(); ++i) {
    if (locals[i].kind != names::LocalKind::Parameter || locals[i].ordinal >= arguments.size()) {
      continue;
    }
    callee.locals[i] =
        held_argument(lowering, arguments[locals[i].ordinal], parameters[locals[i].ordinal],
                      text_of(lowering, locals[i].name), keeps_bounds);
  }
  callee.is_inlined = true;
  callee.called_at =
      lowering.frames.size() == 1 ? place_of(lowering, call) : frame(lowering).called_at;
  callee.is_under_secret = is_under_secret(lowering, call);
  callee.words = words_of_call(lowering, call);
  const auto n_exprs = static_cast<uint32_t>(lowering.kernel.exprs.size());
  const auto n_statements = static_cast<uint32_t>(lowering.kernel.statements.size());
  lowering.frames.push_back(std::make_unique<Frame>(std::move(callee)));
  const Exprs results = inlined_body(lowering);
  lowering.frames.pop_back();
  if (lowering.frames.size() == 1) {
    lowering.inlined.push_back(
        {place_of(lowering, call),
         {n_exprs, static_cast<uint32_t>(lowering.kernel.exprs.size())},
         {n_statements, static_cast<uint32_t>(lowering.kernel.statements.size())}});
  }
  lowering.build.set_place(place_of(lowering, call));
  return results;
}

/// What the function of the innermost frame gives.
static auto inlined_body(FunctionLowering& lowering) -> Exprs {
  const Node body = names::item_node(*frame(lowering).tree).child(Field::Body);
  const std::vector<TypeId> columns =
      frame(lowering).signature->results.empty()
          ? std::vector<TypeId>()
          : types::column_types(types(lowering), result_type(lowering));
  Exprs results;
  if (contains_return(body)) {
    for (const TypeId column : columns) {
      frame(lowering).results.push_back(
          lowering.build.mutable_variable("result", type_at(lowering, body, column)));
      lowering.kernel.variables[frame(lowering).results.back()].visibility =
          types(lowering).visibility(column);
    }
    if (needs_flag(body, true)) {
      frame(lowering).has_returned =
          lowering.build.mutable_variable("has_returned", {engine::kBool, {}});
      emit(lowering, Assign{frame(lowering).has_returned, lowering.build.truth(false)});
      // All paths assign them, which only the flag shows: so they hold nothing of an earlier call.
      for (const VariableId result : frame(lowering).results) {
        emit(lowering, Assign{result, lowering.build.zero(lowering.kernel.variables[result].type)});
      }
    }
    const size_t depth = lowering.blocks.size() - 1;
    return_block(lowering, body);
    close_guards(lowering, depth);
    for (const VariableId result : frame(lowering).results) {
      results.push_back(lowering.build.read(result));
    }
  } else {
    results = block_values(lowering, body);
    if (!columns.empty()) {
      results = converted(lowering, body, results, type_id(lowering, body), result_type(lowering));
    }
    for (size_t i = 0; i < results.size() && i < columns.size(); ++i) {
      if (types(lowering).visibility(columns[i]) == types::Visibility::Secret &&
          !reads_secret(lowering, results[i])) {
        const VariableId variable =
            lowering.build.variable("result", lowering.build.type(results[i]));
        lowering.kernel.variables[variable].visibility = types::Visibility::Secret;
        emit(lowering, Assign{variable, results[i]});
        results[i] = lowering.build.read(variable);
      }
    }
  }
  return results;
}

static auto is_kept(const FunctionLowering& lowering, names::ItemId item) -> bool {
  return lowering.encrypted_calls == EncryptedCalls::Kept &&
         lowering.snapshot.item_key(item).kind == names::ItemKind::Fn &&
         lowering.snapshot.signature(item)->is_encrypted_part_of(*frame(lowering).signature);
}

/// The parameter of the kernel that an expression is.
static auto whole_parameter(const FunctionLowering& lowering, ExprId expr)
    -> std::optional<size_t> {
  const auto* read = std::get_if<Read>(&lowering.kernel.exprs[expr].node);
  if (read == nullptr) {
    return std::nullopt;
  }
  const std::vector<VariableId>& parameters = lowering.kernel.parameters;
  const auto found = std::find(parameters.begin(), parameters.end(), read->variable);
  return found == parameters.end() ? std::nullopt
                                   : std::optional<size_t>(found - parameters.begin());
}

/// Whether a parameter stands for a result of another encrypted call.
static auto is_encrypted_result(const FunctionLowering& lowering, size_t parameter) -> bool {
  return !lowering.encrypted.empty() && parameter >= lowering.encrypted.front().results.front();
}

/// Parameters for the results of a call that precedes the kernel.
static void add_encrypted_results(FunctionLowering& lowering, Node call,
                                  const types::Signature& signature, EncryptedCall& made) {
  for (const types::SignatureResult& result : signature.results) {
    for (const TypeId column : types::column_types(types(lowering), result.type)) {
      const VariableId variable = lowering.build.variable(
          made.name, type_at(lowering, call, column), VariableKind::Parameter);
      lowering.kernel.variables[variable].visibility = types::Visibility::Secret;
      made.results.push_back(lowering.kernel.parameters.size());
      lowering.kernel.parameters.push_back(variable);
    }
  }
}

/// A call that the parties evaluate before the kernel, at whatever place it is: it has no effects,
/// and its arguments are there from the beginning.
static auto encrypted(FunctionLowering& lowering, Node call, names::ItemId item) -> Exprs {
  const std::shared_ptr<const types::Signature> signature = lowering.snapshot.signature(item);
  const std::vector<Node> given = names::value_arguments(frame(lowering).body->names, call);
  const std::vector<Exprs> arguments = arguments_of(lowering, given, *signature);
  EncryptedCall made{.callee = item,
                     .name = text_of(lowering, lowering.snapshot.item_key(item).name),
                     .arguments = {},
                     .results = {},
                     .place = place_of(lowering, call)};
  note_bounds(lowering, given, arguments, *signature, made.name);
  for (size_t i = 0; i < arguments.size(); ++i) {
    for (const ExprId argument : arguments[i]) {
      const std::optional<size_t> parameter = whole_parameter(lowering, argument);
      if (!parameter || is_encrypted_result(lowering, *parameter)) {
        const bool is_first = lowering.problem.empty();
        problem(lowering, given[i],
                "an argument of an encrypted part that is not an input of the program");
        if (is_first && lowering.frames.size() > 1) {
          lowering.problem_place = frame(lowering).called_at;
        }
        return {nothing(lowering, call)};
      }
      made.arguments.push_back(*parameter);
    }
  }
  if (signature->results.empty()) {
    problem(lowering, call, "an encrypted part without a result");
    return {nothing(lowering, call)};
  }
  for (const types::SignatureResult& result : signature->results) {
    if (!types::mentions_secret(types(lowering), result.type)) {
      problem(lowering, call, "an encrypted part whose result is not secret");
      return {nothing(lowering, call)};
    }
  }
  lowering.build.set_place(place_of(lowering, call));
  const auto same = std::find_if(lowering.encrypted.begin(), lowering.encrypted.end(),
                                 [&](const EncryptedCall& other) {
                                   return other.callee == item && other.arguments == made.arguments;
                                 });
  if (same == lowering.encrypted.end()) {
    add_encrypted_results(lowering, call, *signature, made);
    lowering.encrypted.push_back(made);
  } else {
    made = *same;
  }
  Exprs results;
  for (const size_t result : made.results) {
    results.push_back(lowering.build.read(lowering.kernel.parameters[result]));
  }
  return results;
}

static auto called(FunctionLowering& lowering, Node call, names::ItemId item) -> Exprs {
  const std::shared_ptr<const types::Signature> signature = lowering.snapshot.signature(item);
  const std::vector<Node> given = names::value_arguments(frame(lowering).body->names, call);
  const std::vector<Exprs> arguments = arguments_of(lowering, given, *signature);
  Call made;
  made.callee = item;
  made.name = text_of(lowering, lowering.snapshot.item_key(item).name);
  made.is_pure = signature->is_pure;
  for (const Exprs& columns : arguments) {
    made.arguments.insert(made.arguments.end(), columns.begin(), columns.end());
  }
  note_bounds(lowering, given, arguments, *signature, made.name);
  lowering.build.set_place(place_of(lowering, call));
  Exprs results;
  for (const types::SignatureResult& result : signature->results) {
    for (const TypeId column : types::column_types(types(lowering), result.type)) {
      const VariableId variable =
          lowering.build.variable(made.name, type_at(lowering, call, column));
      made.results.push_back(variable);
      results.push_back(lowering.build.read(variable));
    }
  }
  emit(lowering, std::move(made));
  return results;
}

}  // namespace tacet::kernel
