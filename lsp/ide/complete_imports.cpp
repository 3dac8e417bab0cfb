#include "lsp/ide/complete_imports.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "compiler/core/query/revision.h"
#include "compiler/front/names/declared_names.h"
#include "compiler/front/names/importers.h"

namespace tacet::ide {

using names::DeclaredName;
using names::ImportableModule;
using syntax::NodeKind;

namespace {

/// What fills a screen; what is left out comes up when more is typed.
constexpr size_t kMaxUnimported = 40;
/// The limit of modules visited to rule out a cycle of imports.
constexpr size_t kMaxWalk = 500;

struct Found {
  Match match = Match::Prefix;
  std::string_view name;
  const ImportableModule* module = nullptr;
  names::ItemKind kind = names::ItemKind::Val;

  friend auto operator<(const Found& a, const Found& b) -> bool {
    return std::tie(a.match, a.name, a.module->name) < std::tie(b.match, b.name, b.module->name);
  }
};

auto lower(char c) -> char {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Which modules do not import a file, by whatever way.
class CircleCheck {
 public:
  CircleCheck(query::Context& context, FileId file) : context_(context), file_(file) {}

  /// May say yes where the answer is no, when that would take long to find out.
  auto may_be_imported(FileId module) -> bool {
    std::vector<FileId> queue = {module};
    std::unordered_set<uint32_t> seen = {module.index};
    const auto workspace = context_.get<names::WorkspaceInput>({});
    const auto& interner = context_.service<Interner>();
    while (!queue.empty() && n_walked_ < kMaxWalk) {
      const FileId at = queue.back();
      queue.pop_back();
      ++n_walked_;
      for (const Name name : context_.get<names::ImportedWordsOfFile>(at).names) {
        const auto found = workspace->find_module(at, interner.text(name));
        if (found == file_) {
          return false;
        }
        if (found && !safe_.contains(found->index) && seen.insert(found->index).second) {
          queue.push_back(*found);
        }
      }
    }
    safe_.merge(seen);
    return true;
  }

 private:
  query::Context& context_;
  FileId file_;
  std::unordered_set<uint32_t> safe_;
  size_t n_walked_ = 0;
};

auto imported_files(query::Context& context, FileId file) -> std::unordered_set<uint32_t> {
  std::unordered_set<uint32_t> imported;
  for (const names::Import& import : context.get<names::ImportsOfFile>(file)) {
    imported.insert(import.file.index);
  }
  return imported;
}

/// The names of `space` that modules declare and `typed` may mean, in no order.
auto find_names(query::Context& context, FileId file, names::Namespace space,
                std::string_view typed) -> std::vector<Found> {
  const auto imported = imported_files(context, file);
  const auto& interner = context.service<Interner>();
  const char first = lower(typed.front());
  std::vector<Found> all;
  for (const ImportableModule& module : context.get<names::ImportableModulesOfFile>(file)) {
    if (imported.contains(module.file.index)) {
      continue;
    }
    const auto& declared = context.get<names::DeclaredNamesOfFile>(module.file);
    auto at =
        std::lower_bound(declared.begin(), declared.end(), first,
                         [](const DeclaredName& name, char letter) { return name.first < letter; });
    for (; at != declared.end() && at->first == first; ++at) {
      const std::string_view name = interner.text(at->name);
      if (auto how = at->is_in(space) ? match(typed, name) : std::nullopt) {
        all.push_back({*how, name, &module, at->kind});
      }
    }
  }
  return all;
}

/// What the name means in its module.
auto declared_item(query::Context& context, names::Namespace space, const Found& found)
    -> names::ItemId {
  const Name name = context.service<Interner>().intern(found.name);
  const auto entries = context.get<names::ScopeOfFile>(found.module->file)->find(space, name);
  return entries.empty() ? names::ItemId() : entries.front().item;
}

}  // namespace

auto add_unimported_names(const program::FrontendSnapshot& snapshot, FileId file,
                          names::Namespace space, std::string_view typed,
                          CompletionCandidates& candidates) -> bool {
  return snapshot.query().run([&](query::Context& context) {
    if (typed.empty()) {
      const auto& modules = context.get<names::ImportableModulesOfFile>(file);
      return modules.size() <= imported_files(context, file).size();
    }
    std::vector<Found> all = find_names(context, file, space, typed);
    // The library has so many names that scattered letters mean some of them always.
    std::erase_if(all, [&](const Found& found) {
      return found.module->name.starts_with('"') &&
             (found.match == Match::Letters ||
              !candidates.may_call(declared_item(context, space, found)));
    });
    const size_t n_wanted = std::min(all.size(), kMaxUnimported);
    std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(n_wanted), all.end());
    CircleCheck circles(context, file);
    auto& interner = context.service<Interner>();
    for (size_t i = 0; i < n_wanted; ++i) {
      if (circles.may_be_imported(all[i].module->file)) {
        const Name module = interner.intern(all[i].module->name);
        candidates.add_unimported(all[i].name, all[i].kind, interner.text(module),
                                  Documented::in(space));
      }
    }
    return n_wanted == all.size();
  });
}

auto import_edit(const syntax::FileSyntax& syntax, std::string_view text, std::string_view module)
    -> TextEdit {
  uint32_t behind = 0;  // the end of what the import follows
  bool is_behind_import = false;
  for (const syntax::Unit& unit : syntax.units) {
    const syntax::Node item = unit.item();
    if (!item.is(NodeKind::ImportItem) && !item.is(NodeKind::VersionHeader)) {
      break;
    }
    behind = unit.begin + item.range().end;
    is_behind_import = item.is(NodeKind::ImportItem);
  }
  if (behind == 0) {
    return {{0, 0}, fmt::format("import {}\n\n", module)};
  }
  const size_t end = std::min(text.find('\n', behind), text.size());
  const bool is_last_line = end == text.size();
  const bool is_windows = !is_last_line && end > 0 && text[end - 1] == '\r';
  const std::string_view line_end = is_windows ? "\r\n" : "\n";
  std::string line;
  line += is_last_line ? line_end : "";
  line += is_behind_import ? "" : line_end;
  line += fmt::format("import {}{}", module, line_end);
  const auto at = static_cast<uint32_t>(is_last_line ? end : end + 1);
  const bool is_blank_next = at == text.size() || text[at] == '\n' || text[at] == '\r';
  line += is_behind_import || is_blank_next ? "" : line_end;
  return {{at, at}, std::move(line)};
}

auto index_names(const program::FrontendSnapshot& snapshot, std::span<const FileId> files) -> bool {
  try {
    snapshot.query().run([&](query::Context& context) {
      for (const FileId file : files) {
        context.get<names::DeclaredNamesOfFile>(file);
        context.get<names::ImportedWordsOfFile>(file);
      }
      return true;
    });
    return true;
  } catch (const query::Cancelled&) {
    return false;
  }
}

}  // namespace tacet::ide
