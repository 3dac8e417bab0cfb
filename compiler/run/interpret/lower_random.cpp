#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using names::Builtin;
using syntax::Field;
using syntax::Node;

static auto draw_function(Builtin builtin) -> std::optional<engine::DrawFunction> {
  return engine::find_draw_function(names::builtin_text(builtin));
}

IterationDraws::IterationDraws(FunctionLowering& function, Node loop)
    : function_(function),
      draws_(function.elaboration.loop_draws(loop.index())),
      outer_(function.rng) {
  if (draws_) {
    state_ = function_.builder.allocate(kRngCells);
    count_ = function_.builder.allocate(1);
    function_.builder.emit_constant(count_, 0);
  }
}

IterationDraws::~IterationDraws() {
  function_.rng = outer_;
}

void IterationDraws::begin_iteration() {
  if (!draws_) {
    return;
  }
  FunctionBuilder& builder = function_.builder;
  Scope scope(builder);
  Slot one = builder.allocate(1);
  builder.emit(Opcode::SplitRng, {state_.index, outer_.index, count_.index});
  builder.emit_constant(one, 1);
  builder.emit(Opcode::Add, engine::ElementType{engine::ElementKind::U64, 0},
               {count_.index, count_.index, one.index});
  function_.rng = state_;
}

void draw(FunctionLowering& lowering, Node call, Builtin builtin, Slot target) {
  const draws::Draw* place = lowering.elaboration.draw(call.index());
  const std::optional<engine::DrawFunction> function = draw_function(builtin);
  std::vector<Node> given = named_children(call.child(Field::Arguments));
  const bool is_permutation = function == engine::DrawFunction::Permutation;
  if (place == nullptr || !function ||
      (!is_permutation && given.size() != n_arguments(*function))) {
    unsupported(lowering, call, "this random draw");
    return;
  }
  Scope scope(lowering.builder);
  const ElementType of_arguments =
      is_permutation || given.empty() ? element(lowering, call) : element(lowering, given[0]);
  Slot arguments = lowering.builder.allocate(is_permutation ? 0 : given.size());
  for (size_t i = 0; i < given.size() && !is_permutation; ++i) {
    into_as(lowering, given[i], type_of(lowering, given[0]),
            {arguments.index + static_cast<uint32_t>(i)});
  }
  if (function == engine::DrawFunction::Int && hides_faults(lowering, call, given[0])) {
    // There is always an integer to draw: 0.
    const Slot one = lowering.builder.allocate(1);
    lowering.builder.emit_constant(one, 1);
    std::vector<FunctionPlace>& places = lowering.program.program().applied;
    lowering.builder.emit(
        Opcode::Apply, of_arguments,
        {arguments.index, arguments.index, one.index, static_cast<uint32_t>(places.size())});
    places.push_back(
        {.function = engine::Function::Max, .n_first = 1, .n_second = 1, .n_result = 1});
  }
  std::vector<DrawPlace>& draws = lowering.program.program().draws;
  lowering.builder.set_place(lowering.text.place(call));
  lowering.builder.emit(
      Opcode::Draw, of_arguments,
      {target.index, lowering.rng.index, static_cast<uint32_t>(draws.size()), arguments.index});
  draws.push_back({.function = *function,
                   .bits = place->bits,
                   .extent = is_permutation ? static_cast<uint32_t>(cells(lowering, call)) : 0});
}

/// The state of a callee that draws: this one's, and which call it is.
void pass_rng(FunctionLowering& lowering, Node call, const Callee& callee,
              std::vector<PassedCells>& passed) {
  if (!callee.draws) {
    return;
  }
  const draws::Call* place = lowering.elaboration.call(call.index());
  Slot state = lowering.builder.allocate(kRngCells);
  if (place == nullptr) {
    unsupported(lowering, call,
                "a call from a specification of a function that draws random numbers");
  } else {
    Slot word = lowering.builder.allocate(1);
    lowering.builder.emit_constant(word, place->word);
    lowering.builder.emit(Opcode::SplitRng, {state.index, lowering.rng.index, word.index});
  }
  passed.push_back({state, 0, kRngCells});
}

}  // namespace tacet::interpret
