#include "compiler/front/flow/check_space.h"

#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/queries.h"

namespace tacet::flow {

using names::Builtin;
using names::Local;
using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// Where one node of the specification is used.
struct Uses {
  std::vector<uint32_t> given_back;
  std::vector<uint32_t> elsewhere;
};

class SpaceChecker {
 public:
  SpaceChecker(const syntax::Tree& tree, const check::Body& body, const Interner& interner,
               names::Report& report)
      : tree_(tree), body_(body), interner_(interner), report_(report) {}

  void run() {
    find_uses();
    for (uint32_t local = 0; local < body_.names.locals.size(); ++local) {
      check(local);
    }
  }

 private:
  [[nodiscard]] auto node(uint32_t index) const -> Node { return {&tree_, index}; }

  [[nodiscard]] auto calls(Node call, Builtin builtin) const -> bool {
    const names::Resolution function = call.is(NodeKind::CallExpression)
                                           ? body_.names.of(call.child(Field::Function).index())
                                           : names::Resolution();
    return function.is(names::Meaning::Builtin) &&
           function.index() == static_cast<uint32_t>(builtin);
  }

  void find_uses() {
    uses_.resize(body_.names.locals.size());
    // Arguments follow the call that gives them back.
    uint32_t argument = Local::kNone;
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      if (calls(node(i), Builtin::Dealloc)) {
        for (Node child : node(i).child(Field::Arguments).children()) {
          if (child.is(NodeKind::Identifier)) {
            argument = child.index();
          }
        }
      }
      const names::Resolution name = body_.names.of(i);
      if (!name.is(names::Meaning::Local) || body_.names.locals[name.index()].node == i) {
        continue;
      }
      Uses& uses = uses_[name.index()];
      (i == argument ? uses.given_back : uses.elsewhere).push_back(i);
    }
  }

  void check(uint32_t index) {
    const Local& local = body_.names.locals[index];
    const Uses& uses = uses_[index];
    const std::string_view name = interner_.text(local.name);
    if (!uses.given_back.empty()) {
      const TextRange first = node(uses.given_back[0]).range();
      for (size_t i = 1; i < uses.given_back.size(); ++i) {
        report_
            .add(DiagnosticCode::T4008, node(uses.given_back[i]).range(),
                 fmt::format("`{}` is deallocated twice", name))
            .label(first, "already deallocated here");
      }
      for (uint32_t use : uses.elsewhere) {
        report_
            .add(DiagnosticCode::T4008, node(use).range(),
                 fmt::format("`{}` is used and deallocated", name))
            .label(first, "deallocated here")
            .note(
                "definitions have no order, so a deallocated buffer cannot be used anywhere else");
      }
    } else if (uses.elsewhere.empty() && is_buffer(local)) {
      report_
          .add(DiagnosticCode::T4009, node(local.node).range(),
               fmt::format("`{}` is never deallocated", name))
          .note("deallocate the buffer with `dealloc`, or return it to the caller");
    }
  }

  /// The first thing that `alloc` gives.
  [[nodiscard]] auto is_buffer(const Local& local) const -> bool {
    if (local.kind != LocalKind::Definition || local.ordinal != 0 ||
        local.declaration == Local::kNone || local.node == Local::kNone) {
      return false;
    }
    return calls(node(local.declaration).child(Field::Value), Builtin::Alloc);
  }

  const syntax::Tree& tree_;
  const check::Body& body_;
  const Interner& interner_;
  names::Report& report_;
  std::vector<Uses> uses_;
};

}  // namespace

auto SpaceDiagnosticsOf::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  if (tree->text.find("alloc") == std::string::npos || !tree->errors.empty()) {
    return nullptr;
  }
  const check::Findings found = check::find_out(context, item);
  if (found.has_errors()) {
    return nullptr;
  }
  names::Report report(item);
  SpaceChecker(*tree, found.body, context.service<Interner>(), report).run();
  return report.is_empty() ? nullptr
                           : std::make_shared<const check::ItemDiagnostics>(report.take());
}

}  // namespace tacet::flow
