#include "cli/commands/emit_oblivious.h"

#include <fmt/format.h>

#include "cli/report.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/kernel/print.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "formatter/format.h"

namespace tacet::cli {

auto emit_oblivious(const program::FrontendSnapshot& snapshot, FileId file, const RunTarget& target,
                    const formatter::Style& style, SourceSet& sources, Invocation& invocation)
    -> ExitCode {
  Result<std::vector<names::ItemId>> items = find_device_targets(snapshot, file, target);
  if (!items) {
    invocation.error(items.error().message);
    return ExitCode::Usage;
  }
  std::string text = "#version 0.1.0\n";
  std::vector<Diagnostic> found;
  bool is_whole = true;
  for (names::ItemId item : *items) {
    if (snapshot.item_key(item).kind == names::ItemKind::Program) {
      continue;  // array programs have nothing that a secret could steer
    }
    const kernel::Lowering lowering = kernel::lower(snapshot, item);
    if (!lowering.kernel) {
      const std::string name(snapshot.interner().text(snapshot.item_key(item).name));
      invocation.error(
          fmt::format("`{}` has no oblivious form because of {}", name, lowering.problem));
      is_whole = false;
      continue;
    }
    const oblivious::ObliviousForm form = oblivious::make_oblivious(*lowering.kernel);
    text += "\n" + kernel::print(form.kernel);
    found.insert(found.end(), form.diagnostics.begin(), form.diagnostics.end());
  }
  invocation.out.write(
      formatter::format(text, syntax::Language::Module, formatter::Edits::NotWanted, style).text);
  invocation.out.flush();
  print_diagnostics(found, sources, Format::Human, invocation.err, invocation.err_terminal);
  return is_whole && found.empty() ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace tacet::cli
