#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/check/secret_columns.h"
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
        path_(tree_, checker.resolved.names, checker.table, checker.secret_nodes) {
    lowering_.use_types(
        types::types_of_head(checker.context, checker.item, names::item_node(tree_)));
  }

  void run() {
    checker_.secret_nodes.assign(tree_.nodes.size(), false);
    checker_.secret_locals.assign(checker_.resolved.names.locals.size(), false);
    checker_.under_secret.assign(tree_.nodes.size(), false);
    checker_.secret_columns.clear();
    checker_.secret_columns_of_locals.clear();
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
      if (node == names::Local::kNone) {
        continue;
      }
      const auto columns = checker_.secret_columns_of_locals.find(static_cast<uint32_t>(i));
      if (columns != checker_.secret_columns_of_locals.end()) {
        checker_.secret_columns[node] = columns->second;
      }
      if (checker_.secret_locals[i]) {
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
        const types::TypeId type = checker_.signature.parameters[locals[i].ordinal].type;
        const bool secret = types::mentions_secret(types_, type);
        checker_.secret_locals[i] = secret;
        if (types::has_columns(types_, type)) {
          checker_.secret_columns_of_locals[static_cast<uint32_t>(i)] =
              types::secret_columns(types_, type);
        }
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
    bool secret = find(node);
    checker_.secret_nodes[node.index()] = secret;
    if (is_of_columns(checker_, checker_.terms[node.index()])) {
      checker_.secret_columns.erase(node.index());
      Columns columns = columns_of(checker_, node);
      secret = is_any(columns);
      checker_.secret_nodes[node.index()] = secret;
      checker_.secret_columns[node.index()] = std::move(columns);
    }
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
    if (is_of_columns(checker_, checker_.terms[record.index()])) {
      return is_any(columns_of(checker_, node));
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
    if (checker_.table[item].kind == ItemKind::Type) {
      return any;
    }
    const types::Signature& signature = *checker_.context.get<types::SignatureOf>(item);
    for (size_t i = 0; i < arguments.size() && i < signature.parameters.size(); ++i) {
      const std::optional<size_t> wrong =
          secret[i] ? first_public(arguments[i], signature.parameters[i].type) : std::nullopt;
      if (wrong && !path_.is_reported(arguments[i])) {
        report(arguments[i],
               types::has_columns(types_, signature.parameters[i].type)
                   ? fmt::format("a secret is passed as the public `{}`",
                                 column_text(checker_, signature.parameters[i].type, *wrong,
                                             parameter_name(signature, i)))
                   : "a secret is passed as a public argument",
               [](names::Draft&) {});
      }
    }
    // A specification speaks of values: what is computed from secrets is one.
    bool is_result_secret = is_spec(checker_) && any;
    for (const types::SignatureResult& result : signature.results) {
      is_result_secret = is_result_secret || types::mentions_secret(types_, result.type);
    }
    return is_result_secret;
  }

  auto parameter_name(const types::Signature& signature, size_t i) const -> std::string {
    const Name name = signature.parameters[i].name;
    return name.has_value() ? std::string(checker_.interner.text(name)) : fmt::format("in{}", i);
  }

  /// The first column of `type` that is public, but secret in the value that is given.
  auto first_public(Node value, types::TypeId type) -> std::optional<size_t> {
    const Columns given = columns_as(checker_, value, type);
    const Columns declared = types::secret_columns(types_, type);
    for (size_t i = 0; i < given.size() && i < declared.size(); ++i) {
      if (given[i] && !declared[i]) {
        return i;
      }
    }
    return std::nullopt;
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
        set(local, columns_at(checker_, arrays[i]));
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
    value_of(value);
    const std::vector<Node> bindings = children_of(statement, binding_kind);
    const std::vector<Columns> parts = columns_by_binding(value, bindings.size());
    size_t i = 0;
    for (Node binding : bindings) {
      Node name = binding.child(Field::Name);
      const uint32_t local = name ? local_of(checker_, name) : names::Local::kNone;
      const Columns& mine = parts[i++];
      if (local == names::Local::kNone) {
        continue;
      }
      declared_level_[local] = control_.level();
      if (Node written = binding.child(Field::Type)) {
        bind_written(local, name, written, bindings.size() == 1 ? value : Node(), mine, value);
      } else if (is_any(mine)) {
        path_.assigned(local, name, value);
        set(local, mine);
      }
    }
  }

  /// Which columns of each of `n` names are given secrets.
  auto columns_by_binding(Node value, size_t n) -> std::vector<Columns> {
    const Columns all = value ? columns_at(checker_, value) : Columns(1);
    if (n == 1) {
      return {all};
    }
    std::vector<Columns> parts;
    auto next = all.begin();
    const std::vector<types::Term> members =
        value ? checker_.inference.members(checker_.terms[value.index()])
              : std::vector<types::Term>();
    for (const types::Term member : members) {
      const auto size =
          static_cast<std::ptrdiff_t>(types::n_columns(types_, checker_.inference.finish(member)));
      if (members.size() != n || all.end() - next < size) {
        break;
      }
      parts.emplace_back(next, next + size);
      next += size;
    }
    parts.resize(n, Columns(1, is_any(all)));
    return parts;
  }

  /// `given` is what the name alone is bound to, or null.
  void bind_written(uint32_t local, Node name, Node written, Node given, const Columns& mine,
                    Node value) {
    const types::TypeId type = lowering_.lower(written);
    const Columns declared = types::secret_columns(types_, type);
    const bool is_declared = is_any(declared);
    written_[local] = is_declared ? Written::Secret : Written::Public;
    if (is_declared) {
      path_.declared(local);
      set(local, declared);
    }
    // In a specification a type without visibility leaves it open.
    if (is_spec(checker_)) {
      if (is_any(mine)) {
        set(local, mine);
      }
      return;
    }
    const Columns bound = given && declared.size() > 1 ? columns_as(checker_, given, type) : mine;
    for (size_t i = 0; i < declared.size() && i < bound.size(); ++i) {
      if (bound[i] && !declared[i]) {
        becomes_public(local, value,
                       fmt::format("a secret is bound to the public `{}`",
                                   column_text(checker_, type, i, name.text())),
                       bound);
        return;
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
      } else if (base.is(NodeKind::FieldExpression)) {
        base = base.child(Field::Record);
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
    const types::ColumnRange range = columns_of_target(checker_, target);
    const Columns given =
        in_local(local, range, columns_as(checker_, value, type_of(checker_, target)));
    const Columns all = in_local(local, range, Columns(range.size, true));
    if (written_[local] == Written::Nothing) {
      if (secret || secret_index) {
        path_.assigned(local, base, secret ? value : secret_index);
        set(local, secret_index ? all : given);
      }
    } else if (secret) {
      const std::optional<size_t> wrong = first_written_public(local, given);
      if (wrong) {
        becomes_public(
            local, value,
            fmt::format("a secret is assigned to the public `{}`",
                        column_text(checker_, type_of_local(checker_, local), *wrong, base.text())),
            given);
      }
    }
    const bool is_decided = control_.level() > declared_level_[local];
    if ((secret_index || is_decided) && adds(local, all)) {
      path_.decided(local, base, secret_index ? secret_index : control_.cause());
      set(local, all);
    }
    value_of(target);
    checker_.under_secret[node.index()] = control_.level() > 0;
  }

  /// `columns`, those of a part of a variable, among all of it.
  auto in_local(uint32_t local, types::ColumnRange range, const Columns& columns) -> Columns {
    Columns result(columns_of_local(checker_, local).size());
    for (size_t i = 0; i < range.size && range.begin + i < result.size(); ++i) {
      result[range.begin + i] = i < columns.size() && columns[i];
    }
    return result;
  }

  /// The first column that the written type of a variable says is public, but gets a secret.
  auto first_written_public(uint32_t local, const Columns& given) -> std::optional<size_t> {
    const Columns declared = written_[local] == Written::Public
                                 ? Columns(given.size())
                                 : types::secret_columns(types_, type_as_written(local));
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i] && (i >= declared.size() || !declared[i])) {
        return i;
      }
    }
    return std::nullopt;
  }

  /// The type of a variable with the visibilities of its text.
  auto type_as_written(uint32_t local) -> types::TypeId {
    const names::Local& data = checker_.resolved.names.locals[local];
    if (data.kind == LocalKind::Parameter && data.ordinal < checker_.signature.parameters.size()) {
      return checker_.signature.parameters[data.ordinal].type;
    }
    const Node binding = data.node == names::Local::kNone || data.node == 0
                             ? Node()
                             : node_at(checker_, data.node - 1);
    const Node written = binding.is(NodeKind::Binding) ? binding.child(Field::Type) : Node();
    return written ? lowering_.lower(written) : type_of_local(checker_, local);
  }

  /// A public variable gets a secret and is one from now on: a mistake if the text says so.
  void becomes_public(uint32_t local, Node value, std::string message, const Columns& columns) {
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
    set(local, columns);
  }

  void set(uint32_t local) { set(local, Columns(columns_of_local(checker_, local).size(), true)); }

  /// Would `columns` make more of a variable secret?
  auto adds(uint32_t local, const Columns& columns) -> bool {
    const Columns held = columns_of_local(checker_, local);
    for (size_t i = 0; i < held.size() && i < columns.size(); ++i) {
      if (columns[i] && !held[i]) {
        return true;
      }
    }
    return false;
  }

  void set(uint32_t local, const Columns& columns) {
    if (!adds(local, columns)) {
      return;
    }
    Columns held = columns_of_local(checker_, local);
    for (size_t i = 0; i < held.size() && i < columns.size(); ++i) {
      held[i] = held[i] || columns[i];
    }
    if (is_of_columns(checker_, checker_.local_terms[local])) {
      checker_.secret_columns_of_locals[local] = std::move(held);
    }
    checker_.secret_locals[local] = true;
    has_changed_ = true;
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
      check_result(value, secret, 0);
      return;
    }
    size_t i = 0;
    for (Node element : value.children(Field::Element)) {
      if (i < results.size()) {
        check_result(element, visibility_of(checker_, element.index()), i);
      }
      ++i;
    }
  }

  void check_result(Node value, bool secret, size_t ordinal) {
    const types::TypeId type = checker_.signature.results[ordinal].type;
    const std::optional<size_t> wrong = secret ? first_public(value, type) : std::nullopt;
    if (!wrong || !path_.says_secret(value)) {
      return;
    }
    if (types::has_columns(types_, type)) {
      report(value,
             fmt::format("a secret is returned as the public field `{}`",
                         column_text(checker_, type, *wrong, "result").substr(7)),
             [](names::Draft&) {});
      return;
    }
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
