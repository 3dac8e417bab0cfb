#include <algorithm>

#include "compiler/device/kernel/lowering.h"

/// Draws, whose places were fixed before (`compiler/device/draws`), and loops whose iterations
/// draw: which iteration it is becomes an expression that no secret decides, whatever becomes of
/// the loop.
namespace tacet::kernel {

using engine::kI64;
using types::Operator;

auto draw(FunctionLowering& lowering, Node call, names::Builtin builtin,
          const std::vector<Node>& arguments) -> ExprId {
  const draws::Draw* place = frame(lowering).draws.draw(call.index());
  const std::optional<engine::DrawFunction> function =
      engine::find_draw_function(names::builtin_text(builtin));
  if (place == nullptr || !function) {
    problem(lowering, call, "this random draw");
    return nothing(lowering, call);
  }
  Draw draw;
  draw.function = *function;
  draw.bits = place->bits;
  draw.words = frame(lowering).words;
  draw.is_secret = place->is_secret;
  if (*function != engine::DrawFunction::Permutation) {
    Operands operands(lowering);
    for (Node argument : arguments) {
      operands.add([&] {
        return value_as(lowering, argument, type_id(lowering, syntax::bare(arguments[0])));
      });
    }
    draw.arguments = operands.take();
  }
  if (*function == engine::DrawFunction::Int && hides_faults(lowering, call, arguments[0])) {
    // There is always an integer to draw: 0.
    const ExprId n = draw.arguments[0];
    lowering.build.set_place(place_of(lowering, arguments[0]));
    draw.arguments[0] = lowering.build.apply(
        engine::Function::Max, {n, lowering.build.integer(1, lowering.build.type(n).element)});
  }
  const Type type = type_at(lowering, call);
  lowering.build.set_place(place_of(lowering, call));
  const bool is_secret = draw.is_secret;
  const ExprId drawn =
      lowering.build.draw(std::move(draw), type.extents.empty() ? 0 : type.extents[0]);
  if (!is_secret) {
    return drawn;
  }
  const VariableId variable = lowering.build.variable("drawn", type);
  lowering.kernel.variables[variable].visibility = types::Visibility::Secret;
  emit(lowering, Assign{variable, drawn});
  return lowering.build.read(variable);
}

/// The words of what an inlined function draws: those here, and which call it is.
auto words_of_call(FunctionLowering& lowering, Node call) -> Exprs {
  const draws::Call* place = frame(lowering).draws.call(call.index());
  if (place == nullptr) {
    return {};
  }
  Exprs words = frame(lowering).words;
  words.push_back(lowering.build.integer(static_cast<int64_t>(place->word)));
  return words;
}

static auto is_literal_zero(const FunctionLowering& lowering, ExprId expr) -> bool {
  const auto* literal = std::get_if<Literal>(&lowering.kernel.exprs[expr].node);
  return literal != nullptr && literal->cell == 0;
}

/// What does not change while a loop runs.
static auto kept(FunctionLowering& lowering, ExprId expr, std::string_view name) -> ExprId {
  if (std::holds_alternative<Literal>(lowering.kernel.exprs[expr].node)) {
    return expr;
  }
  const VariableId variable = lowering.build.variable(name, lowering.build.type(expr));
  emit(lowering, Assign{variable, expr});
  return lowering.build.read(variable);
}

/// How many iterations from `lower` to `upper` in steps of `step`; not above 0 if there are none.
static auto n_iterations(FunctionLowering& lowering, ExprId lower, ExprId upper, int64_t step)
    -> ExprId {
  const ExprId from = lowering.build.cast(lower, kI64);
  const ExprId to = lowering.build.cast(upper, kI64);
  const auto* first = std::get_if<Literal>(&lowering.kernel.exprs[from].node);
  const auto* last = std::get_if<Literal>(&lowering.kernel.exprs[to].node);
  if (first != nullptr && last != nullptr) {
    const auto length =
        static_cast<__int128>(static_cast<int64_t>(last->cell)) - static_cast<int64_t>(first->cell);
    return lowering.build.integer(length <= 0 ? 0 : static_cast<int64_t>((length - 1) / step + 1));
  }
  const ExprId length =
      is_literal_zero(lowering, from) ? to : lowering.build.binary(Operator::Sub, to, from);
  if (step == 1) {
    return length;
  }
  const ExprId longer =
      lowering.build.binary(Operator::Add, length, lowering.build.integer(step - 1));
  return lowering.build.binary(Operator::Div, longer, lowering.build.integer(step));
}

/// Iterations count from 0. So does the counter of the text where it begins at 0 and goes by 1;
/// else iterations are counted, and what the text counts is computed from that:
///
///     for i in a..b step 2 { … }        for iteration in 0..(b - a + 1) / 2 { i = a + iteration *
///     2; … }
///
/// If the step is not known, the iteration is computed from the counter. The bounds are in `loop`.
void drawing_for_loop(FunctionLowering& lowering, Node node, For loop) {
  const Node name = node.child(Field::Variable);
  const Node body = node.child(Field::Body);
  const engine::ElementType element = lowering.build.type(loop.lower).element;
  const auto* step =
      loop.step ? std::get_if<Literal>(&lowering.kernel.exprs[*loop.step].node) : nullptr;
  const bool has_known_step = step != nullptr && static_cast<int64_t>(step->cell) > 0;
  const int64_t by = has_known_step ? static_cast<int64_t>(step->cell) : 1;
  const bool is_plain =
      is_literal_zero(lowering, loop.lower) && by == 1 && (!loop.step || has_known_step);
  if (is_plain || (loop.step && !has_known_step)) {
    const ExprId first = is_plain ? loop.lower : kept(lowering, loop.lower, "first");
    const ExprId step_kept = is_plain ? first : kept(lowering, *loop.step, "step");
    if (!is_plain) {
      loop.lower = first;
      loop.step = step_kept;
    }
    loop.counter = declare(lowering, name, {element, {}}, false);
    lowering.kernel.variables[loop.counter].kind = VariableKind::Counter;
    ExprId iteration = lowering.build.cast(lowering.build.read(loop.counter), kI64);
    if (!is_plain) {
      iteration = lowering.build.binary(Operator::Sub, iteration, lowering.build.cast(first, kI64));
      iteration =
          lowering.build.binary(Operator::Div, iteration, lowering.build.cast(step_kept, kI64));
    }
    const Iteration word(lowering, node, iteration);
    loop.body = loop_body(lowering, body, {});
  } else {
    const ExprId first = kept(lowering, loop.lower, "first");
    For iterations;
    iterations.lower = lowering.build.integer(0);
    iterations.upper = n_iterations(lowering, first, loop.upper, by);
    iterations.max = loop.max;
    iterations.counter = lowering.build.variable("iteration", {kI64, {}}, VariableKind::Counter);
    const ExprId iteration = lowering.build.read(iterations.counter);
    const VariableId counted = declare(lowering, name, {element, {}}, false);
    open(lowering);
    ExprId steps = lowering.build.cast(iteration, element);
    if (by != 1) {
      steps = lowering.build.binary(Operator::Mul, steps, lowering.build.integer(by, element));
    }
    emit(lowering, Assign{counted, lowering.build.binary(Operator::Add, first, steps)});
    {
      const Iteration word(lowering, node, iteration);
      Block inner = loop_body(lowering, body, {});
      Block& statements = lowering.blocks.back().statements;
      statements.insert(statements.end(), inner.begin(), inner.end());
    }
    iterations.body = close(lowering);
    loop = std::move(iterations);
  }
  lowering.build.set_place(place_of(lowering, node));
  emit(lowering, std::move(loop));
  leave_after_loop(lowering, body);
}

/// `while c max n { … }` is `for iteration in 0..n { if !c { break; } … }`, so that the iterations
/// are counted by what no secret decides; in a `do` the test follows the body and in front of each
/// `continue`, and the first iteration is not tested.
void drawing_while_loop(FunctionLowering& lowering, Node node) {
  const Node condition = node.child(Field::Condition);
  const bool tests_last = node.is(NodeKind::DoStatement);
  For loop;
  loop.lower = lowering.build.integer(0);
  if (const Node max = node.child(Field::Max)) {
    loop.upper = value_as(lowering, max, types::TypeStore::kI64);
    const auto* literal = std::get_if<Literal>(&lowering.kernel.exprs[loop.upper].node);
    if (tests_last && literal != nullptr) {
      loop.upper =
          lowering.build.integer(std::max(int64_t{1}, static_cast<int64_t>(literal->cell)));
    } else if (tests_last) {
      const ExprId given = kept(lowering, loop.upper, "most");
      const ExprId one = lowering.build.integer(1);
      loop.upper = lowering.build.select(lowering.build.binary(Operator::Gt, given, one), given,
                                         one, Obliviousness::MayBranch);
    }
  } else {
    loop.upper = lowering.build.integer(static_cast<int64_t>(engine::max_integer(kI64.kind)));
  }
  loop.counter = lowering.build.variable("iteration", {kI64, {}}, VariableKind::Counter);
  const auto leave_unless_true = [&lowering, condition] {
    const ExprId continues = value(lowering, condition);
    lowering.build.set_place(place_of(lowering, condition));
    emit(lowering, If{lowering.build.negation(continues), {lowering.build.statement(Break{})}, {}});
  };
  const Iteration word(lowering, node, lowering.build.read(loop.counter));
  open(lowering);
  if (!tests_last) {
    leave_unless_true();
  }
  Block inner =
      loop_body(lowering, node.child(Field::Body),
                tests_last ? std::function<void()>(leave_unless_true) : std::function<void()>());
  Block& statements = lowering.blocks.back().statements;
  statements.insert(statements.end(), inner.begin(), inner.end());
  loop.body = close(lowering);
  lowering.build.set_place(place_of(lowering, node));
  emit(lowering, std::move(loop));
  leave_after_loop(lowering, node.child(Field::Body));
}

}  // namespace tacet::kernel
