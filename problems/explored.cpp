#include "problems/explored.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/spec/program/call_swaps.h"
#include "compiler/spec/program/implementations.h"
#include "compiler/views/he/written_schedule.h"

namespace tacet::problems {

namespace {

using names::ItemId;
using names::ItemKind;

constexpr const char* kExploreFile = "tacet.explore";

/// What is worth a hint.
constexpr double kMuchFaster = 2;

auto time_text(double milliseconds) -> std::string {
  return milliseconds >= 1000 ? fmt::format("{:.3g} s", milliseconds / 1000)
         : milliseconds >= 1  ? fmt::format("{:.3g} ms", milliseconds)
                              : fmt::format("{:.3g} µs", milliseconds * 1000);
}

/// What a choice is for, in a program.
struct Subject {
  ItemId item;      ///< the target, or the pipeline; none if there is none
  ItemId function;  ///< the pipeline's function; the target itself
  FileRange place;
  FileRange entry;  ///< of the function's name in a pipeline
};

/// The item of that name and of one of these kinds, or none.
auto find_item(const program::FrontendSnapshot& snapshot, FileId file, std::string_view name,
               std::initializer_list<ItemKind> kinds) -> ItemId {
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.name.has_value() && snapshot.interner().text(item.name) == name &&
        std::find(kinds.begin(), kinds.end(), item.kind) != kinds.end()) {
      return item.id;
    }
  }
  return {};
}

auto subject_of(const program::FrontendSnapshot& snapshot, FileId file,
                const program::ExploredChoice& choice) -> Subject {
  Subject subject{.item = {}, .function = {}, .place = {file, {0, 0}}, .entry = {}};
  if (choice.pipeline.empty()) {
    subject.item = find_item(snapshot, file, choice.target,
                             {ItemKind::Fn, ItemKind::Val, ItemKind::Feq, ItemKind::Extern});
    subject.function = subject.item;
  } else {
    subject.item = find_item(snapshot, file, choice.pipeline, {ItemKind::Pipeline});
    if (subject.item.has_value()) {
      const names::ItemTree tree = snapshot.tree(subject.item);
      const syntax::Node entry = names::item_node(*tree).child(syntax::Field::Entry);
      subject.function = snapshot.body(subject.item)->names.item(entry.index());
      subject.entry = {file, entry.range().shifted(snapshot.item_begin(subject.item))};
    }
  }
  if (subject.item.has_value() && snapshot.item_key(subject.item).file == file) {
    subject.place = snapshot.name_place(subject.item);
  }
  return subject;
}

/// Whether `function` computes what `subject` does.
auto computes(query::Context& context, ItemId function, ItemId subject) -> bool {
  if (function == subject) {
    return true;
  }
  std::vector<ItemId> specifications = program::specifications_of(context, subject);
  specifications.push_back(subject);
  return std::any_of(specifications.begin(), specifications.end(), [&](ItemId specification) {
    const std::vector<ItemId> all = program::implementations_of(context, specification);
    return std::find(all.begin(), all.end(), function) != all.end();
  });
}

class Findings {
 public:
  Findings(const program::FrontendSnapshot& snapshot, FileId file)
      : snapshot_(snapshot), file_(file) {}

  void add(const program::ExploredChoice& choice) {
    const Subject subject = subject_of(snapshot_, file_, choice);
    std::vector<program::CallSwap> calls;
    const std::string misfit = misfit_of(choice, subject, calls);
    if (!misfit.empty()) {
      Diagnostic& finding = found_.emplace_back(make_diagnostic(
          DiagnosticCode::T7001, subject.place, fmt::format("`{}`: {}", kExploreFile, misfit)));
      finding.notes.push_back(way_out(choice));
      return;
    }
    add_hints(choice, subject, calls);
  }

  auto take() -> std::vector<Diagnostic> {
    sort_diagnostics(found_);
    return std::move(found_);
  }

 private:
  static auto name_of(const program::ExploredChoice& choice) -> const std::string& {
    return choice.pipeline.empty() ? choice.target : choice.pipeline;
  }

  static auto way_out(const program::ExploredChoice& choice) -> std::string {
    return fmt::format("run `tacet explore {} {} {}` again with values, or remove the choice",
                       choice.file, choice.pipeline.empty() ? "--fn" : "--pipeline",
                       name_of(choice));
  }

  /// Empty if the choice fits.
  auto misfit_of(const program::ExploredChoice& choice, const Subject& subject,
                 std::vector<program::CallSwap>& calls) const -> std::string {
    if (!subject.function.has_value()) {
      return fmt::format("a choice for `{}`, which is not in this file", name_of(choice));
    }
    const std::string& chosen = choice.chosen.implementation;
    const ItemId function = snapshot_.find(file_, names::Namespace::Callable, chosen);
    if (!function.has_value()) {
      return fmt::format("`{}` was chosen for `{}`, but is not in this file", chosen,
                         name_of(choice));
    }
    const bool is_implementation = snapshot_.query().run(
        [&](query::Context& context) { return computes(context, function, subject.function); });
    if (!is_implementation) {
      return fmt::format("`{}` was chosen for `{}`, but does not implement it", chosen,
                         name_of(choice));
    }
    for (const std::string& text : choice.chosen.calls) {
      Result<program::CallSwap> call = program::parse_call_swap(text);
      if (!call) {
        return call.error().message;
      }
      calls.push_back(std::move(*call));
    }
    Result<std::vector<program::FileEdits>> edits = program::call_edits(snapshot_, file_, calls);
    if (!edits || choice.chosen.layout.empty()) {
      return edits ? "" : edits.error().message;
    }
    Result<std::string> clause =
        he_views::checked_clause(snapshot_, function, choice.chosen.layout);
    return clause ? "" : clause.error().message;
  }

  /// What was measured of the program as it stands.
  static auto written_way(const program::ExploredChoice& choice, std::string_view implementation)
      -> const program::ExploredWay* {
    const auto is_it = [&](const program::ExploredWay& way) {
      return way.implementation == implementation && way.calls.empty() && way.layout.empty() &&
             way.threads == choice.chosen.threads && way.device == choice.chosen.device &&
             way.scheme == choice.chosen.scheme && way.milliseconds;
    };
    const auto way = std::find_if(choice.others.begin(), choice.others.end(), is_it);
    return way == choice.others.end() ? nullptr : &*way;
  }

  void add_hints(const program::ExploredChoice& choice, const Subject& subject,
                 const std::vector<program::CallSwap>& calls) {
    const std::string written =
        choice.pipeline.empty()
            ? choice.chosen.implementation
            : std::string(snapshot_.interner().text(snapshot_.item_key(subject.function).name));
    const program::ExploredWay* const now = written_way(choice, written);
    if (now == nullptr || !choice.chosen.milliseconds ||
        *now->milliseconds < kMuchFaster * *choice.chosen.milliseconds) {
      return;
    }
    if (written != choice.chosen.implementation) {
      add_hint(choice, *now, subject.entry, choice.chosen.implementation);
    }
    add_layout_hint(choice, *now);
    Result<std::vector<program::FileEdits>> edits = program::call_edits(snapshot_, file_, calls);
    for (const program::FileEdits& of_file : *edits) {
      for (const TextEdit& edit : of_file.edits) {
        add_hint(choice, *now, {of_file.file, edit.range}, edit.new_text);
      }
    }
  }

  /// In the place of the clause, or in front of the body.
  void add_layout_hint(const program::ExploredChoice& choice, const program::ExploredWay& now) {
    const names::ItemId function =
        snapshot_.find(file_, names::Namespace::Callable, choice.chosen.implementation);
    Result<std::string> clause =
        he_views::checked_clause(snapshot_, function, choice.chosen.layout);
    if (!choice.chosen.layout.empty() && clause) {
      const TextEdit edit = he_views::clause_edit(snapshot_, function, *clause);
      add_hint(choice, now, {snapshot_.item_key(function).file, edit.range}, edit.new_text);
    }
  }

  void add_hint(const program::ExploredChoice& choice, const program::ExploredWay& now,
                const FileRange& place, const std::string& better) {
    const double before = *now.milliseconds;
    const double after = *choice.chosen.milliseconds;
    Diagnostic& finding = found_.emplace_back(make_diagnostic(
        DiagnosticCode::T7002, place,
        fmt::format("with `{}` here, `{}` was measured as {:.2g} times as fast: {} instead of {}",
                    better, name_of(choice), before / std::max(after, 1e-6), time_text(after),
                    time_text(before))));
    finding.notes.push_back(choice.machine.empty() ? fmt::format("see `{}`", kExploreFile)
                                                   : fmt::format("see `{}`; measured on {}",
                                                                 kExploreFile, choice.machine));
    finding.fixes.push_back(
        {fmt::format("use `{}`", better), Applicability::Unsafe, {{place.range, better}}});
  }

  const program::FrontendSnapshot& snapshot_;
  FileId file_;
  std::vector<Diagnostic> found_;
};

}  // namespace

auto explored_findings(const program::FrontendSnapshot& snapshot, FileId file,
                       std::span<const program::ExploredChoice> choices)
    -> std::vector<Diagnostic> {
  Findings findings(snapshot, file);
  for (const program::ExploredChoice& choice : choices) {
    findings.add(choice);
  }
  return findings.take();
}

}  // namespace tacet::problems
