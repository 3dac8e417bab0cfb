#include "linter/lint_file.h"

#include "compiler/front/leakage/call_order.h"
#include "compiler/front/leakage/summary.h"
#include "compiler/front/names/queries.h"
#include "compiler/spec/program/pieces.h"
#include "compiler/views/mpc/item_costs.h"
#include "linter/advise_item.h"
#include "linter/lint_item.h"
#include "linter/suppressions.h"

namespace tacet::linter {

static auto diagnostics_of(std::vector<FoundInFile> found) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all;
  all.reserve(found.size());
  for (FoundInFile& finding : found) {
    all.push_back(std::move(finding.diagnostic));
  }
  return all;
}

static void keep_selected(std::vector<FoundInFile>& found, const LintOptions& options) {
  if (options.selects) {
    std::erase_if(found, [&](const FoundInFile& finding) {
      return !options.selects(finding.diagnostic.code);
    });
  }
}

auto lint_file(query::Context& context, FileId file, const LintOptions& options)
    -> std::vector<Diagnostic> {
  std::vector<FoundInFile> found = find_in_file(context, file, options.settings, options.wanted);
  keep_selected(found, options);
  if (options.fixes == Fixes::All) {
    for (FoundInFile& finding : found) {
      add_fix(context, finding);
    }
  }
  return diagnostics_of(std::move(found));
}

namespace {

/// A file of many items. Queries are asked in pieces, side by side; what is left for one thread
/// finds them answered.
class LargeFile {
 public:
  LargeFile(const query::Snapshot& snapshot, FileId file, const LintOptions& options,
            Executor& executor)
      : snapshot_(snapshot), file_(file), options_(options), executor_(executor) {}

  auto run() -> std::vector<Diagnostic> {
    ask();
    std::vector<FoundInFile> found = snapshot_.run([&](query::Context& context) {
      return find_in_file(context, file_, options_.settings, options_.wanted);
    });
    keep_selected(found, options_);
    if (options_.fixes == Fixes::All) {
      // What two pieces have of one item, at their ends, is one query, which runs once.
      in_pieces(found.size(),
                [&](query::Context& context, size_t i) { add_fix(context, found[i]); });
    }
    return diagnostics_of(std::move(found));
  }

 private:
  /// Asks what `find_in_file` will ask: callees first.
  void ask() {
    const auto items = snapshot_.get<names::ItemsOfFile>(file_);
    const std::vector<names::FileItem>& all = items->items;
    in_pieces(all.size(), [&](query::Context& context, size_t i) {
      context.get<leakage::CalleesOf>(all[i].id);
    });
    const auto order = snapshot_.get<leakage::CallOrderOfFile>(file_);
    in_pieces(order->items.size(), [&](query::Context& context, size_t i) {
      context.get<leakage::SummaryOf>(order->items[i]);
    });
    const bool with_advice = snapshot_.run([&](query::Context& context) {
      return wants_advice(context, file_, options_.settings, options_.wanted);
    });
    in_pieces(all.size(), [&](query::Context& context, size_t i) {
      if (all[i].kind == names::ItemKind::Fn) {
        context.get<FindingsOfItem>(all[i].id);
        context.get<mpc_views::ProgramOfItem>(all[i].id);
      }
      if (with_advice) {
        context.get<AdviceOfItem>(all[i].id);
      }
    });
  }

  template <class Body>
  void in_pieces(size_t n, const Body& body) {
    program::in_pieces(snapshot_, n, executor_, body);
  }

  const query::Snapshot& snapshot_;
  FileId file_;
  const LintOptions& options_;
  Executor& executor_;
};

}  // namespace

auto lint_files(const query::Snapshot& snapshot, std::span<const FileId> files,
                const LintOptions& options, Executor& executor)
    -> std::vector<std::vector<Diagnostic>> {
  std::vector<std::vector<Diagnostic>> found(files.size());
  std::vector<char> is_large(files.size());
  executor.for_each(files.size(), [&](size_t i) {
    const query::Snapshot mine = snapshot;
    is_large[i] = program::has_many_items(mine, files[i]) ? 1 : 0;
    if (is_large[i] == 0) {
      found[i] =
          mine.run([&](query::Context& context) { return lint_file(context, files[i], options); });
    }
  });
  for (size_t i = 0; i < files.size(); ++i) {
    if (is_large[i] != 0) {
      found[i] = LargeFile(snapshot, files[i], options, executor).run();
    }
  }
  return found;
}

}  // namespace tacet::linter
