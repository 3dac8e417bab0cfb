#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using names::Builtin;
using syntax::Field;
using syntax::Node;

static auto draw_function(Builtin builtin) -> std::optional<engine::DrawFunction> {
  return engine::find_draw_function(names::builtin_text(builtin));
}

FunctionLowering::Turns::Turns(FunctionLowering& function, Node loop)
    : function_(function),
      draws_(function.elaboration_.loop_draws(loop.index())),
      outer_(function.rng_) {
  if (draws_) {
    state_ = function_.builder_.allocate(kRngCells);
    count_ = function_.builder_.allocate(1);
    function_.builder_.emit_constant(count_, 0);
  }
}

FunctionLowering::Turns::~Turns() {
  function_.rng_ = outer_;
}

void FunctionLowering::Turns::begin_turn() {
  if (!draws_) {
    return;
  }
  FunctionBuilder& builder = function_.builder_;
  Scope scope(builder);
  Slot one = builder.allocate(1);
  builder.emit(Opcode::SplitRng, {state_.index, outer_.index, count_.index});
  builder.emit_constant(one, 1);
  builder.emit(Opcode::Add, engine::ElementType{engine::ElementKind::U64, 0},
               {count_.index, count_.index, one.index});
  function_.rng_ = state_;
}

void FunctionLowering::draw(Node call, Builtin builtin, Slot target) {
  const draws::Draw* place = elaboration_.draw(call.index());
  const std::optional<engine::DrawFunction> function = draw_function(builtin);
  std::vector<Node> given = named_children(call.child(Field::Arguments));
  const bool is_permutation = function == engine::DrawFunction::Permutation;
  if (place == nullptr || !function ||
      (!is_permutation && given.size() != n_arguments(*function))) {
    unsupported(call, "this random draw");
    return;
  }
  Scope scope(builder_);
  const ElementType of_arguments =
      is_permutation || given.empty() ? element(call) : element(given[0]);
  Slot arguments = builder_.allocate(is_permutation ? 0 : given.size());
  for (size_t i = 0; i < given.size() && !is_permutation; ++i) {
    into_as(given[i], type(given[0]), {arguments.index + static_cast<uint32_t>(i)});
  }
  if (function == engine::DrawFunction::Int && hides_faults(call, given[0])) {
    // There is always an integer to draw: 0.
    const Slot one = builder_.allocate(1);
    builder_.emit_constant(one, 1);
    std::vector<FunctionPlace>& places = program_.program().applied;
    builder_.emit(
        Opcode::Apply, of_arguments,
        {arguments.index, arguments.index, one.index, static_cast<uint32_t>(places.size())});
    places.push_back(
        {.function = engine::Function::Max, .n_first = 1, .n_second = 1, .n_result = 1});
  }
  std::vector<DrawPlace>& draws = program_.program().draws;
  builder_.set_place(text_.place(call));
  builder_.emit(Opcode::Draw, of_arguments,
                {target.index, rng_.index, static_cast<uint32_t>(draws.size()), arguments.index});
  draws.push_back({.function = *function,
                   .bits = place->bits,
                   .extent = is_permutation ? static_cast<uint32_t>(cells(call)) : 0});
}

/// The state of a callee that draws: this one's, and which call it is.
void FunctionLowering::pass_rng(Node call, const Callee& callee, std::vector<PassedCells>& passed) {
  if (!callee.draws) {
    return;
  }
  const draws::Call* place = elaboration_.call(call.index());
  Slot state = builder_.allocate(kRngCells);
  if (place == nullptr) {
    unsupported(call, "a call from a specification of a function that draws random numbers");
  } else {
    Slot word = builder_.allocate(1);
    builder_.emit_constant(word, place->word);
    builder_.emit(Opcode::SplitRng, {state.index, rng_.index, word.index});
  }
  passed.push_back({state, 0, kRngCells});
}

}  // namespace tacet::interpret
