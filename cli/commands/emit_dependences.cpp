#include "cli/commands/emit_dependences.h"

#include <fmt/format.h>

#include <map>

#include "cli/report.h"
#include "compiler/device/dependences/dependences.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/views/mpc/oblivious_dependences.h"

namespace tacet::cli {

namespace {

using dependences::Dependence;
using dependences::Kind;

/// `15:9`.
auto position(SourceSet& sources, FileRange place) -> std::string {
  const std::string text = sources.position_text(place);
  const size_t column = text.rfind(':');
  return text.substr(text.rfind(':', column - 1) + 1);
}

auto kind_text(Kind kind) -> std::string_view {
  return kind == Kind::Flow ? "flow" : kind == Kind::Anti ? "anti" : "output";
}

/// One line for each pair of statements, with all distances, and why it may not be there.
auto lines_of(const dependences::Dependences& all, size_t loop, SourceSet& sources) -> std::string {
  struct Line {
    std::string distances{};
    dependences::Doubt doubt = dependences::Doubt::None;
  };
  std::map<std::string, Line> lines;
  for (const Dependence& dependence : all.found) {
    if (dependence.loop != loop) {
      continue;
    }
    Line& line = lines[fmt::format("    {:<6}  {}  {} -> {}", kind_text(dependence.kind),
                                   dependence.variable, position(sources, dependence.from),
                                   position(sources, dependence.to))];
    line.distances += (line.distances.empty() ? "  " : ", ") + distance_text(dependence.distances);
    line.doubt = dependence.doubt;
  }
  std::string text;
  for (const auto& [line, of] : lines) {
    text += line + of.distances;
    text += of.doubt == dependences::Doubt::None
                ? "\n"
                : fmt::format("  perhaps: {}\n", dependences::doubt_text(of.doubt));
  }
  return text.empty() ? "    none\n" : text;
}

auto function_text(const std::string& name, const kernel::Kernel& kernel, SourceSet& sources)
    -> std::string {
  const dependences::Dependences all = mpc_views::oblivious_dependences(kernel);
  std::string text = fmt::format("fn {}\n", name);
  for (size_t i = 0; i < all.loops.size(); ++i) {
    const dependences::Loop& loop = all.loops[i];
    text += fmt::format("  {} at {}\n", loop.counter.empty() ? "while" : "for " + loop.counter,
                        position(sources, loop.place));
    text += lines_of(all, i, sources);
  }
  for (const std::string& variable : all.given_up) {
    text += fmt::format("  not analysed: {}\n", variable);
  }
  return text;
}

}  // namespace

auto emit_dependences(const program::FrontendSnapshot& snapshot, FileId file,
                      const RunTarget& target, SourceSet& sources, Invocation& invocation)
    -> ExitCode {
  Result<std::vector<names::ItemId>> items = find_device_targets(snapshot, file, target);
  if (!items) {
    invocation.error(items.error().message);
    return ExitCode::Usage;
  }
  bool is_whole = true;
  for (const names::ItemId item : *items) {
    if (snapshot.item_key(item).kind == names::ItemKind::Program) {
      continue;  // array programs have no loops
    }
    const std::string name(snapshot.interner().text(snapshot.item_key(item).name));
    const kernel::Lowering lowering = kernel::lower(snapshot, item);
    if (!lowering.kernel) {
      invocation.error(fmt::format("`{}` is not analysed because of {}", name, lowering.problem));
      is_whole = false;
      continue;
    }
    invocation.out.write(function_text(name, *lowering.kernel, sources));
  }
  invocation.out.flush();
  return is_whole ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace tacet::cli
