#include "problems/problems.h"

#include "compiler/front/types/queries.h"
#include "compiler/run/conformance/device_functions.h"
#include "compiler/spec/program/device_callees.h"
#include "compiler/spec/program/file_diagnostics.h"
#include "compiler/spec/program/pieces.h"
#include "compiler/views/he/item_program.h"
#include "compiler/views/mpc/item_costs.h"

namespace tacet::problems {

namespace {

auto frontend_until(Until until) -> program::Until {
  switch (until) {
    case Until::Syntax:
      return program::Until::Syntax;
    case Until::Names:
      return program::Until::Names;
    case Until::Types:
      return program::Until::Types;
    case Until::Specifications:
    case Until::Functions:
    case Until::Devices:
      return program::Until::Conformance;
  }
  return program::Until::Conformance;
}

void append(std::vector<Diagnostic> more, std::vector<Diagnostic>& all) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// What the phases of the compiler find.
auto gather(query::Context& context, FileId file, Until until) -> std::vector<Diagnostic> {
  const program::FrontendSnapshot view(context);
  std::vector<Diagnostic> all = view.diagnostics(file, frontend_until(until));
  if (until == Until::Devices) {
    append(he_views::program_diagnostics(context, file), all);
  }
  if (until == Until::Functions || until == Until::Devices) {
    append(conformance::conformance_diagnostics(context, file), all);
  }
  if (until == Until::Devices && context.get<conformance::IsRunnable>(file)) {
    append(mpc_views::program_diagnostics(context, file), all);
  }
  sort_diagnostics(all);
  return all;
}

auto find_by_compiler(const query::Snapshot& snapshot, FileId file, std::optional<Until> until)
    -> std::vector<Diagnostic> {
  if (!until) {
    return {};
  }
  if (*until == Until::Devices) {
    return *snapshot.get<ProblemsOfFile>(file);
  }
  return snapshot.run([&](query::Context& context) { return gather(context, file, *until); });
}

/// Asks what `gather` will ask about devices, of a file with many items in pieces: it finds the
/// queries answered.
void ask_of_devices(const query::Snapshot& snapshot, FileId file, Executor& executor) {
  if (!program::has_many_items(snapshot, file)) {
    return;
  }
  const bool is_runnable = snapshot.get<conformance::IsRunnable>(file);
  const auto all = snapshot.get<names::ItemsOfFile>(file);
  program::in_pieces(snapshot, all->items.size(), executor, [&](query::Context& context, size_t i) {
    const names::FileItem& item = all->items[i];
    if (item.kind != names::ItemKind::Fn) {
      return;
    }
    if (context.get<types::SignatureOf>(item.id)->is_device_function) {
      context.get<program::DeviceCalleesOf>(item.id);
    }
    context.get<he_views::ProgramOfItem>(item.id);
    context.get<conformance::ConformanceOfFunction>(item.id);
    if (is_runnable) {
      context.get<mpc_views::ProgramOfItem>(item.id);
    }
  });
}

}  // namespace

auto ProblemsOfFile::compute(query::Context& context, const Key& file) -> Value {
  return std::make_shared<const std::vector<Diagnostic>>(gather(context, file, Until::Devices));
}

auto find(const program::FrontendSnapshot& snapshot, FileId file, const Question& question)
    -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all = find_by_compiler(snapshot.query(), file, question.until);
  if (question.lint) {
    std::vector<Diagnostic> findings = snapshot.query().run(
        [&](query::Context& context) { return linter::lint_file(context, file, *question.lint); });
    merge(std::move(findings), all);
  }
  return all;
}

auto find(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
          const Question& question, Executor& executor) -> std::vector<std::vector<Diagnostic>> {
  std::vector<std::vector<Diagnostic>> found(files.size());
  const auto look_at = [&](size_t i) {
    const query::Snapshot mine = snapshot.query();
    found[i] = find_by_compiler(mine, files[i], question.until);
  };
  if (question.until == Until::Syntax) {
    executor.for_each(files.size(), look_at);
  } else if (question.until) {
    const bool with_specifications = *question.until >= Until::Specifications;
    const auto ask = [&](query::Context& context, const names::FileItem& item) {
      program::diagnostics_of_item(context, item, with_specifications);
    };
    const auto look_at_devices_too = [&](size_t i) {
      if (*question.until == Until::Devices) {
        ask_of_devices(snapshot.query(), files[i], executor);
      }
      look_at(i);
    };
    program::for_files(snapshot.query(), files, executor, ask, look_at_devices_too);
  }
  if (question.lint) {
    std::vector<std::vector<Diagnostic>> findings =
        linter::lint_files(snapshot.query(), files, *question.lint, executor);
    for (size_t i = 0; i < files.size(); ++i) {
      merge(std::move(findings[i]), found[i]);
    }
  }
  return found;
}

auto find(const program::FrontendSnapshot& snapshot, FileId file, const linter::Settings& settings,
          const Visit& visit) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all;
  const auto problems = snapshot.query().get<ProblemsOfFile>(file);
  snapshot.query().run([&](query::Context& context) {
    const auto add = [&](linter::FoundInFile found) {
      visit(context, found);
      all.push_back(std::move(found.diagnostic));
    };
    for (const Diagnostic& problem : *problems) {
      add({problem});
    }
    for (linter::FoundInFile& finding :
         linter::find_in_file(context, file, settings, linter::Wanted::Everything)) {
      add(std::move(finding));
    }
  });
  sort_diagnostics(all);
  return all;
}

void merge(std::vector<Diagnostic> more, std::vector<Diagnostic>& all) {
  append(std::move(more), all);
  sort_diagnostics(all);
}

}  // namespace tacet::problems
