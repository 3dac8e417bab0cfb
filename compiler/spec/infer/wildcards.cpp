#include "compiler/spec/infer/wildcards.h"

#include <algorithm>

#include "compiler/core/syntax/bare.h"

namespace tacet::infer {

using hir::Instruction;
using hir::ValueId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto has_wildcards(const syntax::Tree& tree) -> bool {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(),
                     [](const syntax::NodeData& node) { return node.kind == NodeKind::Wildcard; });
}

namespace {

class WildcardReader {
 public:
  WildcardReader(query::Context& context, const FunctionFacts& facts)
      : interner_(context.service<Interner>()),
        types_(context.service<types::TypeStore>()),
        facts_(facts) {}

  auto run() -> std::vector<Hole> {
    for (uint32_t i = 0; i < facts_.tree.nodes.size(); ++i) {
      const Node node(&facts_.tree, i);
      if (node.is(NodeKind::LetStatement) || node.is(NodeKind::VarStatement)) {
        statement(node);
      }
    }
    return std::move(holes_);
  }

 private:
  void statement(Node statement) {
    uint32_t ordinal = 0;
    for (const Node child : statement.children()) {
      if (!child.is(NodeKind::Binding)) {
        continue;
      }
      if (child.child(Field::Name).is(NodeKind::Wildcard)) {
        wildcard(child.child(Field::Name), value_of(statement.child(Field::Value), ordinal));
      }
      ++ordinal;
    }
  }

  /// The result `ordinal` of what is computed at `given`.
  [[nodiscard]] auto value_of(Node given, uint32_t ordinal) const -> ValueId {
    const Node value = syntax::bare(given);
    for (const Instruction& instruction : facts_.function.instructions.values()) {
      if (value && instruction.node == value.index() && ordinal < instruction.results.size()) {
        return facts_.function.result_of(instruction, ordinal);
      }
    }
    for (const hir::NameUse& use : facts_.function.names) {
      if (value && use.node == value.index() && ordinal == 0) {
        return use.value;
      }
    }
    return {};
  }

  void wildcard(Node place, ValueId value) {
    if (!value.has_value() ||
        types_[facts_.function.values[value].type].kind != types::TypeKind::Value) {
      return;
    }
    const SpecNodeId node = facts_.quotients.of_value[value.index];
    Hole hole;
    hole.node = place.index();
    hole.wanted = {node};
    hole.types = {facts_.function.values[value].type};
    const Name name = node.has_value() ? facts_.spec.nodes[node].name : Name();
    const bool is_taken =
        std::any_of(facts_.body.names.locals.begin(), facts_.body.names.locals.end(),
                    [&](const names::Local& local) { return local.name == name; });
    if (name.has_value() && !is_taken) {
      hole.fillings.push_back(
          {.replaced = place.range(), .text = std::string(interner_.text(name))});
    } else {
      hole.problem = name.has_value()
                         ? "its name in the specification is already taken by a variable"
                         : "it has no name in the specification";
    }
    holes_.push_back(std::move(hole));
  }

  const Interner& interner_;
  const types::TypeStore& types_;
  const FunctionFacts& facts_;
  std::vector<Hole> holes_;
};

}  // namespace

auto wildcards_of(query::Context& context, const FunctionFacts& facts) -> std::vector<Hole> {
  return has_wildcards(facts.tree) ? WildcardReader(context, facts).run() : std::vector<Hole>();
}

}  // namespace tacet::infer
