#pragma once

#include <memory>
#include <vector>

#include "compiler/front/hir/build.h"
#include "compiler/spec/infer/interface.h"
#include "compiler/spec/infer/spec_graph.h"

/// Deduction of quotients: which node of its value specification each value of a function is.
///
///   operands   one per value of the function in SSA, shared by its copies; one per call
///   seeds      parameters are inputs, tagged values the nodes of their tags, results outputs
///   top-down   an operand that is a node has its term, and the node's children as operands
///   bottom-up  an operand without a node is the only node that it may be, as far as known; then
///   its
///              users are tried again
///   until      bottom-up assigns nothing more, or something contradicts its node
///   report     contradictions; operands without a node, with no candidate or several
///
/// Nothing is merged, for equal expressions of a specification are different nodes (ADR 2). The
/// state of a run is in deduction.h, the explanation in docs/subsystems/infer.md.
namespace tacet::infer {

/// What keeps a function from implementing its value specification.
struct Problem {
  enum class Kind : uint8_t {
    Differs,        ///< `value` should be `wanted`, but is computed otherwise
    OtherResult,    ///< of the right call, but another one of its results
    IsAnotherNode,  ///< `value` should be `wanted`, but is `found` already
    IsNone,         ///< `value` should be `wanted`, but `none(val)` was said of it
    NotMentioned,   ///< nothing in the specification could be `value`
    Ambiguous,      ///< each of `candidates` could be `value`
    SurplusPort,    ///< a parameter or result more than the specification has: `node`
    MissingInput,   ///< the specification has the parameter `found`, which the function lacks
    MissingOutput,  ///< the specification has the result `found`, which the function lacks
    PartOfAnother,  ///< a call of a function whose results are other nodes of another specification
    OtherType,      ///< something of type `type` is `wanted`, which has another one
    NotCompared,    ///< the computation of `value` is not compared; a warning
    UnknownContent,  ///< `value` should be `wanted`, but a call has written to it
  };
  Kind kind = Kind::Differs;
  hir::ValueId value = {};
  types::TypeId type = {};
  SpecNodeId wanted = {};
  SpecNodeId found = {};
  std::vector<SpecNodeId> candidates = {};
  /// The syntax node that is wrong, in the function's tree.
  uint32_t node = hir::kNoNode;
  /// The tag that says that `value` is `wanted`, where one does.
  uint32_t tag = hir::kNoNode;
  /// A part of the specification and of the implementation, side by side, down to where they
  /// differ: parents in front of their children.
  struct Row {
    uint32_t depth = 0;
    SpecNodeId spec = {};
    hir::ValueId value = {};
    /// Of a call with several results, which are not a value: where it is.
    uint32_t node = hir::kNoNode;
    bool is_different = false;
    friend auto operator==(const Row&, const Row&) -> bool = default;
  };
  std::vector<Row> rows = {};

  friend auto operator==(const Problem&, const Problem&) -> bool = default;
};

/// The value quotients of a coordinator function.
struct Quotients {
  names::ItemId val;
  /// By value of the function in SSA: its node, or none.
  std::vector<SpecNodeId> of_value;
  /// By instruction: of calls the node of the call, of others none.
  std::vector<SpecNodeId> of_call;
  std::vector<Problem> problems;
  /// Something is left to be filled in.
  bool has_holes = false;

  /// False if the function does what the specification says, as far as that is compared.
  [[nodiscard]] auto has_mistakes() const -> bool {
    for (const Problem& problem : problems) {
      if (problem.kind != Problem::Kind::NotCompared) {
        return true;
      }
    }
    return false;
  }

  friend auto operator==(const Quotients&, const Quotients&) -> bool = default;
};

/// Which node of the specification `spec` each value of `function`, in SSA, is. Reads the
/// function's own body and its specification; of callees the heads, and summaries of which
/// parameters they read and write.
///
/// Sources: the Caiman front end's quotient deduction. ADR 2 lists where this one accepts more.
auto deduce(query::Context& context, const hir::Function& function, const SpecGraph& spec)
    -> Quotients;

/// Query: `deduce`, for a function and the value specification that it implements. Null if it
/// implements none.
struct QuotientsOf {
  static constexpr std::string_view kName = "quotients_of";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const Quotients>;
  static constexpr bool kEvictable = true;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::infer
