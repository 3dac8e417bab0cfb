#include "compiler/front/names/scope.h"

#include <algorithm>
#include <tuple>

namespace tacet::names {

namespace {

auto order(const FileScope::Entry& entry) {
  return std::tuple(entry.name, entry.space);
}

struct ByName {
  auto operator()(const FileScope::Entry& a, Name b) const -> bool { return a.name < b; }
  auto operator()(Name a, const FileScope::Entry& b) const -> bool { return a < b.name; }
};

}  // namespace

FileScope::FileScope(std::vector<Entry> entries, std::vector<Name> lost_names)
    : entries_(std::move(entries)), lost_names_(std::move(lost_names)) {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return order(a) < order(b); });
  std::sort(lost_names_.begin(), lost_names_.end());
}

auto FileScope::find(Namespace space, Name name) const -> std::span<const Entry> {
  const Entry wanted{.name = name, .space = space};
  auto [begin, end] =
      std::equal_range(entries_.begin(), entries_.end(), wanted,
                       [](const Entry& a, const Entry& b) { return order(a) < order(b); });
  return {begin, end};
}

auto FileScope::find(Name name) const -> std::span<const Entry> {
  auto [begin, end] = std::equal_range(entries_.begin(), entries_.end(), name, ByName());
  return {begin, end};
}

auto FileScope::find_from(Name first, uint32_t n) const -> std::span<const Entry> {
  const auto begin = std::lower_bound(entries_.begin(), entries_.end(), first, ByName());
  return {begin, std::lower_bound(begin, entries_.end(), Name{first.index + n}, ByName())};
}

auto FileScope::lost_from(Name first, uint32_t n) const -> std::span<const Name> {
  const auto begin = std::lower_bound(lost_names_.begin(), lost_names_.end(), first);
  return {begin, std::lower_bound(begin, lost_names_.end(), Name{first.index + n})};
}

auto FileScope::is_lost(Name name) const -> bool {
  return std::binary_search(lost_names_.begin(), lost_names_.end(), name);
}

auto ModuleScope::find(Namespace space, Name name) const -> ItemId {
  if (!name.has_value()) {
    return {};
  }
  if (auto found = own->find(space, name); !found.empty()) {
    return found.front().item;
  }
  for (const ImportedScope& import : imports) {
    if (auto found = import.scope->find(space, name); !found.empty()) {
      return found.front().item;
    }
  }
  return {};
}

auto ModuleScope::find_all(Name name) const -> std::vector<FileScope::Entry> {
  std::vector<FileScope::Entry> all;
  auto add = [&](const FileScope& scope) {
    const auto found = scope.find(name);
    all.insert(all.end(), found.begin(), found.end());
  };
  add(*own);
  for (const ImportedScope& import : imports) {
    add(*import.scope);
  }
  return all;
}

auto ModuleScope::visible(Namespace space) const -> std::vector<Name> {
  std::vector<Name> names;
  auto add = [&](const FileScope& scope) {
    for (const FileScope::Entry& entry : scope.entries()) {
      if (entry.space == space) {
        names.push_back(entry.name);
      }
    }
  };
  add(*own);
  for (const ImportedScope& import : imports) {
    add(*import.scope);
  }
  return names;
}

auto ModuleScope::may_be_lost(Name name) const -> bool {
  if (own->is_lost(name) || has_missing_import) {
    return true;
  }
  return std::any_of(imports.begin(), imports.end(),
                     [&](const ImportedScope& import) { return import.scope->is_lost(name); });
}

}  // namespace tacet::names
