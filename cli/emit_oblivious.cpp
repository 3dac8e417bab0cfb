#include "cli/emit_oblivious.h"

#include <fmt/format.h>

#include "cli/report.h"
#include "compiler/kernel/lower.h"
#include "compiler/kernel/print.h"
#include "compiler/oblivious/make_oblivious.h"
#include "formatter/format.h"

namespace tacet::cli {

static auto device_functions(const check::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<names::ItemId> {
  std::vector<names::ItemId> items;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind == names::ItemKind::Fn && snapshot.signature(item.id)->is_device_function) {
      items.push_back(item.id);
    }
  }
  return items;
}

auto emit_oblivious(const check::FrontendSnapshot& snapshot, FileId file, const RunTarget& target,
                    SourceSet& sources, Invocation& invocation) -> ExitCode {
  std::vector<names::ItemId> items = device_functions(snapshot, file);
  if (!target.function.empty()) {
    Result<names::ItemId> item = find_target(snapshot, file, target);
    if (!item) {
      invocation.error(item.error().message);
      return ExitCode::Usage;
    }
    items = {*item};
  }
  std::string text = "#version 0.1.0\n";
  std::vector<Diagnostic> found;
  bool is_whole = true;
  for (names::ItemId item : items) {
    const kernel::Lowering lowering = kernel::lower(snapshot, item);
    if (!lowering.kernel) {
      const std::string name(snapshot.interner().text(snapshot.item_key(item).name));
      invocation.error(
          fmt::format("`{}` has no oblivious form, because of {}", name, lowering.problem));
      is_whole = false;
      continue;
    }
    const oblivious::ObliviousForm form = oblivious::make_oblivious(*lowering.kernel);
    text += "\n" + kernel::print(form.kernel);
    found.insert(found.end(), form.diagnostics.begin(), form.diagnostics.end());
  }
  invocation.out.write(
      formatter::format(text, syntax::Language::Module, formatter::Edits::NotWanted).text);
  invocation.out.flush();
  print_diagnostics(found, sources, Format::Human, invocation.err, invocation.err_terminal);
  return is_whole && found.empty() ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace tacet::cli
