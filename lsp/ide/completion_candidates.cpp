#include "lsp/ide/completion_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "lsp/ide/call_snippets.h"

namespace tacet::ide {

using names::ItemKind;
using types::TypeId;
using types::TypeStore;

namespace {

/// More than anybody reads. What is cut off comes up when more is typed.
constexpr size_t kMaxItems = 100;
/// With more candidates than this their types are not compared with the one that is needed.
constexpr size_t kMaxCompared = 400;

/// By namespace, then for built-in functions and keywords.
constexpr std::array<std::string_view, names::kNamespaces + 2> kSources = {
    "class", "specification", "callable", "type",   "value",
    "party", "pipeline",      "builtin",  "keyword"};

auto completion_kind(ItemKind kind) -> CompletionKind {
  switch (kind) {
    case ItemKind::Val:
    case ItemKind::Tmln:
    case ItemKind::Sptl:
      return CompletionKind::Specification;
    case ItemKind::Feq:
      return CompletionKind::Class;
    case ItemKind::Extern:
    case ItemKind::Fn:
    case ItemKind::Program:
    case ItemKind::Pipeline:
    case ItemKind::Test:
      return CompletionKind::Function;
    case ItemKind::Type:
      return CompletionKind::Type;
    case ItemKind::Const:
      return CompletionKind::Constant;
    case ItemKind::Party:
      return CompletionKind::Party;
    case ItemKind::Import:
      return CompletionKind::Module;
    case ItemKind::Input:
      return CompletionKind::Parameter;
  }
  return CompletionKind::Function;
}

auto is_called(ItemKind kind) -> bool {
  return names::is_specification(kind) || kind == ItemKind::Feq || kind == ItemKind::Fn ||
         kind == ItemKind::Extern;
}

}  // namespace

auto Documented::text(std::string_view name, std::string_view module) const -> std::string {
  return value_ == kNothing
             ? std::string()
             : fmt::format("{} {}{}{}", kSources[value_], name, module.empty() ? "" : " ", module);
}

auto Documented::parse(std::string_view text, std::string_view& name, std::string_view& module)
    -> Documented {
  const size_t space = text.find(' ');
  auto found = std::find(kSources.begin(), kSources.end(), text.substr(0, space));
  if (space == std::string_view::npos || found == kSources.end()) {
    return nothing();
  }
  name = text.substr(space + 1);
  const size_t behind = std::min(name.find(' '), name.size());
  module = name.substr(std::min(behind + 1, name.size()));
  name = name.substr(0, behind);
  return Documented(static_cast<uint32_t>(found - kSources.begin()));
}

auto Documented::space() const -> std::optional<names::Namespace> {
  return value_ < names::kNamespaces ? std::optional(static_cast<names::Namespace>(value_))
                                     : std::nullopt;
}

void CompletionCandidates::add(std::string_view label, CompletionKind kind, Nearness nearness,
                               std::string_view detail, Documented documented) {
  if (auto how = match(typed_, label)) {
    // Where a type is needed, a built-in function comes behind the names of all types.
    const Fit fit = expected_.is_anything() ? Fit::Unknown : Fit::Other;
    candidates_.push_back(
        {{Reach::Visible, *how, fit, nearness, 0}, label, kind, documented, detail});
  }
}

void CompletionCandidates::add_keyword(std::string_view keyword, Fit fit) {
  if (auto how = match(typed_, keyword)) {
    candidates_.push_back({{Reach::Visible, *how, fit, Nearness::Keyword, 0},
                           keyword,
                           CompletionKind::Keyword,
                           Documented::keyword()});
  }
}

void CompletionCandidates::add_local(std::string_view name, CompletionKind kind, TypeId type) {
  if (auto how = match(typed_, name); how && !name.empty()) {
    candidates_.push_back({{Reach::Visible, *how, fit_of(type), Nearness::Local, n_locals_++},
                           name,
                           kind,
                           Documented::nothing(),
                           {},
                           type});
  }
}

void CompletionCandidates::add_item(names::ItemId item, std::string_view name, Nearness nearness,
                                    Documented documented) {
  if (auto how = match(typed_, name); how && !name.empty()) {
    candidates_.push_back({{Reach::Visible, *how, Fit::Unknown, nearness, 0},
                           name,
                           completion_kind(snapshot_.item_key(item).kind),
                           documented,
                           {},
                           TypeStore::kError,
                           item});
  }
}

void CompletionCandidates::add_ranked_item(names::ItemId item, std::string_view name,
                                           Documented documented, Fit fit, uint32_t distance) {
  const size_t n_before = candidates_.size();
  add_item(item, name, Nearness::File, documented);
  if (candidates_.size() > n_before) {
    candidates_.back().rank.fit = fit;
    candidates_.back().rank.distance = distance;
  }
}

void CompletionCandidates::add_postfix(std::string_view keyword, std::string_view shape,
                                       std::string text, TextRange removed) {
  const size_t n_before = candidates_.size();
  add_snippet(keyword, shape, std::move(text));
  if (candidates_.size() > n_before) {
    candidates_.back().removed = removed;
  }
}

void CompletionCandidates::add_snippet(std::string_view keyword, std::string_view shape,
                                       std::string text) {
  if (auto how = match(typed_, keyword)) {
    candidates_.push_back({{Reach::Visible, *how, Fit::Other, Nearness::Keyword, 1},
                           shape,
                           CompletionKind::Snippet,
                           Documented::nothing(),
                           keyword,
                           TypeStore::kError,
                           {},
                           std::move(text)});
  }
}

void CompletionCandidates::add_unimported(std::string_view name, ItemKind kind,
                                          std::string_view module, Documented documented) {
  if (auto how = match(typed_, name)) {
    candidates_.push_back({{Reach::Elsewhere, *how, Fit::Unknown, Nearness::Imported, 0},
                           name,
                           completion_kind(kind),
                           documented,
                           {},
                           TypeStore::kError,
                           {},
                           {},
                           module});
  }
}

auto CompletionCandidates::fit_of(TypeId type) const -> Fit {
  if (expected_.is_anything() || type == TypeStore::kError) {
    return Fit::Unknown;
  }
  types::TypeStore& types = snapshot_.types();
  const bool is_any = expected_.type == TypeStore::kError;
  if (!is_any && types.with_visibility(type, types::Visibility::Public) != expected_.type) {
    return Fit::Other;
  }
  if (!expected_.visibility || types.visibility(type) == *expected_.visibility) {
    return Fit::Same;
  }
  // What is public can be used as a secret, but is not worth to be revealed.
  return *expected_.visibility == types::Visibility::Secret && !is_any ? Fit::Converted
                                                                       : Fit::Other;
}

auto CompletionCandidates::is_callable(const Candidate& candidate) const -> bool {
  return !calls_ || !candidate.item.has_value() || calls_->has(snapshot_, candidate.item);
}

auto CompletionCandidates::call_of(const Candidate& candidate) const -> std::string {
  if (!calls_) {
    return {};
  }
  if (names::Builtin builtin{};
      candidate.documented.is_builtin() && names::find_builtin(candidate.label, builtin)) {
    return call_snippet(builtin);
  }
  return candidate.item.has_value() ? call_snippet(snapshot_, candidate.item, candidate.label)
                                    : std::string();
}

/// The type that a mention of the item has: where it is called, that of the result.
auto CompletionCandidates::type_of(names::ItemId item) const -> TypeId {
  return is_called(snapshot_.item_key(item).kind)
             ? types::result_type(snapshot_.types(), *snapshot_.signature(item))
             : TypeStore::kError;
}

auto CompletionCandidates::detail_of(const Candidate& candidate) const -> std::string {
  if (candidate.item.has_value()) {
    return detail_of(candidate.item);
  }
  if (!candidate.module.empty()) {
    return fmt::format("import {}", candidate.module);
  }
  return candidate.type == TypeStore::kError
             ? std::string(candidate.detail)
             : types::type_text(snapshot_.types(), snapshot_.interner(), candidate.type);
}

auto CompletionCandidates::detail_of(names::ItemId item) const -> std::string {
  const names::ItemKey& key = snapshot_.item_key(item);
  if (key.kind == ItemKind::Input) {
    const auto signature = snapshot_.signature(item);
    return signature->parameters.empty() ? std::string()
                                         : types::type_text(snapshot_.types(), snapshot_.interner(),
                                                            signature->parameters.front().type);
  }
  if (key.kind != ItemKind::Feq) {
    return snapshot_.describe(item);
  }
  return types::signature_text(snapshot_.types(), snapshot_.interner(), *snapshot_.signature(item),
                               snapshot_.interner().text(key.name));
}

void CompletionCandidates::compare_types() {
  if (expected_.is_anything() || candidates_.size() > kMaxCompared) {
    return;
  }
  for (Candidate& candidate : candidates_) {
    if (candidate.item.has_value() && is_callable(candidate)) {
      candidate.rank.fit = fit_of(type_of(candidate.item));
    }
  }
}

auto CompletionCandidates::completion_of(const Candidate& candidate) const -> Completion {
  Completion item;
  item.label = candidate.label;
  item.kind = candidate.kind;
  item.documented = candidate.documented.text(candidate.label, candidate.module);
  item.module = candidate.module;
  item.removed = candidate.removed;
  if (candidate.kind == CompletionKind::Snippet) {
    item.keyword = candidate.detail;
    item.snippet = candidate.snippet;
  } else {
    item.detail = detail_of(candidate);
    item.snippet = call_of(candidate);
  }
  return item;
}

auto CompletionCandidates::take(const CompletionSite& site) -> Completions {
  compare_types();
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.rank, a.label, a.item, a.module) <
           std::tie(b.rank, b.label, b.item, b.module);
  });
  Completions out;
  out.typed = site.typed;
  out.word = site.word;
  std::unordered_set<std::string_view> seen;
  for (const Candidate& candidate : candidates_) {
    if (!is_callable(candidate)) {
      continue;
    }
    // Two modules may have a name that is not visible yet; one that is visible hides them.
    const bool is_same = !candidate.module.empty() && !out.items.empty() &&
                         out.items.back().module == candidate.module &&
                         out.items.back().label == candidate.label;
    const bool is_new = candidate.module.empty() ? seen.insert(candidate.label).second
                                                 : !is_same && !seen.contains(candidate.label);
    if (!is_new) {
      continue;
    }
    if (out.items.size() == kMaxItems) {
      out.is_complete = false;
      break;
    }
    out.items.push_back(completion_of(candidate));
  }
  return out;
}

}  // namespace tacet::ide
