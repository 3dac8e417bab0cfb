#include "compiler/front/flow/check_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/tree.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/queries.h"

namespace tacet::flow {

using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

constexpr std::string_view kWhy =
    "the code after a call receives its variables by value: a `var` is copied in and out, a "
    "reference cannot be";

/// How a reference is used.
enum class Use : uint8_t {
  Read,     ///< `*r`
  Written,  ///< `*r = e`
  Passed,   ///< `r` itself
};

/// A use of a reference behind a call.
struct LateUse {
  uint32_t name = names::Local::kNone;
  uint32_t whole = names::Local::kNone;  ///< with the `*` in front
  uint32_t call = names::Local::kNone;
  Use use = Use::Read;
};

class ReferenceChecker {
 public:
  ReferenceChecker(query::Context& context, const hir::Function& function, const check::Body& body,
                   names::Report& report)
      : items_(context.service<names::ItemTable>()),
        types_(context.service<types::TypeStore>()),
        interner_(context.service<Interner>()),
        tree_(context.get<names::SyntaxOfItem>(function.item)),
        function_(function),
        body_(body),
        report_(report),
        made_(body.names.locals.size()),
        late_(body.names.locals.size()) {}

  void run() {
    const auto n = static_cast<uint32_t>(body_.names.locals.size());
    if (!has_references()) {
      return;
    }
    walk(names::item_node(*tree_).child(Field::Body));
    for (uint32_t local = 0; local < n; ++local) {
      if (!late_[local].empty()) {
        report_local(local);
      }
    }
  }

 private:
  /// A call of a function: when it happened, and where. The first one never happened.
  struct Call {
    uint32_t time = 0;
    uint32_t node = names::Local::kNone;
  };

  [[nodiscard]] auto node(uint32_t index) const -> Node { return {tree_.get(), index}; }
  [[nodiscard]] auto is_reference(uint32_t local) const -> bool {
    return local < body_.local_types.size() &&
           types_[body_.local_types[local]].kind == types::TypeKind::Reference;
  }
  /// References that have a name, or that a call gives.
  [[nodiscard]] auto has_references() const -> bool {
    const auto n_locals = static_cast<uint32_t>(body_.names.locals.size());
    for (uint32_t local = 0; local < n_locals; ++local) {
      if (is_reference(local)) {
        return true;
      }
    }
    for (uint32_t i = 0; i < function_.places.size(); ++i) {
      if (function_.places[hir::PlaceId{i}].kind == hir::PlaceKind::Referent) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] auto is_reference(Node expression) const -> bool {
    return types_[body_.type(expression)].kind == types::TypeKind::Reference;
  }
  /// The reference that `name` stands for, or none.
  [[nodiscard]] auto reference(Node name) const -> uint32_t {
    const names::Resolution resolution =
        name.is(NodeKind::Identifier) ? body_.names.of(name.index()) : names::Resolution();
    const bool is_one = resolution.is(names::Meaning::Local) && is_reference(resolution.index());
    return is_one ? resolution.index() : names::Local::kNone;
  }
  static auto is_dereference(Node node) -> bool {
    return node.is(NodeKind::UnaryExpression) && node.child(Field::Operator).is(NodeKind::Star);
  }

  // ---- in the order of evaluation ----

  void walk(Node node) {
    if (is_dereference(node) && use(bare(node.child(Field::Operand)), node, Use::Read)) {
      return;
    }
    if (node.is(NodeKind::LetStatement) || node.is(NodeKind::VarStatement) ||
        node.is(NodeKind::LetExpression)) {
      declaration(node);
    } else if (node.is(NodeKind::AssignmentStatement)) {
      walk(node.child(Field::Value));
      target(node.child(Field::Target));
    } else if (node.is(NodeKind::IfExpression) || node.is(NodeKind::ConditionalExpression)) {
      either(node);
    } else if (node.is(NodeKind::CallExpression)) {
      call(node);
    } else if (node.is(NodeKind::TupleExpression)) {
      together(node);
    } else if (node.is(NodeKind::Identifier)) {
      use(node, node, Use::Passed);
    } else if (!node.is(NodeKind::AnnotationStatement) && !node.is(NodeKind::Tags)) {
      walk_children(node);
    }
  }

  void walk_children(Node node) {
    for (Node child : node.children()) {
      walk(child);
    }
  }

  void declaration(Node node) {
    walk(node.child(Field::Value));
    for (Node binding : children_of(node, NodeKind::Binding)) {
      const names::Resolution name = body_.names.of(binding.child(Field::Name).index());
      if (name.is(names::Meaning::Local)) {
        made_[name.index()] = ++time_;
      }
    }
    walk(node.child(Field::Body));
  }

  void target(Node node) {
    node = bare(node);
    if (!is_dereference(node) || !use(bare(node.child(Field::Operand)), node, Use::Written)) {
      walk(node);
    }
  }

  void either(Node node) {
    walk(node.child(Field::Condition));
    const Call before = last_call_;
    walk(node.child(Field::Consequence));
    const Call on_true = last_call_;
    last_call_ = before;
    walk(node.child(Field::Alternative));
    if (on_true.time > last_call_.time) {
      last_call_ = on_true;
    }
  }

  /// References among the operands are needed when all operands are there.
  void together(Node list) {
    std::vector<std::pair<Node, uint32_t>> nameless;  // with the time when they were there
    for (Node operand : list.children()) {
      if (reference(bare(operand)) == names::Local::kNone) {
        walk(operand);
        if (bare(operand).is(NodeKind::CallExpression) && is_reference(bare(operand))) {
          nameless.emplace_back(bare(operand), last_call_.time);
        }
      }
    }
    for (const auto& [operand, time] : nameless) {
      if (last_call_.time > time) {
        report_nameless(operand);
      }
    }
    for (Node operand : list.children()) {
      if (reference(bare(operand)) != names::Local::kNone) {
        walk(operand);
      }
    }
  }

  void call(Node node) {
    walk(node.child(Field::Template));
    together(node.child(Field::Arguments));
    const names::ItemId callee = body_.names.item(bare(node.child(Field::Function)).index());
    if (callee.has_value() && items_[callee].kind == names::ItemKind::Fn) {
      last_call_ = {++time_, node.index()};
    }
  }

  /// False if `name` is not a reference.
  auto use(Node name, Node whole, Use how) -> bool {
    const uint32_t local = reference(name);
    if (local == names::Local::kNone) {
      return false;
    }
    if (last_call_.time > made_[local]) {
      late_[local].push_back({name.index(), whole.index(), last_call_.node, how});
    }
    return true;
  }

  // ---- what to say ----

  /// A reference that a call gave, while the operands behind it were waited for.
  void report_nameless(Node reference) {
    report_
        .add(DiagnosticCode::T4004, reference.range(),
             fmt::format("the reference returned by `{}` is used after the call of `{}`",
                         bare(reference.child(Field::Function)).text(), callee(last_call_.node)))
        .label(node(last_call_.node).range(), "the reference does not outlive this call")
        .note(kWhy);
  }

  [[nodiscard]] auto callee(uint32_t call) const -> std::string_view {
    return bare(node(call).child(Field::Function)).text();
  }

  void report_local(uint32_t local) {
    const LateUse& first = late_[local].front();
    const names::Local& reference = body_.names.locals[local];
    const std::string_view name = interner_.text(reference.name);
    names::Draft draft = report_.add(
        DiagnosticCode::T4004, node(first.whole).range(),
        fmt::format("reference `{}` is used after the call of `{}`", name, callee(first.call)));
    if (reference.node != names::Local::kNone) {
      draft.label(node(reference.node).range(), "reference taken here");
    }
    draft.label(node(first.call).range(), "the reference does not outlive this call");
    draft.note(kWhy);
    if (const std::optional<Node> variable = variable_of(local)) {
      use_variable(draft, local, variable->text());
    } else {
      copy_before(draft, local, name);
    }
  }

  /// The variable `v` of `let r = &v`, if nothing else is called so.
  [[nodiscard]] auto variable_of(uint32_t local) const -> std::optional<Node> {
    const names::Local& reference = body_.names.locals[local];
    if (reference.declaration == names::Local::kNone || reference.kind != LocalKind::Let) {
      return std::nullopt;
    }
    Node value = bare(node(reference.declaration).child(Field::Value));
    if (!value.is(NodeKind::UnaryExpression) || !value.child(Field::Operator).is(NodeKind::Amp)) {
      return std::nullopt;
    }
    Node variable = bare(value.child(Field::Operand));
    const names::Resolution meaning = body_.names.of(variable.index());
    if (!variable.is(NodeKind::Identifier) || !meaning.is(names::Meaning::Local)) {
      return std::nullopt;
    }
    const auto n_of_that_name = std::count_if(
        body_.names.locals.begin(), body_.names.locals.end(), [&](const names::Local& other) {
          return other.name == body_.names.locals[meaning.index()].name &&
                 other.kind != LocalKind::Encoded;
        });
    return n_of_that_name == 1 ? std::optional(variable) : std::nullopt;
  }

  void use_variable(names::Draft& draft, uint32_t local, std::string_view variable) const {
    std::vector<TextEdit> edits;
    for (const LateUse& use : late_[local]) {
      edits.push_back({node(use.whole).range(), use.use == Use::Passed
                                                    ? fmt::format("&{}", variable)
                                                    : std::string(variable)});
    }
    draft.fix(fmt::format("use `{}` directly", variable), Applicability::Safe, std::move(edits));
  }

  /// A copy of what the reference refers to, if nobody writes through it later on.
  void copy_before(names::Draft& draft, uint32_t local, std::string_view name) const {
    std::vector<TextEdit> edits;
    uint32_t last = 0;
    for (const LateUse& use : late_[local]) {
      if (use.use != Use::Read) {
        return;
      }
      edits.push_back({node(use.whole).range(), fmt::format("{}_before", name)});
      last = use.name;
    }
    const std::optional<TextRange> statement = statement_of(late_[local].front().call, last);
    if (!statement) {
      return;
    }
    const std::string_view text = tree_->text;
    const size_t line = text.rfind('\n', statement->begin) + 1;
    const bool is_alone = text.find_first_not_of(" \t", line) >= statement->begin;
    edits.insert(
        edits.begin(),
        {{statement->begin, statement->begin},
         fmt::format(
             "let {0}_before = *{0};{1}", name,
             is_alone ? fmt::format("\n{}", text.substr(line, statement->begin - line)) : " ")});
    draft.fix(fmt::format("copy `*{}` before the call", name), Applicability::Unsafe,
              std::move(edits));
  }

  /// The statement with the call, in the innermost block around call and use.
  [[nodiscard]] auto statement_of(uint32_t call, uint32_t use) const -> std::optional<TextRange> {
    std::optional<TextRange> found;
    Node at = names::item_node(*tree_).child(Field::Body);
    while (at) {
      Node next;
      for (Node child : at.children()) {
        if (child.index() <= call && call < child.subtree_end()) {
          next = child;
        }
      }
      if (at.is(NodeKind::Block) && next) {
        found = next.range();
      }
      const bool is_around_use = next && next.index() <= use && use < next.subtree_end();
      if (!is_around_use || next.is_leaf()) {
        break;
      }
      at = next;
    }
    return found;
  }

  const names::ItemTable& items_;
  const types::TypeStore& types_;
  const Interner& interner_;
  names::ItemTree tree_;
  const hir::Function& function_;
  const check::Body& body_;
  names::Report& report_;
  uint32_t time_ = 0;
  Call last_call_;
  /// By local: when it was made; parameters at the beginning.
  std::vector<uint32_t> made_;
  /// By local.
  std::vector<std::vector<LateUse>> late_;
};

}  // namespace

void check_references(query::Context& context, const hir::Function& function,
                      const check::Body& body, names::Report& report) {
  ReferenceChecker(context, function, body, report).run();
}

}  // namespace tacet::flow
