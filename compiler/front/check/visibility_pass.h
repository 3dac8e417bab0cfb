#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/check/secret_columns.h"
#include "compiler/front/check/secret_control.h"
#include "compiler/front/check/secret_path.h"

namespace tacet::check {

/// Finds out which values are secret, after types are known. Visibility flows forward: what an
/// operator gives is secret if one of its operands is; a variable without a written type is
/// secret if anything secret is ever assigned to it; any variable is if it is assigned to where a
/// secret decides whether that happens, and was declared where it does not (`SecretControl`).
/// Runs over the body until nothing changes, which is after one round for nearly all, and reports
/// in a last round.
class VisibilityPass {
 public:
  explicit VisibilityPass(Checker& checker)
      : checker_(checker),
        tree_(checker.tree),
        types_(checker.types),
        lowering_(checker.context, checker.key.file, nullptr),
        path_(tree_, checker.resolved.names, checker.table, checker.secret_nodes) {
    lowering_.use_types(
        types::types_of_head(checker.context, checker.item, names::item_node(tree_)));
  }
  void run();

 private:
  using Node = syntax::Node;
  using NodeKind = syntax::NodeKind;
  using Field = syntax::Field;
  enum class Written : uint8_t { Nothing, Public, Secret };
  auto is_secret(types::TypeId type) const -> bool;
  void parameters();
  void round();
  void body();

  // ---- expressions ----
  auto value_of(Node node) -> bool;
  /// A field is as secret as its record says. The record of an awaited future says nothing.
  auto field(Node node) -> bool;
  auto find(Node node) -> bool;
  /// Is one of the children secret?
  auto parts(Node node) -> bool;
  auto call(Node node) -> bool;
  /// A call of a parameter that is a function; `secret` says which arguments are.
  auto call_of_parameter(const names::Local& local, const std::vector<Node>& arguments,
                         const std::vector<bool>& secret) -> bool;
  auto parameter_name(const types::Signature& signature, size_t i) const -> std::string;
  /// The first column of `type` that is public, but secret in the value that is given.
  auto first_public(Node value, types::TypeId type) -> std::optional<size_t>;

  // ---- statements ----
  auto block(Node node) -> bool;
  void statement(Node node);
  auto branch(Node node) -> bool;
  /// The condition of a loop that a secret ends is evaluated again only if the secret says so.
  void loop(Node node);
  /// The elements of a secret array are secret.
  void elements(Node loop);
  /// A counter is public if it starts and steps publicly, also if a secret ends the loop.
  void counter(Node loop);
  void exits(Node node);
  void bind(Node statement, Node value, NodeKind binding_kind);
  /// Which columns of each of `n` names are given secrets.
  auto columns_by_binding(Node value, size_t n) -> std::vector<Columns>;
  /// `given` is what the name alone is bound to, or null.
  void bind_written(uint32_t local, Node name, Node written, Node given, const Columns& mine,
                    Node value);
  void assignment(Node node);
  /// `columns`, those of a part of a variable, among all of it.
  auto in_local(uint32_t local, types::ColumnRange range, const Columns& columns) -> Columns;
  /// The first column that the written type of a variable says is public, but gets a secret.
  auto first_written_public(uint32_t local, const Columns& given) -> std::optional<size_t>;
  /// The type of a variable with the visibilities of its text.
  auto type_as_written(uint32_t local) -> types::TypeId;
  /// A public variable gets a secret and is one from now on: a mistake if the text says so.
  void becomes_public(uint32_t local, Node value, std::string message, const Columns& columns);
  void set(uint32_t local) { set(local, Columns(columns_of_local(checker_, local).size(), true)); }
  /// Would `columns` make more of a variable secret?
  auto adds(uint32_t local, const Columns& columns) -> bool;
  void set(uint32_t local, const Columns& columns);

  // ---- results ----
  void returned(Node value);
  void check_results(Node value, bool secret);
  void check_result(Node value, bool secret, size_t ordinal);

  template <class Fix>
  void report(Node node, std::string message, const Fix& fix) {
    // On the coordinator nothing is secret: what crosses to a device is encrypted there.
    if (!is_reporting_ || !node || checker_.kind != BodyKind::Device) {
      return;
    }
    names::Draft draft =
        checker_.report.add(DiagnosticCode::T2019, node.range(), std::move(message));
    path_.show(node, draft);
    draft.note(
        "a secret becomes public only through `reveal(e)`, or when the coordinator reads a field "
        "of an awaited future");
    fix(draft);
  }
  Checker& checker_;
  const syntax::Tree& tree_;
  types::TypeStore& types_;
  types::TypeLowering lowering_;
  /// By local: what its written type says.
  std::vector<Written> written_;
  SecretPath path_;
  /// By local: the level of `control_` where it is declared.
  std::vector<uint32_t> declared_level_;
  SecretControl control_;
  bool has_changed_ = false;
  bool is_reporting_ = false;
};

}  // namespace tacet::check
