#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/device/loops/iteration_tree.h"
#include "compiler/device/loops/loop_body.h"
#include "compiler/device/loops/recurrence_form.h"
#include "compiler/device/loops/split_loop.h"
#include "compiler/device/oblivious/ranges.h"

/// Private to this folder.
namespace tacet::loops {

using kernel::Block;
using kernel::Builder;
using kernel::ExprId;
using kernel::Kernel;
using kernel::StatementId;
using kernel::VariableId;

using Variables = std::set<VariableId>;

/// Tries a tree for one group of carried variables.
class Splitting {
 public:
  Splitting(Builder& make, const CountedLoop& loop, const LoopBody& body, const Variables& secrets,
            std::vector<VariableId> group)
      : make_(make),
        kernel_(make.kernel()),
        loop_(loop),
        body_(body),
        secrets_(secrets),
        group_(std::move(group)) {}

  auto run() -> std::optional<Block>;

 private:
  /// What statements of the first loop leave for later ones: which one read it first, and where it
  /// is.
  struct Passed {
    size_t at = 0;
    VariableId row{};
  };

  auto are_scalars() const -> bool;
  [[nodiscard]] auto statement(size_t i) const -> const kernel::Statement&;
  /// Statements that wait for the group, and what they write. Are they apart from all others?
  auto find_waiting() -> bool;
  /// Arrays that pass from statements in front to those that wait: only elements of the iteration
  /// itself.
  auto arrays_are_apart() const -> bool;
  auto has_own_elements(VariableId array) const -> bool;
  // ---- forms ----

  void start_first();
  auto type_of(VariableId variable) const -> kernel::Type;
  /// Something small that stays the same throughout an iteration.
  auto is_fixed(ExprId value) const -> bool;
  /// A value as of a statement of the first loop.
  auto held(ExprId value, VariableId of, const char* name) -> ExprId;
  /// Follows the statements; `read` gives the form of an assignment's value.
  template <class Form, class Read>
  auto follow(std::map<VariableId, Form>& forms, const Read& read) -> bool;
  auto tabulates(ExprId value) const -> bool;
  auto is_secret(ExprId expr) const -> bool;
  auto linear_tree() -> std::unique_ptr<IterationTree>;
  /// Does nothing but its only assignment read the variable?
  auto is_reduction() const -> bool { return std::count(waits_.begin(), waits_.end(), true) == 1; }

  /// Is the variable compared to select others with it?
  auto selects_others() const -> bool;
  auto clamp_tree() -> std::unique_ptr<IterationTree>;
  struct Magnitudes {
    __int128 shift = 0;  ///< of all that an iteration adds
    __int128 bound = 0;
    bool has_filled = false;
  };
  struct Limits {
    int64_t reach = 0;               ///< no value of the variable is further from 0
    std::optional<int64_t> shift{};  ///< to which sums of shifts are cut
  };

  static auto size_of(oblivious::Ranges& ranges, ExprId expr) -> __int128;
  /// What the variable may hold in front of the loop, by its other assignments.
  auto size_before(oblivious::Ranges& ranges) const -> std::optional<__int128>;
  /// Whether neither the loop nor the tree overflows.
  auto fitting(oblivious::Ranges& ranges, const ClampForm& form, const Magnitudes& sizes) const
      -> std::optional<Limits>;
  // ---- the loops ----

  auto iteration(VariableId counter) -> ExprId;
  /// What a waiting statement reads of those in front.
  void pass(size_t at, Block& before, Block& body);
  /// By statement: whether anything but the tree needs it.
  auto needed() const -> std::vector<bool>;
  auto is_last_of_group(size_t at) const -> bool;
  auto for_all(VariableId counter, Block body) -> StatementId;
  auto written(IterationTree& tree) -> Block;
  void add_second(IterationTree& tree, const std::vector<bool>& is_needed, Block& result);
  struct Waiting {
    size_t at = 0;
  };
  /// A statement of the text by its place, one that was added, or where one waits.
  using First = std::variant<size_t, StatementId, Waiting>;

  Builder& make_;
  Kernel& kernel_;
  const CountedLoop& loop_;
  const LoopBody& body_;
  const Variables& secrets_;
  std::vector<VariableId> group_;
  std::vector<bool> waits_;
  Variables waiting_;
  std::vector<First> first_;
  Variables own_secrets_;  ///< what was added
  std::map<std::pair<VariableId, size_t>, VariableId> passed_;
  std::map<size_t, std::map<VariableId, VariableId>> reads_passed_;
  bool is_refused_ = false;  ///< it has a form, and gains nothing or might overflow
};

template <class Form, class Read>
auto Splitting::follow(std::map<VariableId, Form>& forms, const Read& read) -> bool {
  Variables unknown = waiting_;
  for (const VariableId variable : group_) {
    unknown.erase(variable);
  }
  for (size_t i = 0; i < body_.statements.size(); ++i) {
    if (!waits_[i]) {
      first_.emplace_back(i);
      continue;
    }
    const kernel::Statement each = statement(i);
    const auto* assign = std::get_if<kernel::Assign>(&each.node);
    std::optional<Form> form;
    if (assign != nullptr && !tabulates(assign->value)) {
      form = read(forms, unknown, *assign);
    }
    for (const VariableId variable : body_.writes[i]) {
      forms.erase(variable);
      unknown.insert(variable);
    }
    if (form) {
      forms[assign->variable] = std::move(*form);
      unknown.erase(assign->variable);
    }
    first_.emplace_back(Waiting{i});
  }
  return std::all_of(group_.begin(), group_.end(),
                     [&](VariableId variable) { return forms.contains(variable); });
}

}  // namespace tacet::loops
