#include <algorithm>

#include "compiler/device/kernel/lowering.h"

/// Draws, whose places were fixed before (`compiler/device/draws`), and loops whose iterations
/// draw: which iteration it is becomes an expression that no secret decides, whatever becomes of
/// the loop.
namespace tacet::kernel {

using engine::kI64;
using types::Operator;

auto FunctionLowering::draw(Node call, names::Builtin builtin, const std::vector<Node>& arguments)
    -> ExprId {
  const draws::Draw* place = frame().draws.draw(call.index());
  const std::optional<engine::DrawFunction> function =
      engine::find_draw_function(names::builtin_text(builtin));
  if (place == nullptr || !function) {
    problem(call, "this random draw");
    return nothing(call);
  }
  Draw draw;
  draw.function = *function;
  draw.bits = place->bits;
  draw.words = frame().words;
  draw.is_secret = place->is_secret;
  if (*function != engine::DrawFunction::Permutation) {
    Operands operands(*this);
    for (Node argument : arguments) {
      operands.add([&] { return value_as(argument, type_id(syntax::bare(arguments[0]))); });
    }
    draw.arguments = operands.take();
  }
  if (*function == engine::DrawFunction::Int && hides_faults(call, arguments[0])) {
    // There is always an integer to draw: 0.
    const ExprId n = draw.arguments[0];
    build_.set_place(this->place(arguments[0]));
    draw.arguments[0] =
        build_.apply(engine::Function::Max, {n, build_.integer(1, build_.type(n).element)});
  }
  const Type type = type_at(call);
  build_.set_place(this->place(call));
  const bool is_secret = draw.is_secret;
  const ExprId drawn = build_.draw(std::move(draw), type.extents.empty() ? 0 : type.extents[0]);
  if (!is_secret) {
    return drawn;
  }
  const VariableId variable = build_.variable("drawn", type);
  kernel_.variables[variable].visibility = types::Visibility::Secret;
  emit(Assign{variable, drawn});
  return build_.read(variable);
}

/// The words of what an inlined function draws: those here, and which call it is.
auto FunctionLowering::words_of_call(Node call) -> Exprs {
  const draws::Call* place = frame().draws.call(call.index());
  if (place == nullptr) {
    return {};
  }
  Exprs words = frame().words;
  words.push_back(build_.integer(static_cast<int64_t>(place->word)));
  return words;
}

auto FunctionLowering::is_literal_zero(ExprId expr) const -> bool {
  const auto* literal = std::get_if<Literal>(&kernel_.exprs[expr].node);
  return literal != nullptr && literal->cell == 0;
}

/// What does not change while a loop runs.
auto FunctionLowering::kept(ExprId expr, std::string_view name) -> ExprId {
  if (std::holds_alternative<Literal>(kernel_.exprs[expr].node)) {
    return expr;
  }
  const VariableId variable = build_.variable(name, build_.type(expr));
  emit(Assign{variable, expr});
  return build_.read(variable);
}

/// How many iterations from `lower` to `upper` in steps of `step`; not above 0 if there are none.
auto FunctionLowering::n_iterations(ExprId lower, ExprId upper, int64_t step) -> ExprId {
  const ExprId from = build_.cast(lower, kI64);
  const ExprId to = build_.cast(upper, kI64);
  const auto* first = std::get_if<Literal>(&kernel_.exprs[from].node);
  const auto* last = std::get_if<Literal>(&kernel_.exprs[to].node);
  if (first != nullptr && last != nullptr) {
    const auto length =
        static_cast<__int128>(static_cast<int64_t>(last->cell)) - static_cast<int64_t>(first->cell);
    return build_.integer(length <= 0 ? 0 : static_cast<int64_t>((length - 1) / step + 1));
  }
  const ExprId length = is_literal_zero(from) ? to : build_.binary(Operator::Sub, to, from);
  if (step == 1) {
    return length;
  }
  const ExprId longer = build_.binary(Operator::Add, length, build_.integer(step - 1));
  return build_.binary(Operator::Div, longer, build_.integer(step));
}

/// Iterations count from 0. So does the counter of the text where it begins at 0 and goes by 1;
/// else iterations are counted, and what the text counts is computed from that:
///
///     for i in a..b step 2 { … }        for turn in 0..(b - a + 1) / 2 { i = a + turn * 2; … }
///
/// If the step is not known, the iteration is computed from the counter. The bounds are in `loop`.
void FunctionLowering::drawing_for_loop(Node node, For loop) {
  const Node name = node.child(Field::Variable);
  const Node body = node.child(Field::Body);
  const engine::ElementType element = build_.type(loop.lower).element;
  const auto* step = loop.step ? std::get_if<Literal>(&kernel_.exprs[*loop.step].node) : nullptr;
  const bool has_known_step = step != nullptr && static_cast<int64_t>(step->cell) > 0;
  const int64_t by = has_known_step ? static_cast<int64_t>(step->cell) : 1;
  const bool is_plain = is_literal_zero(loop.lower) && by == 1 && (!loop.step || has_known_step);
  if (is_plain || (loop.step && !has_known_step)) {
    const ExprId first = is_plain ? loop.lower : kept(loop.lower, "first");
    const ExprId step_kept = is_plain ? first : kept(*loop.step, "step");
    if (!is_plain) {
      loop.lower = first;
      loop.step = step_kept;
    }
    loop.counter = declare(name, {element, {}}, false);
    kernel_.variables[loop.counter].kind = VariableKind::Counter;
    ExprId iteration = build_.cast(build_.read(loop.counter), kI64);
    if (!is_plain) {
      iteration = build_.binary(Operator::Sub, iteration, build_.cast(first, kI64));
      iteration = build_.binary(Operator::Div, iteration, build_.cast(step_kept, kI64));
    }
    const Iteration word(*this, node, iteration);
    loop.body = loop_body(body, {});
  } else {
    const ExprId first = kept(loop.lower, "first");
    For iterations;
    iterations.lower = build_.integer(0);
    iterations.upper = n_iterations(first, loop.upper, by);
    iterations.max = loop.max;
    iterations.counter = build_.variable("turn", {kI64, {}}, VariableKind::Counter);
    const ExprId iteration = build_.read(iterations.counter);
    const VariableId counted = declare(name, {element, {}}, false);
    open();
    ExprId steps = build_.cast(iteration, element);
    if (by != 1) {
      steps = build_.binary(Operator::Mul, steps, build_.integer(by, element));
    }
    emit(Assign{counted, build_.binary(Operator::Add, first, steps)});
    {
      const Iteration word(*this, node, iteration);
      Block inner = loop_body(body, {});
      Block& statements = blocks_.back().statements;
      statements.insert(statements.end(), inner.begin(), inner.end());
    }
    iterations.body = close();
    loop = std::move(iterations);
  }
  build_.set_place(place(node));
  emit(std::move(loop));
  leave_after_loop(body);
}

/// `while c max n { … }` is `for turn in 0..n { if !c { break; } … }`, so that the iterations are
/// counted by what no secret decides; in a `do` the test stands behind the body and in front of
/// each `continue`, and the first iteration is not asked for.
void FunctionLowering::drawing_while_loop(Node node) {
  const Node condition = node.child(Field::Condition);
  const bool tests_last = node.is(NodeKind::DoStatement);
  For loop;
  loop.lower = build_.integer(0);
  if (const Node max = node.child(Field::Max)) {
    loop.upper = value_as(max, types::TypeStore::kI64);
    const auto* literal = std::get_if<Literal>(&kernel_.exprs[loop.upper].node);
    if (tests_last && literal != nullptr) {
      loop.upper = build_.integer(std::max(int64_t{1}, static_cast<int64_t>(literal->cell)));
    } else if (tests_last) {
      const ExprId given = kept(loop.upper, "most");
      const ExprId one = build_.integer(1);
      loop.upper = build_.select(build_.binary(Operator::Gt, given, one), given, one,
                                 Obliviousness::MayBranch);
    }
  } else {
    loop.upper = build_.integer(static_cast<int64_t>(engine::max_integer(kI64.kind)));
  }
  loop.counter = build_.variable("turn", {kI64, {}}, VariableKind::Counter);
  const auto leave_unless_true = [this, condition] {
    const ExprId goes_on = value(condition);
    build_.set_place(place(condition));
    emit(If{build_.negation(goes_on), {build_.statement(Break{})}, {}});
  };
  const Iteration word(*this, node, build_.read(loop.counter));
  open();
  if (!tests_last) {
    leave_unless_true();
  }
  Block inner =
      loop_body(node.child(Field::Body),
                tests_last ? std::function<void()>(leave_unless_true) : std::function<void()>());
  Block& statements = blocks_.back().statements;
  statements.insert(statements.end(), inner.begin(), inner.end());
  loop.body = close();
  build_.set_place(place(node));
  emit(std::move(loop));
  leave_after_loop(node.child(Field::Body));
}

}  // namespace tacet::kernel
