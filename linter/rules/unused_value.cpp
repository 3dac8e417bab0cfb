#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using kernel::Block;
using kernel::StatementId;
using kernel::VariableId;

namespace {

/// The variables that are read later, by id.
using Live = std::vector<bool>;

void join(Live& into, const Live& other) {
  for (size_t i = 0; i < into.size(); ++i) {
    into[i] = into[i] || other[i];
  }
}

/// Walks a function against the order of execution.
class Liveness {
 public:
  explicit Liveness(const kernel::Kernel& kernel) : kernel_(kernel) {}

  /// The assignments of unused values.
  auto dead() -> std::vector<StatementId> {
    before(kernel_.body, Live(kernel_.variables.size()), nullptr);
    return std::move(dead_);
  }

 private:
  /// What is read behind the loop, and where an iteration starts.
  struct Loop {
    const Live* behind;
    const Live* next;
  };

  void read(Live& live, kernel::ExprId expr) const {
    kernel::walk_exprs(kernel_, expr, [&](kernel::ExprId id) {
      if (const auto* read = std::get_if<kernel::Read>(&kernel_.exprs[id].node)) {
        live[read->variable.index] = true;
      }
    });
  }

  auto before(const Block& block, Live live, const Loop* loop) -> Live {
    for (auto id = block.rbegin(); id != block.rend(); ++id) {
      const kernel::Statement& statement = kernel_.statements[*id];
      std::visit([&](const auto& node) { step(node, *id, live, loop); }, statement.node);
    }
    return live;
  }

  void step(const kernel::Assign& assign, StatementId id, Live& live, const Loop*) {
    if (!live[assign.variable.index]) {
      dead_.push_back(id);
    }
    live[assign.variable.index] = false;
    read(live, assign.value);
  }
  void step(const kernel::StoreElement& store, StatementId, Live& live, const Loop*) {
    kernel::visit_exprs(store, [&](kernel::ExprId expr) { read(live, expr); });
  }
  void step(const kernel::If& branch, StatementId, Live& live, const Loop* loop) {
    Live other = before(branch.otherwise, live, loop);
    live = before(branch.then, std::move(live), loop);
    join(live, other);
    read(live, branch.condition);
  }
  template <class AnyLoop>
  void iterations(const AnyLoop& loop, Live& live) {
    const Live behind = live;
    const size_t n_dead = dead_.size();
    kernel::visit_exprs(loop, [&](kernel::ExprId expr) { read(live, expr); });
    // Values read by an iteration may have been written by the previous one.
    while (true) {
      const Live next = live;
      const Loop around{&behind, &next};
      dead_.resize(n_dead);
      join(live, before(loop.body, live, &around));
      if (live == next) {
        return;
      }
    }
  }
  void step(const kernel::For& loop, StatementId, Live& live, const Loop*) {
    iterations(loop, live);
  }
  void step(const kernel::While& loop, StatementId, Live& live, const Loop*) {
    iterations(loop, live);
  }
  void step(const kernel::Break&, StatementId, Live& live, const Loop* loop) {
    if (loop != nullptr) {
      live = *loop->behind;
    }
  }
  void step(const kernel::Continue&, StatementId, Live& live, const Loop* loop) {
    if (loop != nullptr) {
      live = *loop->next;
    }
  }
  void step(const kernel::Return& result, StatementId, Live& live, const Loop*) {
    live.assign(live.size(), false);
    for (const kernel::ExprId value : result.values) {
      read(live, value);
    }
  }
  void step(const kernel::Call& call, StatementId, Live& live, const Loop*) {
    for (const VariableId result : call.results) {
      live[result.index] = false;
    }
    for (const kernel::ExprId argument : call.arguments) {
      read(live, argument);
    }
  }
  void step(const kernel::Reveal& reveal, StatementId, Live& live, const Loop*) {
    live[reveal.variable.index] = false;
    read(live, reveal.value);
  }
  void step(const kernel::SecretRegion&, StatementId, Live& live, const Loop*) {
    live.assign(live.size(), true);  // no function of the text has one
  }
  void step(const kernel::Separator&, StatementId, Live&, const Loop*) {}

  const kernel::Kernel& kernel_;
  std::vector<StatementId> dead_;
};

/// Is it declared with a value? One without must be assigned to on every path to where it is read.
auto has_first_value(const Subject& subject, VariableId variable) -> bool {
  const kernel::Kernel& kernel = subject.kernel;
  const FileRange declared = kernel.variables[variable].place;
  bool is_found = false;
  kernel::walk_statements(kernel, kernel.body, [&](StatementId id) {
    const kernel::Statement& statement = kernel.statements[id];
    const auto* assign = std::get_if<kernel::Assign>(&statement.node);
    const TextRange range = statement.place.range;
    if (assign == nullptr || assign->variable != variable ||
        statement.place.file != declared.file || !range.contains(declared.range)) {
      return;
    }
    const std::string_view text = subject.tree.text;
    is_found = text.substr(range.begin, range.length()).find('=') != std::string_view::npos;
  });
  return is_found;
}

/// Would it be as secret without the assignment `id`? A variable without a written type is secret
/// by what is assigned to it, and a public one may be a fault where a secret one has a value.
auto stays_as_secret(const Subject& subject, StatementId id, const kernel::Assign& assign) -> bool {
  if (!subject.secrecy.is_secret(id, assign.value) && !subject.secrecy.control(id).has_value()) {
    return true;
  }
  const std::string_view text = subject.tree.text;
  const size_t behind =
      text.find_first_not_of(" \t", subject.kernel.variables[assign.variable].place.range.end);
  return behind != std::string_view::npos && text[behind] == ':';
}

/// Is it given to a parameter with a bound? A callee that does not read it still wants it inside.
auto is_bounded(const Subject& subject, VariableId variable) -> bool {
  return std::any_of(
      subject.arguments.begin(), subject.arguments.end(),
      [&](const kernel::BoundedArgument& argument) {
        return kernel::variables_read(subject.kernel, argument.value).contains(variable);
      });
}

}  // namespace

/// Rule: unused-value
///
/// What it does: finds assignments whose value is overwritten or forgotten before anything reads
/// it, of variables that are read elsewhere. What a declaration begins with is left alone.
/// Why: the work is for nothing, and often another variable was meant.
/// Example: `sum = a + b; sum = a * b;`
/// Use instead: leave the first one out.
/// Fix safety: safe where evaluating the value does nothing else and cannot fail.
static void find_unused_value(const Subject& subject, Findings& findings) {
  const kernel::Kernel& kernel = subject.kernel;
  const std::set<VariableId> read = kernel::variables_read(kernel, kernel.body);
  for (const StatementId id : Liveness(kernel).dead()) {
    const kernel::Statement& statement = kernel.statements[id];
    const auto& assign = std::get<kernel::Assign>(statement.node);
    const kernel::Variable& variable = kernel.variables[assign.variable];
    if (variable.place.range.is_empty() || variable.place.file != statement.place.file ||
        !variable.is_mutable || !variable.path.empty() || !read.contains(assign.variable) ||
        !subject.secrecy.is_reached(id)) {
      continue;
    }
    const syntax::Node node =
        node_at(subject, statement.place, {syntax::NodeKind::AssignmentStatement});
    const syntax::Node target = node.child(syntax::Field::Target);
    if (!target.is(syntax::NodeKind::Identifier)) {
      continue;
    }
    Diagnostic* finding =
        findings.add(DiagnosticCode::T9005, {statement.place.file, node.range()},
                     fmt::format("the value assigned to `{}` is never read", target.text()));
    if (finding == nullptr) {
      continue;
    }
    finding->tag = DiagnosticTag::Unnecessary;
    const syntax::Node value = node.child(syntax::Field::Value);
    if (!kernel::can_fault(kernel, assign.value) && !is_bounded(subject, assign.variable) &&
        has_first_value(subject, assign.variable) && stays_as_secret(subject, id, assign) &&
        !contains(value, syntax::NodeKind::CallExpression) &&
        !contains(value, syntax::NodeKind::Block)) {
      add_fix(*finding, "remove the assignment", Applicability::Safe,
              {removal_of(subject.tree, node.range())});
    }
  }
}

auto unused_value() -> Rule {
  return device_rule(DiagnosticCode::T9005, "unused-value", Group::DeadCode, find_unused_value);
}

}  // namespace tacet::linter
