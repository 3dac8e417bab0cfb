#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/front/flow/flow.h"
#include "compiler/front/hir/hir.h"
#include "compiler/spec/infer/spec_graph.h"

/// The tags that a coordinator function would have if all were written out.
///
/// Services that are used here: those of `names` and `types`.
namespace tacet::infer {

/// One tag, about one specification language.
struct DimensionTag {
  enum class Kind : uint8_t {
    Deduced,  ///< nothing is said
    None,     ///< no node
    Node,     ///< the node, or nodes, `nodes`
    Input,    ///< the input `nodes[0]`, where it comes in
    Output,   ///< the output `output`
  };
  Kind kind = Kind::Deduced;
  /// What may be done with it; nothing of what computes instead of holding something.
  std::optional<flow::Flow> flow = {};
  uint32_t output = 0;
  std::vector<SpecNodeId> nodes = {};

  friend auto operator==(const DimensionTag&, const DimensionTag&) -> bool = default;
};

struct TagTriple {
  DimensionTag val;
  DimensionTag tmln;
  DimensionTag sptl;

  friend auto operator==(const TagTriple&, const TagTriple&) -> bool = default;
};

/// A place of the text and the tags that belong there.
struct Annotation {
  enum class Kind : uint8_t {
    Parameter,
    Result,
    Variable,           ///< a binding of `let` or `var`
    Value,              ///< a literal, or anything that has tags already
    EncodeDestination,  ///< `x_d` of `encode e.copy[x_d <- x]`
    Operation,  ///< a call, `encode-begin`, `submit`, `await`, or all of an `encode` statement
    Branch,     ///< an `if`
    Entry,      ///< what `key` is behind the statement `node`
    Exit,       ///< what `key` is in front of the statement `node`
    End,        ///< what `key` is at the end of the block `node`
    Name,       ///< a name that is read or written; it has its tags where it is declared
  };
  Kind kind = Kind::Value;
  /// In the function's tree: what the tags are about.
  uint32_t node = hir::kNoNode;
  TagTriple tags;
  /// Of `Entry`, `Exit` and `End`: a variable or a field.
  std::string key = {};
  /// Of `Variable`: its type, where that can be written.
  types::TypeId type = {};

  /// True for what computes instead of holding something: its tags say no flow.
  [[nodiscard]] auto is_operation() const -> bool {
    return kind == Kind::Operation || kind == Kind::Branch;
  }
  /// True for what `@in` or `@out` says.
  [[nodiscard]] auto is_at_boundary() const -> bool {
    return kind == Kind::Entry || kind == Kind::Exit || kind == Kind::End;
  }

  friend auto operator==(const Annotation&, const Annotation&) -> bool = default;
};

/// The tags of one function.
struct Annotations {
  /// The specifications that they speak of. No timeline where that has mistakes.
  names::ItemId val;
  names::ItemId tmln;
  /// In the order of the text but for those at boundaries, which stand among the statements that
  /// they stand at. What is not known is `Deduced`.
  std::vector<Annotation> list;

  friend auto operator==(const Annotations&, const Annotations&) -> bool = default;
};

/// Query: all places of a function that tags belong to, and the names in it, with their tags. Null
/// for other items and for functions whose value specification has mistakes. For those who show
/// them: nothing of it is needed to check a function.
struct AnnotationsOf {
  static constexpr std::string_view kName = "annotations_of";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const Annotations>;
  static constexpr bool kEvictable = true;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// How tags call the nodes of a specification. No name where the text has none.
struct NodeNames {
  std::vector<std::string> of_node;
  std::vector<std::string> of_output;
};

/// The names that a specification gives its nodes.
auto written_names(query::Context& context, const SpecGraph& spec) -> NodeNames;

/// `[node(val.c)-usable, none(tmln)-usable, none(sptl)-usable]`. What has no name is left open.
auto tags_text(const Annotation& annotation, const NodeNames& val, const NodeNames& tmln)
    -> std::string;

}  // namespace tacet::infer
