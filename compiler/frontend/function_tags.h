#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/check/queries.h"
#include "compiler/flow/function_flows.h"
#include "compiler/infer/quotients.h"

/// The tags that were found out in coordinator functions, for those who show them.
namespace tacet::check {

/// The tags of one coordinator function, as they would be written. Holds what queries gave: not to
/// be kept longer than the context.
class FunctionTags {
 public:
  /// Nothing for other items and for functions whose specification has mistakes.
  static auto find(query::Context& context, names::ItemId function) -> std::optional<FunctionTags>;

  /// Of the name at `node`: where a variable is declared, of what it holds from there on; where it
  /// is read or written, of what it holds then. `[node(val.c)-usable, none(tmln)-usable,
  /// none(sptl)-usable]`, or nothing where nothing is known.
  [[nodiscard]] auto of_name(syntax::Node node) const -> std::string;
  /// Of a `result` of the head.
  [[nodiscard]] auto of_result(syntax::Node result) const -> std::string;
  /// Of an `if_expression`: what it chooses.
  [[nodiscard]] auto of_choice(syntax::Node choice) const -> std::string;

  /// A variable that an `if` gives a value on one of its ways at least.
  struct Merged {
    std::string variable;
    /// At the end of the way on true, of the other, and behind.
    std::string on_true;
    std::string on_false;
    std::string behind;
  };
  /// The variables that the `if_expression` changes, in the order of their declaration.
  [[nodiscard]] auto merged_by(syntax::Node choice) const -> std::vector<Merged>;

 private:
  FunctionTags(query::Context& context, names::ItemId function);

  struct NamedValue {
    hir::ValueId value;
    hir::ValueId as_built;
  };

  [[nodiscard]] auto value_of(uint32_t node) const -> std::optional<NamedValue>;
  [[nodiscard]] auto of_encoded(syntax::Node destination) const -> std::string;
  [[nodiscard]] auto block_of_choice(syntax::Node choice) const -> hir::BlockId;
  [[nodiscard]] auto flows_of_read(hir::ValueId as_built) const -> flow::Flows;
  [[nodiscard]] auto content(hir::ValueId value) const -> std::string;
  [[nodiscard]] auto node_text(hir::ValueId value) const -> std::string;
  [[nodiscard]] auto name_of(infer::SpecNodeId node) const -> std::string;
  [[nodiscard]] auto is_event(types::TypeId type) const -> bool;

  const Interner* interner_;
  const types::TypeStore* types_;
  names::ItemTree tree_;
  BodyPtr body_;
  hir::FunctionPtr function_;
  hir::FunctionPtr ssa_;
  std::shared_ptr<const infer::Quotients> quotients_;
  std::shared_ptr<const infer::Interface> interface_;
  std::shared_ptr<const flow::FunctionFlows> flows_;
  std::shared_ptr<const types::Signature> val_;
  infer::SpecGraphPtr spec_;
};

}  // namespace tacet::check
