#include "linter/rules/sequential_loop.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/reasons.h"
#include "linter/item_diagnostic.h"

namespace tacet::linter {

/// `about 12 rounds, 240 ms on the link`.
static auto tree_text(const mpc_views::SequentialLoop& loop, const mpc_model::Link& link)
    -> std::string {
  if (!loop.tree_rounds) {
    return "rounds in proportion to the logarithm of their number";
  }
  const double time = link.milliseconds_of(static_cast<double>(*loop.tree_rounds), 0);
  return fmt::format(
      "about {} rounds{}", *loop.tree_rounds,
      link.is_known() ? fmt::format(", {} on the link", mpc_model::milliseconds_text(time)) : "");
}

/// Through what the iterations wait.
static auto reasons_of_loop(const mpc_views::SequentialLoop& loop, FileId file)
    -> std::vector<Reason> {
  std::vector<Reason> reasons;
  for (uint32_t i = 0; i < loop.variables.size(); ++i) {
    reasons.push_back(
        {0,
         loop.doubts[i] == dependences::Doubt::None
             ? fmt::format("an iteration waits for `{}` of an earlier one", loop.variables[i])
             : fmt::format("an iteration may wait for `{}` of an earlier one: {}",
                           loop.variables[i], dependences::doubt_text(loop.doubts[i])),
         {}});
    for (const mpc_views::SequentialLoop::Carried& each : loop.carried) {
      if (each.variable == i && each.write == each.read) {
        reasons.push_back({1, "computed here from itself", {file, each.write}});
      } else if (each.variable == i) {
        reasons.push_back({1, "computed here", {file, each.write}});
        reasons.push_back({1, "read here by a later iteration", {file, each.read}});
      }
    }
  }
  limit_reasons(reasons);
  return reasons;
}

auto sequential_loop_finding(const mpc_views::SequentialLoop& loop, names::ItemId item,
                             const mpc_model::Link& link) -> names::ItemDiagnostic {
  const FileId file{item.index};  // places name items
  const std::string reason = loop.variables.empty()
                                 ? ", as each may be the last one"
                                 : fmt::format(" through `{}`", fmt::join(loop.variables, "`, `"));
  Diagnostic finding =
      make_diagnostic(DiagnosticCode::T9404, {file, loop.keyword},
                      fmt::format("{} iterations wait for each other{}: {}", loop.n_iterations,
                                  reason, mpc_model::cost_text(loop.cost, loop.n_parties, link)));
  if (loop.write && loop.read && *loop.write != *loop.read) {
    finding.labels.push_back(
        {{file, *loop.write}, fmt::format("`{}` is computed here", loop.variables.front())});
    finding.labels.push_back({{file, *loop.read}, "a later iteration reads it here"});
  }
  finding.reasons = reasons_of_loop(loop, file);
  finding.notes.push_back(fmt::format(
      "if their updates can be combined (sums, products, minima, conjunctions, a choice "
      "between a new value and the last one), a tree of them takes {}",
      tree_text(loop, link)));
  return in_item(std::move(finding));
}

}  // namespace tacet::linter
