#include "compiler/device/oblivious/make_oblivious.h"

#include <algorithm>

#include "compiler/device/kernel/verify.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/device/oblivious/bound_for_loops.h"
#include "compiler/device/oblivious/bound_while_loops.h"
#include "compiler/device/oblivious/branches_to_selects.h"
#include "compiler/device/oblivious/exits_to_flags.h"
#include "compiler/device/oblivious/guard_operands.h"
#include "compiler/device/oblivious/scan_accesses.h"
#include "compiler/device/oblivious/secrecy.h"

namespace tacet::oblivious {

using namespace kernel;

namespace {

auto run(const Kernel& kernel, Wanted wanted, Accesses accesses = Accesses::Scan)
    -> ObliviousForm {
  Rewriting rewriting{kernel, std::move(wanted)};
  // Exits first: their flags are what later passes find secret, and arms must end where they end.
  exits_to_flags(rewriting);
  expect_verified(rewriting.kernel, "turning exits into flags");
  // `for` before accesses, although it comes behind them in the description of the language: a
  // counter that can stay public is no secret index.
  bound_for_loops(rewriting);
  expect_verified(rewriting.kernel, "bounding `for` loops");
  // The conditions of `while` become those of an `if`, whose accesses can be scanned in front.
  const auto scan = [&] {
    if (accesses == Accesses::Scan) {
      scan_accesses(rewriting);
      expect_verified(rewriting.kernel, "scanning accesses");
    }
  };
  scan();
  if (bound_while_loops(rewriting)) {
    expect_verified(rewriting.kernel, "bounding `while` loops");
    scan();
  }
  // All that is left of secret control are `if`s.
  branches_to_selects(rewriting);
  expect_verified(rewriting.kernel, "turning branches into selects");
  // Last: what arms compute was guarded with them.
  guard_operands(rewriting);
  expect_verified(rewriting.kernel, "guarding operands");

  ObliviousForm form{std::move(rewriting.kernel), std::move(rewriting.rewrites),
                     std::move(rewriting.diagnostics)};
  std::stable_sort(
      form.rewrites.begin(), form.rewrites.end(),
      [](const Rewrite& a, const Rewrite& b) { return a.place.range.begin < b.place.range.begin; });
  sort_diagnostics(form.diagnostics);
  form.diagnostics.erase(std::unique(form.diagnostics.begin(), form.diagnostics.end()),
                         form.diagnostics.end());
  return form;
}

auto is_within(FileRange inner, FileRange outer) -> bool {
  return inner.file == outer.file && outer.range.begin <= inner.range.begin &&
         inner.range.end <= outer.range.end;
}

/// Looks for what is not oblivious in a kernel.
class Check {
 public:
  explicit Check(const Kernel& kernel) : kernel_(kernel), secrecy_(analyse_secrecy(kernel)) {}

  auto run() const -> bool {
    bool is_good = true;
    walk_statements(kernel_, kernel_.body, [&](StatementId id) {
      is_good = is_good && (!secrecy_.is_reached(id) || statement(id));
    });
    return is_good;
  }

 private:
  auto is_secret(StatementId at, ExprId expr) const -> bool { return secrecy_.is_secret(at, expr); }

  auto statement(StatementId id) const -> bool {
    const auto& node = kernel_.statements[id].node;
    bool is_good = true;
    visit_exprs(kernel_.statements[id],
                [&](ExprId expr) { is_good = is_good && this->expr(id, expr); });
    if (std::holds_alternative<If>(node) || std::holds_alternative<For>(node) ||
        std::holds_alternative<While>(node)) {
      visit_exprs(kernel_.statements[id],
                  [&](ExprId expr) { is_good = is_good && !is_secret(id, expr); });
    } else if (const auto* store = std::get_if<StoreElement>(&node)) {
      for (ExprId index : store->indices) {
        is_good = is_good && !is_secret(id, index);
      }
    }
    return is_good && !secrecy_.control(id).has_value();
  }

  auto expr(StatementId at, ExprId root) const -> bool {
    bool is_good = true;
    walk_exprs(kernel_, root, [&](ExprId id) {
      const auto& node = kernel_.exprs[id].node;
      if (const auto* element = std::get_if<Element>(&node)) {
        for (ExprId index : element->indices) {
          is_good = is_good && !is_secret(at, index);
        }
      } else if (const auto* rotate = std::get_if<Rotate>(&node)) {
        is_good = is_good && !is_secret(at, rotate->by);
      } else if (const auto* select = std::get_if<Select>(&node)) {
        is_good = is_good && (select->is_oblivious || !is_secret(at, select->condition));
      } else if (const auto* binary = std::get_if<Binary>(&node)) {
        is_good = is_good &&
                  (!is_logical(binary->op) || binary->is_oblivious || !is_secret(at, binary->left));
      }
    });
    return is_good;
  }

  const Kernel& kernel_;
  const Secrecy secrecy_;
};

}  // namespace

auto make_oblivious(const Kernel& kernel, Accesses accesses) -> ObliviousForm {
  ObliviousForm form = run(kernel, [](FileRange) { return true; }, accesses);
  form.is_oblivious = is_oblivious(form.kernel);
  return form;
}

auto may_have_problems(const Kernel& kernel, const Secrecy& secrecy) -> bool {
  bool may_have = false;
  walk_statements(kernel, kernel.body, [&](StatementId id) {
    const auto& node = kernel.statements[id].node;
    if (std::holds_alternative<While>(node) || std::holds_alternative<Reveal>(node) ||
        std::holds_alternative<Call>(node) || std::holds_alternative<Break>(node) ||
        std::holds_alternative<Continue>(node)) {
      may_have = true;
    } else if (std::holds_alternative<Return>(node)) {
      may_have = may_have || secrecy.control(id).has_value();
    } else if (std::holds_alternative<For>(node)) {
      visit_exprs(kernel.statements[id],
                  [&](ExprId expr) { may_have = may_have || secrecy.is_secret(id, expr); });
    }
  });
  return may_have;
}

auto make_oblivious_at(const Kernel& kernel, FileRange place) -> ObliviousForm {
  return run(kernel, [place](FileRange at) { return is_within(at, place); });
}

auto is_oblivious(const Kernel& kernel) -> bool {
  return Check(kernel).run();
}

}  // namespace tacet::oblivious
