#include "compiler/spec/infer/synthesis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/spec_text.h"

namespace tacet::infer {

using syntax::NodeKind;
using types::Operator;

/// How tightly constructs bind, as in the grammar.
static constexpr int kCast = 14;
static constexpr int kUnary = 15;

auto precedence_of(Operator op) -> int {
  switch (op) {
    case Operator::Or:
      return 5;
    case Operator::Xor:
      return 6;
    case Operator::And:
      return 7;
    case Operator::Shl:
    case Operator::Shr:
    case Operator::Ashr:
      return 8;
    case Operator::Lor:
      return 9;
    case Operator::Land:
      return 10;
    case Operator::Lt:
    case Operator::Leq:
    case Operator::Gt:
    case Operator::Geq:
    case Operator::Eq:
    case Operator::Neq:
      return 11;
    case Operator::Add:
    case Operator::Sub:
      return 12;
    case Operator::Mul:
    case Operator::Div:
    case Operator::Mod:
      return 13;
    case Operator::Neg:
    case Operator::Not:
    case Operator::Invert:
      return kUnary;
  }
  return kAnyPrecedence;
}

Synthesis::Synthesis(query::Context& context, const FunctionFacts& facts)
    : Synthesis(context, facts.function.item, facts.tree, facts.spec) {}

Synthesis::Synthesis(query::Context& context, names::ItemId function, const syntax::Tree& tree,
                     const SpecGraph& spec)
    : context_(context),
      function_(function),
      spec_(spec),
      interner_(context.service<Interner>()),
      spec_tree_(context.get<names::SyntaxOfItem>(spec.item)) {
  const auto signature = context.get<types::SignatureOf>(function);
  if (signature && signature->is_device_function) {
    device_ = signature->device;
  }
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].kind == NodeKind::Identifier) {
      taken_.emplace(syntax::Node(&tree, i).text());
    }
  }
}

auto Synthesis::fail(std::string problem) -> std::nullopt_t {
  if (problem_.empty()) {
    problem_ = std::move(problem);
  }
  return std::nullopt;
}

auto Synthesis::described(SpecNodeId id) const -> std::string {
  return fmt::format("`{}`", spec_node_text(spec_, *spec_tree_, interner_, id));
}

auto Synthesis::has_several_results(SpecNodeId id) const -> bool {
  const SpecNode& node = spec_.nodes[id];
  if (node.term.kind != TermKind::Extract) {
    return false;
  }
  const auto signature = context_.get<types::SignatureOf>(spec_.nodes[node.children[0]].term.item);
  return signature && signature->results.size() > 1;
}

static auto wrapped(std::string text, bool is_wrapped) -> std::string {
  return is_wrapped ? fmt::format("({})", text) : text;
}

auto Synthesis::expression(SpecNodeId id, const AtHand& at_hand, int precedence)
    -> std::optional<std::string> {
  if (auto found = at_hand.find(id); found != at_hand.end()) {
    return found->second;
  }
  const SpecNode& node = spec_.nodes[id];
  if (room_ == 0) {
    return fail("the generated code would be too long");
  }
  --room_;
  switch (node.term.kind) {
    case TermKind::Literal:
      ++cost_;
      return std::string(interner_.text(node.term.text));
    case TermKind::Constant:
      ++cost_;
      return std::string(syntax::Node(spec_tree_.get(), node.node).text());
    case TermKind::Unary:
    case TermKind::Binary:
    case TermKind::Cast:
    case TermKind::Index:
    case TermKind::Array:
      return operation(id, at_hand, precedence);
    case TermKind::Select: {
      cost_ += 2;
      const auto condition = expression(node.children[0], at_hand, kConditionalPrecedence + 1);
      const auto on_true = expression(node.children[1], at_hand, kConditionalPrecedence + 1);
      const auto on_false = expression(node.children[2], at_hand, kConditionalPrecedence);
      if (!condition || !on_true || !on_false) {
        return std::nullopt;
      }
      return wrapped(fmt::format("{} if {} else {}", *on_true, *condition, *on_false),
                     precedence > kConditionalPrecedence);
    }
    case TermKind::Extract:
      if (device_ && member(spec_.nodes[node.children[0]].term.item) == nullptr) {
        return written_out(node.children[0], node.term.number, at_hand, precedence);
      }
      if (has_several_results(id)) {
        return fail(fmt::format("{} is one of several results of a call and needs a statement",
                                described(id)));
      }
      return call(node.children[0], at_hand);
    case TermKind::Input:
    case TermKind::Dimension:
      return fail(fmt::format("no variable in scope holds {}", described(id)));
    case TermKind::Pattern:
      return pattern(id, at_hand, precedence);
    case TermKind::Call:
    case TermKind::EncodeEvent:
    case TermKind::SubmitEvent:
    case TermKind::SyncEvent:
    case TermKind::Opaque:
      break;
  }
  return fail(fmt::format("the coordinator cannot compute {}", described(id)));
}

auto Synthesis::operation(SpecNodeId id, const AtHand& at_hand, int precedence)
    -> std::optional<std::string> {
  const SpecNode& node = spec_.nodes[id];
  ++cost_;
  const int own = node.term.kind == TermKind::Cast    ? kCast
                  : node.term.kind == TermKind::Index ? kAtomPrecedence
                  : node.term.kind == TermKind::Array ? kAnyPrecedence
                                                      : precedence_of(node.term.op);
  std::vector<std::string> operands;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const bool is_right = node.term.kind == TermKind::Binary && i == 1;
    const bool is_index = node.term.kind == TermKind::Index && i == 1;
    const auto operand =
        expression(node.children[i], at_hand, is_index ? kAnyPrecedence : own + (is_right ? 1 : 0));
    if (!operand) {
      return std::nullopt;
    }
    operands.push_back(*operand);
  }
  const std::string_view token = syntax::kind_name(types::scheme_of(node.term.op).token);
  if (node.term.kind == TermKind::Unary) {
    return wrapped(fmt::format("{}{}", token, operands[0]), precedence > own);
  }
  if (node.term.kind == TermKind::Binary) {
    return wrapped(fmt::format("{} {} {}", operands[0], token, operands[1]), precedence > own);
  }
  if (node.term.kind == TermKind::Cast) {
    const std::string type =
        types::type_text(context_.service<types::TypeStore>(), interner_, node.term.type);
    return wrapped(fmt::format("{} as {}", operands[0], type), precedence > own);
  }
  if (node.term.kind == TermKind::Index) {
    return fmt::format("{}[{}]", operands[0], operands[1]);
  }
  return fmt::format("[{}]", fmt::join(operands, ", "));
}

auto Synthesis::pattern(SpecNodeId id, const AtHand& at_hand, int precedence)
    -> std::optional<std::string> {
  cost_ += 4;
  const syntax::Node whole(spec_tree_.get(), spec_.nodes[id].node);
  const check::BodyPtr body = context_.get<check::BodyOf>(spec_.item);
  std::vector<TextEdit> edits;
  for (uint32_t i = whole.index(); i < whole.subtree_end(); ++i) {
    const syntax::Node at(spec_tree_.get(), i);
    if (!at.is(NodeKind::Identifier)) {
      continue;
    }
    const auto text = name_in_pattern(*body, at, at_hand);
    if (!text) {
      return std::nullopt;
    }
    const TextRange range = at.range();
    const uint32_t begin = whole.range().begin;
    if (!text->empty()) {
      edits.push_back({{range.begin - begin, range.end - begin}, *text});
    }
  }
  const bool is_call = whole.is(NodeKind::CallExpression);
  return wrapped(apply_edits(whole.text(), sorted_edits(edits)),
                 !is_call && precedence > kAnyPrecedence);
}

auto Synthesis::name_in_pattern(const check::Body& body, syntax::Node at, const AtHand& at_hand)
    -> std::optional<std::string> {
  const names::Resolution meaning = body.names.of(at.index());
  if (meaning.is(names::Meaning::Item)) {
    const names::ItemKey& key = context_.service<names::ItemTable>()[body.names.item(at.index())];
    return key.kind == names::ItemKind::Const
               ? std::optional(std::string())
               : fail(fmt::format("the array expression calls `{}`, and no code is generated for "
                                  "calls in array expressions",
                                  at.text()));
  }
  // The variables of the array expression itself stay as they are.
  const names::LocalKind kind = meaning.is(names::Meaning::Local)
                                    ? body.names.locals[meaning.index()].kind
                                    : names::LocalKind::Index;
  const bool is_own = kind != names::LocalKind::Parameter && kind != names::LocalKind::Definition;
  const SpecNodeId node = is_own ? SpecNodeId() : spec_.find(interner_.find(at.text()));
  return node.has_value() ? expression(node, at_hand, kAtomPrecedence)
                          : std::optional(std::string());
}

auto Synthesis::member(names::ItemId of_class) -> const ClassMember* {
  auto [found, is_new] = members_.try_emplace(of_class);
  if (is_new) {
    const FileId file = context_.service<names::ItemTable>()[function_].file;
    found->second = device_ ? device_members(context_, file, of_class, *device_, function_)
                            : callable_members(context_, file, of_class, function_);
  }
  if (found->second.empty()) {
    return nullptr;
  }
  const size_t chosen = chosen_[of_class];
  return &found->second[std::min(chosen, found->second.size() - 1)];
}

/// The value specification of a class; none if it has none.
static auto specification_of(query::Context& context, names::ItemId of_class) -> SpecGraphPtr {
  const auto& members = context.get<names::ClassOfItem>(of_class);
  std::vector<names::ItemId> items = {of_class};
  if (members) {
    items.insert(items.end(), members->members.begin(), members->members.end());
  }
  for (const names::ItemId item : items) {
    const auto signature = context.get<types::SignatureOf>(item);
    if (signature && signature->kind == names::ItemKind::Val) {
      const auto& specification = context.get<SpecificationOf>(item);
      return specification ? specification->graph : SpecGraphPtr();
    }
  }
  return nullptr;
}

auto Synthesis::written_out(SpecNodeId id, uint32_t number, const AtHand& at_hand, int precedence)
    -> std::optional<std::string> {
  const SpecNode& node = spec_.nodes[id];
  const names::ItemKey& key = context_.service<names::ItemTable>()[node.term.item];
  const std::string_view name = interner_.text(key.name);
  const SpecGraphPtr callee = specification_of(context_, node.term.item);
  const std::string_view device = names::device_text(*device_);
  if (!callee || number >= callee->outputs.size() ||
      callee->inputs.size() != node.children.size()) {
    return fail(fmt::format("no function of `{}` computes `{}`", device, name));
  }
  if (callee->item == spec_.item ||
      std::find(open_.begin(), open_.end(), callee->item) != open_.end()) {
    return fail(
        fmt::format("`{}` calls itself, and functions of `{}` have no recursion; write a "
                    "loop with a bound",
                    name, device));
  }
  AtHand inputs;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const auto argument = expression(node.children[i], at_hand, kAtomPrecedence);
    if (!argument) {
      return std::nullopt;
    }
    inputs.emplace(callee->inputs[i], *argument);
  }
  Synthesis inner(context_, function_, syntax::Tree{}, *callee);
  inner.open_ = open_;
  inner.open_.push_back(spec_.item);
  inner.room_ = room_;
  auto text = inner.expression(callee->outputs[number], inputs, precedence);
  room_ = inner.room_;
  cost_ += inner.cost_;
  return text ? text : fail(inner.problem_);
}

auto Synthesis::call(SpecNodeId id, const AtHand& at_hand) -> std::optional<std::string> {
  const SpecNode& node = spec_.nodes[id];
  const ClassMember* callee = member(node.term.item);
  if (callee == nullptr) {
    const names::ItemKey& key = context_.service<names::ItemTable>()[node.term.item];
    return fail(
        fmt::format("no coordinator function or pure extern computes `{}`; to compute it on a "
                    "device, write `encode-begin`, `submit` and `await`",
                    interner_.text(key.name)));
  }
  cost_ += callee->cost;
  std::string dims;
  std::string arguments;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const bool is_dim = i < callee->n_dims;
    std::string& list = is_dim ? dims : arguments;
    // Values of a grid end at `>`.
    const auto argument = expression(node.children[i], at_hand,
                                     is_dim ? precedence_of(Operator::Add) : kAnyPrecedence);
    if (!argument) {
      return std::nullopt;
    }
    list += fmt::format("{}{}", list.empty() ? "" : ", ", *argument);
  }
  return callee->n_dims > 0 ? fmt::format("{}'<{}>({})", callee->name, dims, arguments)
                            : fmt::format("{}({})", callee->name, arguments);
}

}  // namespace tacet::infer
