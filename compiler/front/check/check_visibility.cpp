#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/check/secret_control.h"
#include "compiler/front/check/secret_path.h"

namespace tacet::check {

using names::BodyKind;
using names::Builtin;
using names::ItemKind;
using names::LocalKind;
using names::Meaning;
using syntax::ExpressionKind;
using types::TypeStore;
using types::Visibility;

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
        path_(tree_, checker.resolved.names, checker.secret_nodes) {
    lowering_.use_types(
        types::types_of_head(checker.context, checker.item, names::item_node(tree_)));
  }

  void run() {
    checker_.secret_nodes.assign(tree_.nodes.size(), false);
    checker_.secret_locals.assign(checker_.resolved.names.locals.size(), false);
    checker_.under_secret.assign(tree_.nodes.size(), false);
    written_.assign(checker_.secret_locals.size(), Written::Nothing);
    declared_level_.assign(checker_.secret_locals.size(), 0);
    control_.begin(tree_.nodes.size());
    parameters();
    do {
      has_changed_ = false;
      round();
    } while (has_changed_);
    is_reporting_ = true;
    round();
    for (size_t i = 0; i < checker_.secret_locals.size(); ++i) {
      const uint32_t node = checker_.resolved.names.locals[i].node;
      if (node != names::Local::kNone && checker_.secret_locals[i]) {
        checker_.secret_nodes[node] = true;
      }
    }
  }

 private:
  using Node = syntax::Node;
  using NodeKind = syntax::NodeKind;
  using Field = syntax::Field;

  enum class Written : uint8_t { Nothing, Public, Secret };

  auto is_secret(types::TypeId type) const -> bool {
    return types_.visibility(type) == Visibility::Secret;
  }

  void parameters() {
    const std::vector<names::Local>& locals = checker_.resolved.names.locals;
    for (size_t i = 0; i < locals.size(); ++i) {
      if (locals[i].kind == LocalKind::Parameter &&
          locals[i].ordinal < checker_.signature.parameters.size()) {
        const bool secret = is_secret(checker_.signature.parameters[locals[i].ordinal].type);
        checker_.secret_locals[i] = secret;
        written_[i] = secret ? Written::Secret : Written::Public;
        if (secret) {
          path_.declared(static_cast<uint32_t>(i));
        }
      }
    }
  }

  void round() {
    control_.begin_round();
    body();
  }

  void body() {
    Node root = names::item_node(tree_);
    switch (checker_.kind) {
      case BodyKind::Val:
      case BodyKind::Tmln:
      case BodyKind::Sptl:
        for (uint32_t index : checker_.resolved.definition_order) {
          Node definition = node_at(checker_, index);
          bind(definition, definition.child(Field::Value), NodeKind::SpecBinding);
        }
        for (Node statement : children_of(root.child(Field::Body), NodeKind::ReturnsStatement)) {
          returned(statement.child(Field::Value));
        }
        return;
      case BodyKind::Coordinator:
      case BodyKind::Device: {
        Node block = root.child(Field::Body);
        const bool secret = value_of(block);
        if (Node result = syntax::tail_of(block); result && checker_.key.kind == ItemKind::Fn) {
          check_results(result, secret);
        }
        return;
      }
      case BodyKind::Program:
        value_of(root);
        return;
      case BodyKind::Constant:
      case BodyKind::None:
        return;
    }
  }

  // ---- expressions ----

  auto value_of(Node node) -> bool {
    if (!node) {
      return false;
    }
    const bool secret = find(node);
    checker_.secret_nodes[node.index()] = secret;
    checker_.under_secret[node.index()] = control_.level() > 0;
    return secret;
  }

  /// A field is as secret as its record says. The record of an awaited future says nothing.
  auto field(Node node) -> bool {
    Node record = node.child(Field::Record);
    Node name = node.child(Field::Field);
    const bool secret = value_of(record);
    if (!record || !name) {
      return secret;
    }
    const types::RecordField* declared = declared_field(checker_, checker_.terms[record.index()],
                                                        checker_.interner.intern(name.text()));
    return secret || (declared != nullptr && is_secret(declared->type));
  }

  auto find(Node node) -> bool {
    switch (syntax::expression_kind(node.kind())) {
      case ExpressionKind::Identifier: {
        const names::Resolution resolution = checker_.resolved.names.of(node.index());
        return resolution.is(Meaning::Local) && checker_.secret_locals[resolution.index()];
      }
      case ExpressionKind::Call:
        return call(node);
      case ExpressionKind::Cast: {
        const bool secret = value_of(node.child(Field::Value));
        return secret || is_secret(lowering_.lower(node.child(Field::Type)));
      }
      case ExpressionKind::Let:
        bind(node, node.child(Field::Value), NodeKind::Binding);
        return value_of(node.child(Field::Body));
      case ExpressionKind::For:
        for (Node extent : node.children(Field::Extent)) {
          value_of(extent);
        }
        elements(node);
        return value_of(node.child(Field::Body));
      case ExpressionKind::If:
      case ExpressionKind::Conditional:
        return branch(node);
      case ExpressionKind::Submit:
      case ExpressionKind::Await:
        parts(node);
        return false;  // the coordinator's side: what is read there has been decrypted
      case ExpressionKind::Field:
        return field(node);
      case ExpressionKind::Tagged:
        return value_of(node.child(Field::Value));
      case ExpressionKind::Array:
      case ExpressionKind::Binary:
      case ExpressionKind::Boolean:
      case ExpressionKind::Dim:
      case ExpressionKind::EncodeBegin:
      case ExpressionKind::Float:
      case ExpressionKind::Hole:
      case ExpressionKind::Index:
      case ExpressionKind::Integer:
      case ExpressionKind::Parenthesized:
      case ExpressionKind::Path:
      case ExpressionKind::Range:
      case ExpressionKind::Slice:
      case ExpressionKind::StatementHole:
      case ExpressionKind::String:
      case ExpressionKind::Tuple:
      case ExpressionKind::Unary:
      case ExpressionKind::None:
        break;
    }
    return node.is(NodeKind::Block) ? block(node) : parts(node);
  }

  /// Is one of the children secret?
  auto parts(Node node) -> bool {
    bool secret = false;
    for (Node child : node.children()) {
      secret = value_of(child) || secret;
    }
    return secret;
  }

  auto call(Node node) -> bool {
    Node function = node.child(Field::Function);
    if (function.is(NodeKind::TaggedExpression)) {
      function = function.child(Field::Value);
    }
    const std::vector<Node> arguments = argument_nodes(node);
    bool any = false;
    std::vector<bool> secret;
    for (Node argument : arguments) {
      secret.push_back(value_of(argument));
      any = any || secret.back();
    }
    const names::Resolution resolution = checker_.resolved.names.of(function.index());
    if (resolution.is(Meaning::Builtin)) {
      const auto builtin = static_cast<Builtin>(resolution.index());
      return any && builtin != Builtin::Reveal && builtin != Builtin::Len;
    }
    const names::ItemId item = checker_.resolved.names.item(function.index());
    if (!item.has_value()) {
      return any;
    }
    const types::Signature& signature = *checker_.context.get<types::SignatureOf>(item);
    for (size_t i = 0; i < arguments.size() && i < signature.parameters.size(); ++i) {
      if (secret[i] && !is_secret(signature.parameters[i].type) &&
          !path_.is_reported(arguments[i])) {
        report(arguments[i], "a secret is passed as a public argument", [](names::Draft&) {});
      }
    }
    // A specification speaks of values: what is computed from secrets is one.
    bool is_result_secret = is_spec(checker_) && any;
    for (const types::SignatureResult& result : signature.results) {
      is_result_secret = is_result_secret || is_secret(result.type);
    }
    return is_result_secret;
  }

  // ---- statements ----

  auto block(Node node) -> bool {
    Node yielded = syntax::tail_of(node);
    bool secret = false;
    for (Node child : node.children()) {
      if (child == yielded) {
        secret = value_of(child);
      } else if (!child.is_leaf() || child.is(NodeKind::Identifier)) {
        statement(child);
      }
    }
    return secret;
  }

  void statement(Node node) {
    if (node.is(NodeKind::LetStatement) || node.is(NodeKind::VarStatement)) {
      bind(node, node.child(Field::Value), NodeKind::Binding);
    } else if (node.is(NodeKind::AssignmentStatement)) {
      assignment(node);
    } else if (node.is(NodeKind::ReturnStatement)) {
      returned(node.child(Field::Value));
      exits(node);
    } else if (node.is(NodeKind::BreakStatement) || node.is(NodeKind::ContinueStatement)) {
      exits(node);
    } else if (node.is(NodeKind::ForStatement) || node.is(NodeKind::WhileStatement) ||
               node.is(NodeKind::DoStatement)) {
      loop(node);
    } else if (!node.is(NodeKind::EncodeStatement) && !node.is(NodeKind::AnnotationStatement) &&
               !node.is(NodeKind::Error)) {
      value_of(node);
    }
  }

  auto branch(Node node) -> bool {
    const bool condition = value_of(node.child(Field::Condition));
    const SecretControl::State before = control_.state();
    if (condition) {
      control_.enter(node.child(Field::Condition));
    }
    const SecretControl::State inside = control_.state();
    const bool first = value_of(node.child(Field::Consequence));
    const SecretControl::State behind_first = control_.state();
    control_.restore(inside);
    const bool second = value_of(node.child(Field::Alternative));
    control_.join(before, behind_first);
    return condition || first || second;
  }

  /// The condition of a loop that a secret ends is evaluated again only if the secret says so.
  void loop(Node node) {
    Node decisive;
    for (const Field bound : {Field::Lower, Field::Upper, Field::Step, Field::Condition}) {
      if (value_of(node.child(bound)) && !decisive) {
        decisive = node.child(bound);
      }
    }
    value_of(node.child(Field::Max));
    for (Node array : node.children(Field::Array)) {
      value_of(array);
    }
    counter(node);
    elements(node);
    const SecretControl::State before = control_.begin_loop(node);
    if (decisive) {
      control_.enter(decisive);
    }
    value_of(node.child(Field::Condition));
    value_of(node.child(Field::Body));
    control_.end_loop(before);
  }

  /// The elements of a secret array are secret.
  void elements(Node loop) {
    const std::vector<Node> arrays = arrays_of(checker_.resolved.names, loop);
    const std::vector<Node> variables = variables_of(loop);
    for (size_t i = 0; i < arrays.size() && i < variables.size(); ++i) {
      const uint32_t local = local_of(checker_, variables[i]);
      if (local != names::Local::kNone && checker_.secret_nodes[arrays[i].index()]) {
        path_.assigned(local, variables[i], arrays[i]);
        set(local);
      }
    }
  }

  /// A counter is public if it starts and steps publicly, also if a secret ends the loop.
  void counter(Node loop) {
    const Node name = loop.child(Field::Variable);
    const uint32_t local = name ? local_of(checker_, name) : names::Local::kNone;
    if (local == names::Local::kNone) {
      return;
    }
    for (const Node from : {loop.child(Field::Lower), loop.child(Field::Step)}) {
      if (from && checker_.secret_nodes[from.index()]) {
        path_.decided(local, name, from);
        set(local);
      }
    }
  }

  void exits(Node node) {
    if (checker_.kind == BodyKind::Device && control_.exits(node)) {
      has_changed_ = true;
    }
  }

  void bind(Node statement, Node value, NodeKind binding_kind) {
    const bool secret = value_of(value);
    const std::vector<bool> parts = secret_parts(checker_, value);
    const std::vector<Node> bindings = children_of(statement, binding_kind);
    const size_t n = bindings.size();
    size_t i = 0;
    for (Node binding : bindings) {
      Node name = binding.child(Field::Name);
      const uint32_t local = name ? local_of(checker_, name) : names::Local::kNone;
      const bool mine = n > 1 && parts.size() == n ? parts[i] : secret;
      ++i;
      if (local == names::Local::kNone) {
        continue;
      }
      declared_level_[local] = control_.level();
      if (Node written = binding.child(Field::Type)) {
        const bool declared = is_secret(lowering_.lower(written));
        written_[local] = declared ? Written::Secret : Written::Public;
        if (declared) {
          path_.declared(local);
          set(local);
        }
        // In a specification a type without visibility leaves it open.
        if (mine && !declared && !is_spec(checker_)) {
          becomes_public(local, value,
                         fmt::format("a secret is bound to the public `{}`", name.text()));
        }
        if (mine && is_spec(checker_)) {
          set(local);
        }
      } else if (mine) {
        path_.assigned(local, name, value);
        set(local);
      }
    }
  }

  void assignment(Node node) {
    Node value = node.child(Field::Value);
    Node target = node.child(Field::Target);
    const bool secret = value_of(value);
    Node base = target;
    Node secret_index;
    while (base && !base.is(NodeKind::Identifier)) {
      if (base.is(NodeKind::IndexExpression)) {
        if (value_of(base.child(Field::Index))) {
          secret_index = base.child(Field::Index);
        }
        base = base.child(Field::Array);
      } else if (base.is(NodeKind::UnaryExpression)) {
        base = base.child(Field::Operand);
      } else {
        base = base.child(Field::Value);
      }
    }
    const uint32_t local = base ? local_of(checker_, base) : names::Local::kNone;
    if (local == names::Local::kNone) {
      return;
    }
    if (written_[local] == Written::Nothing) {
      if (secret || secret_index) {
        path_.assigned(local, base, secret ? value : secret_index);
        set(local);
      }
    } else if (written_[local] == Written::Public && secret) {
      becomes_public(local, value,
                     fmt::format("a secret is assigned to the public `{}`", base.text()));
    }
    const bool is_decided = control_.level() > declared_level_[local];
    if (!checker_.secret_locals[local] && (secret_index || is_decided)) {
      path_.decided(local, base, secret_index ? secret_index : control_.cause());
      set(local);
    }
    value_of(target);
    checker_.under_secret[node.index()] = control_.level() > 0;
  }

  /// A public variable gets a secret and is one from now on: a mistake if the text says so.
  void becomes_public(uint32_t local, Node value, std::string message) {
    if (checker_.kind != BodyKind::Device) {
      return;
    }
    if (path_.says_secret(value)) {
      report(value, std::move(message),
             [&](names::Draft& draft) { fix_public_local(checker_, draft, local, value); });
      path_.reported(local, value);
    } else {
      path_.assigned(local, value, value);
    }
    set(local);
  }

  void set(uint32_t local) {
    if (!checker_.secret_locals[local]) {
      checker_.secret_locals[local] = true;
      has_changed_ = true;
    }
  }

  // ---- results ----

  void returned(Node value) {
    const bool secret = value_of(value);
    if (checker_.key.kind == ItemKind::Fn) {
      check_results(value, secret);
    }
  }

  void check_results(Node value, bool secret) {
    const std::vector<types::SignatureResult>& results = checker_.signature.results;
    if (!value || results.empty()) {
      return;
    }
    if (results.size() == 1) {
      if (secret && !is_secret(results[0].type) && path_.says_secret(value)) {
        report_result(value, 0);
      }
      return;
    }
    const std::vector<bool> parts = secret_parts(checker_, value);
    size_t i = 0;
    for (Node element : value.children(Field::Element)) {
      if (i < parts.size() && i < results.size() && parts[i] && !is_secret(results[i].type) &&
          path_.says_secret(element)) {
        report_result(element, i);
      }
      ++i;
    }
  }

  void report_result(Node value, size_t ordinal) {
    report(value, "a secret is returned as a public result",
           [&](names::Draft& draft) { fix_public_result(checker_, draft, ordinal, value); });
  }

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

void visibilities(Checker& checker) {
  VisibilityPass(checker).run();
}

}  // namespace tacet::check
