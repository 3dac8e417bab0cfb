#include "linter/suppressions_in_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/file_syntax.h"
#include "compiler/front/names/queries.h"
#include "linter/lint_chunk.h"

namespace tacet::linter {

void SuppressionsInUse::add(const Suppression& suppression, names::ItemId item, uint32_t begin) {
  Entry entry{suppression, item};
  for (TextRange* range : {&entry.suppression.place, &entry.suppression.list,
                           &entry.suppression.removed, &entry.suppression.scope}) {
    *range = range->shifted(begin);
  }
  entry.is_used.resize(suppression.words.size());
  all_.push_back(std::move(entry));
}

void SuppressionsInUse::read(query::Context& context, FileId file) {
  for (const Suppression& suppression : find_suppressions(*context.get<syntax::ParseFile>(file))) {
    add(suppression, {}, 0);
  }
  names::for_chunks<SuppressionsOfChunk>(context, file, [&](const SuppressionsOfChunk::Value& all) {
    for (const auto& [item, found] : *all) {
      for (const Suppression& suppression : *found) {
        add(suppression, item, context.get<names::BeginOfItem>(item));
      }
    }
  });
}

auto SuppressionsInUse::may_deny() const -> bool {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Entry& entry) { return entry.suppression.level == Level::Deny; });
}

static auto is_expired(const Suppression& suppression, Date today) -> bool {
  return suppression.until != kNoDate && suppression.until < today;
}

auto SuppressionsInUse::level(DiagnosticCode code, uint32_t at, Level otherwise, Date today)
    -> Level {
  Level level = otherwise;
  for (Entry& entry : all_) {
    if (!entry.suppression.scope.contains(at) || is_expired(entry.suppression, today)) {
      continue;
    }
    for (size_t i = 0; i < entry.suppression.words.size(); ++i) {
      const std::vector<DiagnosticCode>& codes = entry.suppression.words[i].codes;
      if (std::find(codes.begin(), codes.end(), code) != codes.end()) {
        entry.is_used[i] = true;
        level = entry.suppression.level;
      }
    }
  }
  return level;
}

void SuppressionsInUse::excuse(query::Context& context, names::ItemId item) {
  const names::ItemTable& table = context.service<names::ItemTable>();
  for (Entry& entry : all_) {
    entry.is_excused = entry.is_excused || entry.item == item || entry.item == table[item].parent;
  }
}

/// The comment without the words that do nothing.
static auto without_unused(const Suppression& suppression, const std::vector<bool>& is_used)
    -> TextEdit {
  std::string list;
  for (size_t i = 0; i < suppression.words.size(); ++i) {
    if (is_used[i]) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", suppression.words[i].text);
    }
  }
  if (suppression.until != kNoDate) {
    list += fmt::format(", until {:04}-{:02}-{:02}", suppression.until / 10000,
                        suppression.until / 100 % 100, suppression.until % 100);
  }
  return {suppression.list, list};
}

auto SuppressionsInUse::report(FileId file, Date today, bool is_right) const
    -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all;
  for (const Entry& entry : all_) {
    const Suppression& suppression = entry.suppression;
    const FileRange place{file, suppression.place};
    if (!suppression.problem.empty()) {
      all.push_back(make_diagnostic(DiagnosticCode::T5017, place, suppression.problem));
      continue;
    }
    if (is_expired(suppression, today)) {
      all.push_back(
          make_diagnostic(DiagnosticCode::T5020, place,
                          "this suppression has expired, so its findings are reported again"));
      continue;
    }
    const auto n_used = std::count(entry.is_used.begin(), entry.is_used.end(), true);
    const bool is_known = !entry.is_excused && (entry.item.has_value() || is_right);
    // One that makes findings graver is a guard, and good if there are none.
    if (!is_known || suppression.level != Level::Allow ||
        static_cast<size_t>(n_used) == entry.is_used.size()) {
      continue;
    }
    std::string unused;
    for (size_t i = 0; i < entry.is_used.size(); ++i) {
      unused += entry.is_used[i]
                    ? ""
                    : fmt::format("{}`{}`", unused.empty() ? "" : ", ", suppression.words[i].text);
    }
    Diagnostic finding = make_diagnostic(DiagnosticCode::T5016, place,
                                         fmt::format("no findings here for {}", unused));
    finding.tag = DiagnosticTag::Unnecessary;
    finding.fixes.push_back(
        n_used == 0 ? Fix{"remove the comment", Applicability::Safe, {{suppression.removed, ""}}}
                    : Fix{"remove the unused rules",
                          Applicability::Safe,
                          {without_unused(suppression, entry.is_used)}});
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace tacet::linter
