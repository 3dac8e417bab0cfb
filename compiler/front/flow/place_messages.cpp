#include "compiler/front/flow/place_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/types/queries.h"

namespace tacet::flow {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::PlaceId;
using hir::PlaceKind;
using hir::ValueId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeKind;

static auto truth(BranchSide side) -> std::string_view {
  return side.is_true ? "true" : "false";
}

PlaceMessages::PlaceMessages(query::Context& context, const PlaceProblem& problem,
                             const hir::BlockFacts<PlaceFact>& facts, names::Report& report)
    : context_(context),
      interner_(context.service<Interner>()),
      types_(context.service<types::TypeStore>()),
      problem_(problem),
      function_(problem.function()),
      facts_(facts),
      tree_(context.get<names::SyntaxOfItem>(function_.item)),
      report_(report) {}

void PlaceMessages::empty_read(const Instruction& load, Point point) {
  const PlaceKind kind = function_.places[load.place].kind;
  if (kind == PlaceKind::Field || kind == PlaceKind::Merged) {
    const bool is_sometimes = problem_.is_full(point.fact, load.place);
    names::Draft draft =
        report_.add(DiagnosticCode::T4001, range(load.node),
                    fmt::format("{} is read, but {}", called(load.place),
                                is_sometimes ? "on some path nothing is encoded into it"
                                             : "nothing was encoded into it before"));
    explain_empty(draft, load.place, point, "encoded into it");
    if (!label_reader(draft, load, point)) {
      draft.note("every path to this point must encode it first");
    }
    return;
  }
  names::Draft draft =
      report_.add(DiagnosticCode::T1010, range(load.node),
                  fmt::format("{} is read before it has a value", called(load.place)));
  explain_empty(draft, load.place, point, "assigned to it");
  draft.note("every path to this point must assign it first");
}

/// The callee that a field is handed to, if one is.
auto PlaceMessages::label_reader(names::Draft& draft, const Instruction& load, Point point)
    -> bool {
  const std::vector<InstructionId>& instructions = function_.blocks[point.block].instructions;
  for (size_t i = point.position; i < instructions.size(); ++i) {
    const Instruction& call = function_.instructions[instructions[i]];
    const std::span<const ValueId> operands = function_.operands_of(call);
    const auto field = std::find(operands.begin(), operands.end(), function_.result_of(load));
    if (call.opcode == Opcode::Call && field != operands.end()) {
      label_parameter(draft, call, static_cast<uint32_t>(field - operands.begin()) - call.n_dims,
                      fmt::format("`{}` reads field `{}` of this parameter", name_of(call.item),
                                  interner_.text(function_.places[load.place].name)));
      draft.note(
          "a field may be missing if the callee encodes it before reading it, or marks it dead: "
          "`@in { e.x: none(val)-dead };`");
      return true;
    }
  }
  return false;
}

void PlaceMessages::lent_empty(uint32_t operand, const Instruction& call, Point point) {
  const ValueId reference = function_.operands[operand];
  const PlaceId place = function_.definition_of(reference).place;
  names::Draft draft =
      report_.add(DiagnosticCode::T1010, range(function_.values[reference].node),
                  fmt::format("a reference to {} is passed to `{}` before it has a value",
                              called(place), name_of(call.item)));
  explain_empty(draft, place, point, "assigned to it");
  label_parameter(draft, call, operand - call.operands.begin - call.n_dims,
                  "the flow of this parameter says that it is read");
  draft.note("tag a parameter that is only written: `out: &i64 @ none(val)-dead`");
}

void PlaceMessages::given_back_empty(ValueId reference, Point point) {
  const PlaceId place = function_.definition_of(reference).place;
  names::Draft draft = report_.add(
      DiagnosticCode::T1010, range(function_.values[reference].node),
      fmt::format("a reference to {} is returned before it has a value", called(place)));
  explain_empty(draft, place, point, "assigned to it");
  draft.note("the caller may read through the reference");
}

void PlaceMessages::explain_empty(names::Draft& draft, PlaceId place, Point point,
                                  std::string_view verb) {
  const Reasons reasons =
      trace(problem_, facts_, point.block, point.position, place, Wanted::Empty);
  for (BranchSide side : reasons.sides) {
    draft.label(condition(side), fmt::format("when this is {}, nothing is {}", truth(side), verb));
  }
  for (InstructionId id : reasons.unfilled) {
    draft.label(range(id), fmt::format("`{}` does not assign it on every path",
                                       name_of(function_.instructions[id].item)));
  }
  for (InstructionId id : reasons.causes) {
    draft.label(range(id), function_.instructions[id].opcode == Opcode::Parameter
                               ? "it has no value when the function starts: its flow is `dead`"
                               : "returned without a value: the flow of the result is `dead`");
  }
  const hir::Place& data = function_.places[place];
  if (data.kind == PlaceKind::Variable && data.node != hir::kNoNode) {
    draft.label(range(data.node), "declared here without a value");
  }
}

/// The callee's parameter behind port `port`.
void PlaceMessages::label_parameter(names::Draft& draft, const Instruction& call, uint32_t port,
                                    std::string message) {
  const auto signature = context_.get<types::SignatureOf>(call.item);
  const names::ItemHead& head = context_.get<names::HeadOfItem>(call.item);
  size_t ordinal = 0;
  size_t n_ports = 0;
  for (Node parameter : names::item_node(*head.tree).child(Field::Parameters).children()) {
    if (!parameter.is(NodeKind::Parameter) || ordinal == signature->parameters.size()) {
      continue;
    }
    n_ports += hir::expand(types_, signature->parameters[ordinal++].type, 0).size();
    if (port < n_ports) {
      draft.label_at(call.item, parameter.range(), std::move(message));
      return;
    }
  }
}

auto PlaceMessages::used_up(PlaceId place, uint32_t at, Opcode use, const Instruction* by,
                            Point point) -> bool {
  const Reasons reasons =
      trace(problem_, facts_, point.block, point.position, place, Wanted::Empty);
  if (reasons.causes.empty()) {
    return false;
  }
  const Instruction& cause = function_.instructions[reasons.causes[0]];
  const bool is_twice = use == cause.opcode && use != Opcode::Store && use != Opcode::Call;
  const std::string done = done_by(cause.opcode, cause.item);
  names::Draft draft = report_.add(
      DiagnosticCode::T4002, range(at),
      is_twice ? fmt::format("{} is {} twice", called(place), done)
               : fmt::format("{} is {} after being {}", called(place),
                             done_by(use, by == nullptr ? names::ItemId() : by->item), done));
  for (InstructionId id : reasons.causes) {
    const Instruction& instruction = function_.instructions[id];
    draft.label(range(id), fmt::format("{} here", done_by(instruction.opcode, instruction.item)));
  }
  for (BranchSide side : reasons.sides) {
    draft.label(condition(side), fmt::format("only when this is {}", truth(side)));
  }
  if (cause.opcode == Opcode::Await && is_twice) {
    draft.note("keep the result: `let r = await f;`, then read `r.x` as often as needed");
  } else {
    draft.note(
        is_encoder(place)
            ? "`submit` and calls consume an encoder; nothing can be encoded on it afterwards"
            : "a future can be awaited only once, by its last owner");
  }
  return true;
}

auto PlaceMessages::done_by(Opcode opcode, names::ItemId callee) const -> std::string {
  if (opcode == Opcode::Submit) {
    return "submitted";
  }
  if (opcode == Opcode::Await) {
    return "awaited";
  }
  if (opcode == Opcode::Call) {
    return fmt::format("passed to `{}`", name_of(callee));
  }
  if (opcode == Opcode::Store) {
    return "moved to another variable";
  }
  const bool is_encoding = opcode == Opcode::EncodeCopy || opcode == Opcode::EncodeCall;
  return is_encoding ? "used for encoding" : "returned";
}

void PlaceMessages::left_over(names::Report& report, PlaceId place, bool is_sometimes_used) {
  names::Draft draft = report.add(
      DiagnosticCode::T4003, range(function_.places[place].node),
      fmt::format("{} is {} {}", called(place), is_sometimes_used ? "not always" : "never",
                  is_encoder(place) ? "submitted" : "awaited"));
  if (is_sometimes_used) {
    const BlockId last{static_cast<uint32_t>(function_.blocks.size() - 1)};
    const Reasons reasons = trace(problem_, facts_, last,
                                  function_.blocks[last].instructions.size(), place, Wanted::Full);
    for (BranchSide side : reasons.sides) {
      draft.label(condition(side), fmt::format("not when this is {}", truth(side)));
    }
  }
  draft.note(is_encoder(place)
                 ? "encoded commands run only when the encoder is submitted"
                 : "without `await`, completion is not observed and the results are not read");
}

auto PlaceMessages::node(uint32_t index) const -> Node {
  return index == hir::kNoNode ? Node() : Node(tree_.get(), index);
}

auto PlaceMessages::range(uint32_t index) const -> TextRange {
  return node(index) ? node(index).range() : names::item_name_range(names::item_node(*tree_));
}

auto PlaceMessages::range(InstructionId id) const -> TextRange {
  return range(function_.instructions[id].node);
}

auto PlaceMessages::condition(BranchSide side) const -> TextRange {
  Node condition = node(side.node).child(Field::Condition);
  return condition ? condition.range() : range(side.node);
}

auto PlaceMessages::name_of(names::ItemId item) const -> std::string_view {
  return interner_.text(context_.service<names::ItemTable>()[item].name);
}

auto PlaceMessages::is_encoder(PlaceId place) const -> bool {
  return types_[function_.places[place].type].kind == TypeKind::Encoder;
}

/// A place as a message calls it.
auto PlaceMessages::called(PlaceId id) const -> std::string {
  const hir::Place& place = function_.places[id];
  if (place.kind == PlaceKind::Field && place.owner.has_value()) {
    return fmt::format("`{}` of `{}`", interner_.text(place.name), interner_.text(place.owner));
  }
  if (place.name.has_value()) {
    return fmt::format("`{}`", interner_.text(place.name));
  }
  if (is_encoder(id)) {
    return "this encoder";
  }
  if (types_[place.type].kind == TypeKind::Future) {
    return "this future";
  }
  return place.kind == PlaceKind::Referent ? "the target of this reference" : "this";
}

}  // namespace tacet::flow
