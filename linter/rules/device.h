#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/syntax/tree.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/device/oblivious/ranges.h"
#include "compiler/device/oblivious/secrecy.h"
#include "compiler/front/leakage/channel.h"
#include "linter/rules/rule.h"

/// What rules about secrets and numbers see: functions as kernels, with facts about them that were
/// found elsewhere.
namespace tacet::linter {

/// One device function, for a rule to look at.
struct Subject {
  const kernel::Kernel& kernel;
  const oblivious::Secrecy& secrecy;
  oblivious::Ranges& ranges;
  const names::ItemTable& items;
  FileId own;                ///< what places in the text of the function itself name
  const syntax::Tree& tree;  ///< of that text
  const std::vector<kernel::BoundedArgument>& arguments;
};

/// Gathers what rules find in one function.
class Findings {
 public:
  /// `own` is the file that places in the function name; what was inlined from elsewhere names
  /// others, and is kept apart: most of it is found in the callee by itself.
  Findings(const Subject& subject, FileId own) : subject_(subject), own_(own) {}

  /// Where nothing of this code was found at `place` yet; else null. Good until the next call.
  auto add(DiagnosticCode code, FileRange place, std::string message) -> Diagnostic*;
  /// The same for a path on which secrets leak: it shows how they got there, and is as
  /// grave as what it costs on the function's device.
  auto add_channel(DiagnosticCode code, FileRange place, std::string message,
                   const std::vector<oblivious::CauseId>& causes) -> Diagnostic*;
  /// The same for a fault that the secrets hide, which costs the same on every device.
  auto add_hidden_fault(DiagnosticCode code, FileRange place, std::string message,
                        const std::vector<oblivious::CauseId>& causes) -> Diagnostic*;

  /// Shows how secrets got there, step by step: the first as labels, all of them as reasons.
  void add_path(Diagnostic& finding, const std::vector<oblivious::CauseId>& causes) const;

  [[nodiscard]] auto take() -> std::vector<Diagnostic> { return std::move(all_); }
  /// What was found in the text of other functions.
  [[nodiscard]] auto take_inlined() -> std::vector<Diagnostic> { return std::move(inlined_); }

 private:
  const Subject& subject_;
  FileId own_;
  std::vector<Diagnostic> all_;
  std::vector<Diagnostic> inlined_;
};

/// The node of one of these kinds that stands exactly at `place` of the function's own text, or
/// null.
auto node_at(const Subject& subject, FileRange place, std::initializer_list<syntax::NodeKind> kinds)
    -> syntax::Node;

/// Adds a note to a finding.
void add_note(Diagnostic& finding, std::string_view text);

/// One coordinator function, for a rule to look at.
struct Coordinator {
  names::ItemId own;
  const std::vector<leakage::Channel>& channels;
  const Interner& interner;

  /// "`x`", or nothing where a channel is about nothing that has a name.
  [[nodiscard]] auto subject_of(const leakage::Channel& channel) const -> std::string;
};

/// Gathers what rules find in one coordinator function.
class CoordinatorFindings {
 public:
  explicit CoordinatorFindings(names::ItemId own) : own_(own) {}

  /// Shows the path of the channel. It is found at the last step in the function's own text: where
  /// a secret leaks in a callee, at the call that passes it. Null where that is reported already.
  auto add(DiagnosticCode code, const leakage::Channel& channel, std::string message)
      -> Diagnostic*;

  [[nodiscard]] auto take() -> std::vector<Diagnostic> { return std::move(all_); }

 private:
  names::ItemId own_;
  std::vector<Diagnostic> all_;
};

/// Calls `visit(id, statement)` for the statements that are ever reached, those around first.
template <class Visit>
void for_each_reached(const Subject& subject, const Visit& visit) {
  kernel::walk_statements(subject.kernel, subject.kernel.body, [&](kernel::StatementId id) {
    if (subject.secrecy.is_reached(id)) {
      visit(id, subject.kernel.statements[id]);
    }
  });
}

/// Calls `visit(id, expr)` for all expressions of a statement itself, those around first.
template <class Visit>
void for_each_expr_of(const Subject& subject, const kernel::Statement& statement,
                      const Visit& visit) {
  kernel::visit_exprs(statement, [&](kernel::ExprId root) {
    kernel::walk_exprs(subject.kernel, root,
                       [&](kernel::ExprId id) { visit(id, subject.kernel.exprs[id]); });
  });
}

}  // namespace tacet::linter
