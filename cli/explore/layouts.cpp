#include "cli/explore/layouts.h"

#include <algorithm>

#include "cli/explore/predictions.h"
#include "cli/run/compile_he.h"
#include "compiler/he/schedule/text.h"
#include "compiler/views/he/written_schedule.h"

namespace tacet::cli {

auto best_layouts(const program::FrontendSnapshot& snapshot, names::ItemId item,
                  const Candidate& candidate, size_t n, const ExploreOptions& options,
                  Invocation& invocation) -> std::vector<std::string> {
  const interpret::Compilation executable = interpret::compile(snapshot, item, {});
  if (!executable.executable) {
    return {};
  }
  RunOptions run;
  run.scheme = scheme_named(candidate.scheme);
  run.ranges = options.ranges;
  Invocation quiet{invocation.out, invocation.err, {}, {}, invocation.program};
  const HeCompilation compiled = compile_for_he(snapshot,
                                                {.item = item,
                                                 .name = candidate.implementation,
                                                 .parameters = &executable.executable->parameters,
                                                 .results = &executable.executable->results,
                                                 .last = he_lower::Stage::Schedule},
                                                run, quiet);
  if (!compiled.compiled || !compiled.others.empty()) {
    return {};
  }
  std::vector<schedule::Candidate> found = compiled.compiled->search.pareto;
  found.insert(found.begin(), compiled.compiled->search.best);
  std::vector<std::string> layouts;
  for (const schedule::Candidate& one : found) {
    Result<std::string> text = schedule::to_text(compiled.compiled->program, one.schedule);
    // Two may be one in the text, which says nothing of the ring.
    if (text && layouts.size() < n &&
        std::find(layouts.begin(), layouts.end(), *text) == layouts.end() &&
        he_views::checked_clause(snapshot, item, *text)) {
      layouts.push_back(std::move(*text));
    }
  }
  return layouts;
}

}  // namespace tacet::cli
