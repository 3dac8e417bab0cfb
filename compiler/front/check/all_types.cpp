#include "compiler/front/check/all_types.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/front/names/instance.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/type_parameters.h"

namespace tacet::check {

static auto is_same_finding(const Diagnostic& a, const Diagnostic& b) -> bool {
  return a.code == b.code && a.place.range == b.place.range;
}

/// `T` is `u8`
static auto types_text(const Interner& interner, std::span<const types::TypeParameter> parameters,
                       std::span<const Name> words) -> std::string {
  std::string text;
  for (size_t i = 0; i < parameters.size(); ++i) {
    text += fmt::format("{}`{}` is `{}`", i == 0 ? "" : " and ", interner.text(parameters[i].name),
                        interner.text(words[i]));
  }
  return text;
}

/// Adds `found`, the findings for `words`, to those of other types. By finding, `n_times` counts
/// for how many combinations of types it is.
static void merge(const ItemDiagnostics& found, const std::string& words, ItemDiagnostics& all,
                  std::vector<size_t>& n_times) {
  for (const names::ItemDiagnostic& entry : found) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const names::ItemDiagnostic& one) {
      return is_same_finding(one.diagnostic, entry.diagnostic);
    });
    if (known != all.end()) {
      ++n_times[static_cast<size_t>(known - all.begin())];
      continue;
    }
    all.push_back(entry);
    all.back().diagnostic.notes.push_back(fmt::format("this is where {}", words));
    n_times.push_back(1);
  }
}

auto for_all_types(query::Context& context, names::ItemId item, ItemDiagnostics first)
    -> ItemDiagnostics {
  auto& table = context.service<names::ItemTable>();
  if (table[item].kind != names::ItemKind::Fn || names::is_instance(table[item])) {
    return first;
  }
  auto& interner = context.service<Interner>();
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
  const std::vector<types::TypeParameter> parameters =
      types::type_parameters_of(interner, names::item_node(*tree));
  if (parameters.empty() || parameters.size() > types::kMostTypeParameters) {
    return first;
  }
  const auto& types = context.service<types::TypeStore>();
  const std::vector<std::vector<types::TypeId>> combinations = types::combinations(parameters);
  std::vector<size_t> n_times(first.size(), 1);
  const size_t n_of_function = first.size();
  std::string words_of_function;
  for (const std::vector<types::TypeId>& combination : combinations) {
    std::vector<Name> words;
    for (const types::TypeId type : combination) {
      words.push_back(types::type_word(interner, types, type));
    }
    if (&combination == &combinations.front()) {  // which the function itself was checked for
      words_of_function = types_text(interner, parameters, words);
      continue;
    }
    const auto found =
        context.get<DiagnosticsOfItem>(names::instance_with_types(table, item, words));
    merge(found ? *found : ItemDiagnostics(), types_text(interner, parameters, words), first,
          n_times);
  }
  for (size_t i = 0; i < n_of_function; ++i) {
    if (n_times[i] < combinations.size()) {
      first[i].diagnostic.notes.push_back(fmt::format("this is where {}", words_of_function));
    }
  }
  return first;
}

}  // namespace tacet::check
