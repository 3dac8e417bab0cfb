#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/boundary/channel.h"
#include "compiler/kernel/walk.h"
#include "compiler/oblivious/ranges.h"
#include "compiler/oblivious/secrecy.h"

/// What a rule is, and what it sees. A rule is one file: metadata and a function that looks at one
/// device function. It uses facts that were found elsewhere, and knows nothing of how it is run.
namespace tacet::linter {

/// How grave what a rule finds is.
enum class RuleKind : uint8_t {
  /// A way on which a secret gets out, which the compiler closes by a rewrite. What the rewrite
  /// costs decides how loud it is told; `obliviousness = "deny"` makes it an error.
  Channel,
  /// A way that no rewrite closes: an error, always.
  Leak,
  /// Nothing leaks, but something could be better.
  Advice,
};

/// One device function, for a rule to look at.
struct Subject {
  const kernel::Kernel& kernel;
  const oblivious::Secrecy& secrecy;
  oblivious::Ranges& ranges;
  const names::ItemTable& items;
};

/// Gathers what rules find in one function.
class Findings {
 public:
  /// `own` is the file that places in the function name; what was inlined from elsewhere names
  /// others, and is kept apart: most of it is found in the callee by itself.
  Findings(const Subject& subject, FileId own) : subject_(subject), own_(own) {}

  /// Where nothing of this code was found at `place` yet; else null. Good until the next call.
  auto add(DiagnosticCode code, FileRange place, std::string message) -> Diagnostic*;
  /// The same for a way on which the secret of `cause` gets out: it shows how it got there, and is
  /// as grave as what it costs on the function's device.
  auto add_channel(DiagnosticCode code, FileRange place, std::string message,
                   oblivious::CauseId cause) -> Diagnostic*;

  /// Shows how the secret got to `cause`, step by step, as labels.
  void add_path(Diagnostic& finding, oblivious::CauseId cause) const;

  [[nodiscard]] auto take() -> std::vector<Diagnostic> { return std::move(all_); }
  /// What was found in the text of other functions.
  [[nodiscard]] auto take_inlined() -> std::vector<Diagnostic> { return std::move(inlined_); }

 private:
  const Subject& subject_;
  FileId own_;
  std::vector<Diagnostic> all_;
  std::vector<Diagnostic> inlined_;
};

/// Adds a note to a finding.
void add_note(Diagnostic& finding, std::string_view text);

/// One coordinator function, for a rule to look at.
struct Coordinator {
  names::ItemId own;
  const std::vector<boundary::Channel>& channels;
  const Interner& interner;

  /// "`x`", or nothing where a channel is about nothing that has a name.
  [[nodiscard]] auto subject_of(const boundary::Channel& channel) const -> std::string;
};

/// Gathers what rules find in one coordinator function.
class CoordinatorFindings {
 public:
  explicit CoordinatorFindings(names::ItemId own) : own_(own) {}

  /// Shows the way of the channel. It is found at the last step in the function's own text: where a
  /// secret gets out in a callee, at the call that it is given to. Null where that is told already.
  auto add(DiagnosticCode code, const boundary::Channel& channel, std::string message)
      -> Diagnostic*;

  [[nodiscard]] auto take() -> std::vector<Diagnostic> { return std::move(all_); }

 private:
  names::ItemId own_;
  std::vector<Diagnostic> all_;
};

/// A rule looks at device functions, at coordinator functions, or at both.
struct Rule {
  DiagnosticCode code{};
  std::string_view name;  ///< as in `tacet lint --statistics`: `secret-branch`
  RuleKind kind = RuleKind::Channel;
  void (*check)(const Subject& subject, Findings& findings) = nullptr;
  void (*check_coordinator)(const Coordinator& subject, CoordinatorFindings& findings) = nullptr;
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
