#include "compiler/spec/program/shown_instance.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "compiler/front/check/queries.h"
#include "compiler/front/names/instance.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/lower_type.h"
#include "compiler/front/types/queries.h"
#include "compiler/front/types/size_proof.h"
#include "compiler/front/types/type_parameters.h"

namespace tacet::program {

using names::ItemId;
using names::ItemKind;

/// The number behind `name =` in a text; nothing if there is none.
static auto stated(std::string_view text, std::string_view name) -> std::optional<int64_t> {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool is_word = at == 0 || text[at - 1] == ' ' || text[at - 1] == ',';
    std::string_view rest = text.substr(at + name.size());
    const auto skip_blanks = [&] {
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    };
    skip_blanks();
    if (!is_word || !rest.starts_with('=')) {
      continue;
    }
    rest.remove_prefix(1);
    skip_blanks();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error == std::errc() && value >= 1) {
      return value;
    }
  }
  return std::nullopt;
}

/// The sizes of a comment such as `// sizes: n = 8`, if it states all.
static auto sizes_of_comment(const Interner& interner, const syntax::Tree& tree,
                             const std::vector<Name>& sizes) -> std::vector<int64_t> {
  static constexpr std::string_view kWord = "sizes:";
  for (const syntax::Comment& comment : tree.comments) {
    const std::string_view text = std::string_view(tree.text).substr(
        comment.range.begin, comment.range.end - comment.range.begin);
    const size_t word = text.find(kWord);
    if (word == std::string_view::npos) {
      continue;
    }
    std::vector<int64_t> values;
    for (const Name size : sizes) {
      if (const auto value = stated(text.substr(word + kWord.size()), interner.text(size))) {
        values.push_back(*value);
      }
    }
    if (values.size() == sizes.size()) {
      return values;
    }
  }
  return {};
}

static auto first_called(query::Context& context, ItemId function) -> ItemId {
  auto& table = context.service<names::ItemTable>();
  const std::string_view name = context.service<Interner>().text(table[function].name);
  const auto items = context.get<names::ItemsOfFile>(table[function].file);
  for (const names::FileItem& item : items->items) {
    const bool may_call = item.kind == ItemKind::Fn || item.kind == ItemKind::Test;
    if (!may_call || item.id == function ||
        context.get<names::SyntaxOfItem>(item.id)->text.find(name) == std::string::npos) {
      continue;
    }
    const check::BodyPtr body = context.get<check::BodyOf>(item.id);
    for (const ItemId mentioned : body->names.items) {
      if (mentioned != function && names::generic_of(table, mentioned) == function &&
          !context.get<types::SignatureOf>(mentioned)->is_generic()) {
        return mentioned;
      }
    }
  }
  return {};
}

auto ShownInstanceOf::compute(query::Context& context, const Key& item) -> Value {
  auto& table = context.service<names::ItemTable>();
  const bool is_program = table[item].kind == ItemKind::Program;
  if ((table[item].kind != ItemKind::Fn && !is_program) || !table[item].name.has_value()) {
    return item;
  }
  const auto signature = context.get<types::SignatureOf>(item);
  if (!signature->is_generic()) {
    return item;
  }
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  const std::vector<int64_t> sizes =
      sizes_of_comment(context.service<Interner>(), *tree, signature->sizes);
  if (sizes.empty() || !signature->functions.empty()) {
    const ItemId called = first_called(context, item);
    if (called.has_value() || !signature->sizes.empty() || !signature->functions.empty()) {
      return called;
    }
  }
  std::vector<Name> types;
  for (const auto& [name, type] : types::types_of_head(context, item, names::item_node(*tree))) {
    types.push_back(
        types::type_word(context.service<Interner>(), context.service<types::TypeStore>(), type));
  }
  const ItemId instance =
      names::instance_with_types(table, names::instance_of(table, item, sizes), types);
  const auto of_instance = context.get<types::SignatureOf>(instance);
  const bool is_right =
      std::all_of(of_instance->constraints.begin(), of_instance->constraints.end(),
                  [](const types::SizeConstraint& one) { return types::holds(one); });
  return is_right ? instance : ItemId{};
}

/// Makes `sizes` the next row of sizes, those with small sums first: 1 1, 1 2, 2 1, 1 3, …
static void next_sizes(std::vector<int64_t>& sizes) {
  for (size_t i = sizes.size() - 1; i > 0; --i) {
    if (sizes[i] > 1) {
      const int64_t rest = sizes[i] - 1;
      sizes[i] = 1;
      ++sizes[i - 1];
      sizes.back() = rest;
      return;
    }
  }
  const int64_t largest = sizes.front() + 1;
  sizes.front() = 1;
  sizes.back() = largest;
}

auto sampled_instances(query::Context& context, ItemId item) -> std::vector<ItemId> {
  static constexpr size_t kMostSamples = 4;
  static constexpr size_t kMostTried = 400;
  auto& table = context.service<names::ItemTable>();
  const auto signature = context.get<types::SignatureOf>(item);
  const size_t n = signature->sizes.size();
  if (n == 0) {
    return {item};
  }
  std::vector<ItemId> instances;
  const auto add = [&](const std::vector<int64_t>& sizes) {
    const ItemId instance = names::instance_of(table, item, sizes);
    const auto of_instance = context.get<types::SignatureOf>(instance);
    const bool is_new = std::find(instances.begin(), instances.end(), instance) == instances.end();
    if (is_new && std::all_of(of_instance->constraints.begin(), of_instance->constraints.end(),
                              [](const types::SizeConstraint& one) { return types::holds(one); })) {
      instances.push_back(instance);
    }
  };
  std::vector<int64_t> upwards;
  for (size_t i = 0; i < n; ++i) {
    upwards.push_back(static_cast<int64_t>(i) + 2);
  }
  add(upwards);
  add({upwards.rbegin(), upwards.rend()});
  std::vector<int64_t> sizes(n, 1);
  for (size_t i = 0; i < kMostTried && instances.size() < kMostSamples; ++i, next_sizes(sizes)) {
    add(sizes);
  }
  const ItemId shown = context.get<ShownInstanceOf>(item);
  if (shown.has_value() &&
      std::find(instances.begin(), instances.end(), shown) == instances.end()) {
    instances.push_back(shown);
  }
  return instances;
}

}  // namespace tacet::program
