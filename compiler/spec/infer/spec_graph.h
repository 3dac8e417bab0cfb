#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/store.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/types/operator_scheme.h"

/// What a specification says, as a graph of values or of events, and which node of it each value of
/// an implementation is: its *quotient*.
///
/// Services that the queries here use: those of `names` and `types`.
namespace tacet::infer {

struct SpecNodeTag;
using SpecNodeId = Id<SpecNodeTag>;

enum class TermKind : uint8_t {
  Input,      ///< the parameter `number`
  Dimension,  ///< `_dimK`, K being `number`
  Literal,    ///< `text`
  Constant,   ///< the constant `item`
  Unary,
  Binary,
  Cast,
  Select,   ///< condition, value on true, value on false
  Call,     ///< of the class `item`: grid, then arguments
  Extract,  ///< the result `number` of a call, or of an encoding: its event, its encoder
  Array,
  Index,
  Pattern,      ///< an array expression, `text` being its pattern
  EncodeEvent,  ///< of timelines: event, then the futures in flight
  SubmitEvent,  ///< encoder
  SyncEvent,    ///< event, future
  Opaque,       ///< a mistake
};

/// What a node does with its children: equal for nodes that compute alike.
struct Term {
  TermKind kind = TermKind::Opaque;
  types::Operator op = types::Operator::Add;  ///< of `Unary`, `Binary`
  uint32_t number = 0;                        ///< of `Input`, `Dimension`, `Extract`
  names::ItemId item = {};                    ///< of `Constant`; of `Call` the class
  Name text = {};                             ///< of `Pattern`; of `Literal` without extra zeros
  types::TypeId type = {};                    ///< of `Cast`

  friend auto operator==(const Term&, const Term&) -> bool = default;
};

struct SpecNode {
  Term term;
  types::TypeId type = {};
  std::vector<SpecNodeId> children = {};
  /// The name that it has in the text; none for parts of expressions.
  Name name = {};
  /// In the specification's tree.
  uint32_t node = 0;

  friend auto operator==(const SpecNode&, const SpecNode&) -> bool = default;
};

/// A specification. Equal expressions are different nodes: an implementation computes each.
struct SpecGraph {
  names::ItemId item;
  Store<SpecNodeId, SpecNode> nodes;
  std::vector<SpecNodeId> inputs;
  std::vector<SpecNodeId> outputs;
  /// Every name and the node that it stands for, sorted by name; two names may share a node.
  std::vector<std::pair<Name, SpecNodeId>> names;
  /// By node: the nodes that have it as a child, each once for every such child.
  std::vector<std::vector<SpecNodeId>> parents;

  [[nodiscard]] auto find(Name name) const -> SpecNodeId;
  [[nodiscard]] auto children(SpecNodeId node) const -> std::span<const SpecNodeId> {
    return nodes[node].children;
  }

  friend auto operator==(const SpecGraph&, const SpecGraph&) -> bool = default;
};

using SpecGraphPtr = std::shared_ptr<const SpecGraph>;

/// A value or timeline specification: what is wrong with it, and if nothing is, what it says.
struct Specification {
  std::shared_ptr<const check::ItemDiagnostics> diagnostics;
  /// Null where the specification has mistakes.
  SpecGraphPtr graph;

  friend auto operator==(const Specification& a, const Specification& b) -> bool {
    const bool are_equal = a.diagnostics == b.diagnostics ||
                           (a.diagnostics && b.diagnostics && *a.diagnostics == *b.diagnostics);
    return are_equal && (a.graph == b.graph || (a.graph && b.graph && *a.graph == *b.graph));
  }
};

/// Query: a value or timeline specification, from itself alone. Null for other items.
struct SpecificationOf {
  static constexpr std::string_view kName = "specification_of";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const Specification>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// The digits of a literal of type `type` without zeros that change nothing: `01` and `1.50` are
/// `1` and `1.5`. Where `1` is a number with a fraction it is `1.0`.
auto literal_text(const types::TypeStore& types, types::TypeId type, std::string_view digits)
    -> std::string;

/// What a constant is: the literal where its value is one, else the constant itself.
auto constant_term(query::Context& context, names::ItemId constant, types::TypeId type) -> Term;

/// The class whose members compute what `item` does, itself if it is none.
auto class_of(query::Context& context, names::ItemId item) -> names::ItemId;

}  // namespace tacet::infer
