#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// Which values of a kernel are secret, and where control depends on a secret, each with the path
/// of the secret.
namespace tacet::oblivious {

using CauseId = Id<struct CauseTag>;

/// One step on the path of a secret. Following `from` leads to where it came into the function.
struct Cause {
  enum class Kind : uint8_t {
    Parameter,  ///< `variable` is a secret parameter
    Declared,   ///< `variable` is declared `secret`, and what it gets is no secret
    Called,     ///< a call gave `variable` a secret: a secret draw, or a function that says so
    Assigned,   ///< `variable` was computed from a secret
    Stored,     ///< an element of `variable` was, or the secret says which element
    Decided,    ///< `variable` was given a value where a secret decides whether
    Counted,    ///< `variable` counts from a secret, or in steps of it
    Branch,     ///< decides which arm runs: the place of the condition
    Loop,       ///< decides how often a body runs: the place of the bound or condition
    Exit,       ///< decides whether a `break`, `continue` or `return` was met: its place
  };

  Kind kind = Kind::Parameter;
  kernel::VariableId variable{};  ///< none of the three last kinds
  FileRange place{};
  CauseId from{};            ///< none where the path starts
  kernel::StatementId at{};  ///< none of parameters
  uint32_t length = 1;       ///< steps from the beginning to here

  friend auto operator==(const Cause&, const Cause&) -> bool = default;
};

/// What is secret at every statement of one kernel, which must outlive it and not be changed. Of
/// several paths to a secret, the shortest one found is kept.
///
/// The analysis follows the order of execution: a variable that gets a public value is public
/// from there on. What is assigned where a secret decides whether, is secret, unless it is declared
/// there too: nobody else can see it. An array is one value: if an element is secret, all are; its
/// extents are public always. The counter of a loop is public if it starts and steps publicly, also
/// if a secret says when it ends: that is what the rewritten loop does.
class Secrecy {
 public:
  /// Why the value of `expr`, evaluated at `at`, is secret: none if it is public or `at` is never
  /// reached. O(size of the expression · log of the statement's variables).
  [[nodiscard]] auto cause(kernel::StatementId at, kernel::ExprId expr) const -> CauseId;
  /// Of all secrets in it: `cause` is the first of them.
  [[nodiscard]] auto causes(kernel::StatementId at, kernel::ExprId expr) const
      -> std::vector<CauseId>;
  [[nodiscard]] auto is_secret(kernel::StatementId at, kernel::ExprId expr) const -> bool {
    return cause(at, expr).has_value();
  }
  /// Why `variable` is secret just before `at`, which must read or write it; else none.
  [[nodiscard]] auto cause_of(kernel::StatementId at, kernel::VariableId variable) const -> CauseId;
  /// Why a secret decides whether `at` runs: none if none does. The condition of a loop that tests
  /// it again does not count for the loop itself, but does for its body.
  [[nodiscard]] auto control(kernel::StatementId at) const -> CauseId;
  /// Why a result of the function is secret.
  [[nodiscard]] auto result(size_t index) const -> CauseId { return results_[index]; }
  [[nodiscard]] auto is_reached(kernel::StatementId at) const -> bool {
    return statements_[at.index].is_reached;
  }

  [[nodiscard]] auto operator[](CauseId cause) const -> const Cause& { return causes_[cause]; }
  /// What a step follows from: `from`, and other secrets that meet it there. None where secrets
  /// come in. O(variables of the statement).
  [[nodiscard]] auto origins(CauseId cause) const -> std::vector<CauseId>;
  /// From where the secret came into the function to `cause` itself.
  [[nodiscard]] auto path(CauseId cause) const -> std::vector<Cause>;

 private:
  friend class SecrecyAnalysis;

  /// Only what is secret of the variables that a statement reads and writes, by variable.
  struct AtStatement {
    bool is_reached = false;
    CauseId control{};
    std::vector<std::pair<kernel::VariableId, CauseId>> secrets{};
  };

  explicit Secrecy(const kernel::Kernel& kernel) : kernel_(&kernel) {}

  template <class Visit>
  void visit_causes(kernel::StatementId at, kernel::ExprId expr, const Visit& visit) const;

  const kernel::Kernel* kernel_;
  Store<CauseId, Cause> causes_;
  std::vector<AtStatement> statements_;
  std::vector<CauseId> results_;
};

/// Which results of a call are secret, given which of its arguments are. A summary of the callee:
/// must be monotone, more secret arguments never make fewer secret results.
using CallSummary =
    std::function<std::vector<bool>(const kernel::Call&, const std::vector<bool>& arguments)>;

/// Whose declarations count: those of parameters, draws and calls, which bring secrets in; or also
/// those of other variables, which are secret in the text if they are so anywhere, and may hold
/// what is public.
enum class Declarations : uint8_t { ParametersAlone, Count };

struct SecrecyOptions {
  /// Without one, all results of a call are secret if one argument is, or if they are declared so.
  CallSummary summary{};
  /// By parameter: whether it is secret in this context. Empty: as declared.
  std::vector<bool> parameters{};
  Declarations declarations = Declarations::ParametersAlone;
};

/// Analyses a kernel, rewritten or not. Loops run to a fixpoint. O(size of the kernel · depth of
/// loops) in practice; a loop takes as many rounds as secrets need to get around in it.
auto analyse_secrecy(const kernel::Kernel& kernel, const SecrecyOptions& options = {}) -> Secrecy;

}  // namespace tacet::oblivious
