#include "lsp/ide/completion_site.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "compiler/front/names/file_items.h"

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// A name that nobody uses.
constexpr std::string_view kMadeUp = "tacet_completes_here";

}  // namespace

auto CompletionSite::item() const -> Node {
  for (auto node = path.rbegin(); node != path.rend(); ++node) {
    names::ItemKind kind{};
    if (names::item_kind(node->kind(), kind) && kind != names::ItemKind::Feq) {
      return *node;
    }
  }
  return {};
}

auto CompletionSite::around(NodeKind kind) const -> Node {
  auto found = std::find_if(path.rbegin(), path.rend(), [&](Node node) { return node.is(kind); });
  return found == path.rend() ? Node() : *found;
}

auto CompletionSite::below(Node ancestor) const -> Node {
  auto found = std::find(path.begin(), path.end(), ancestor);
  return found == path.end() || found + 1 == path.end() ? Node() : *(found + 1);
}

// ---- the word ----

static auto is_word_byte(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static auto word_begin(std::string_view text, uint32_t offset) -> uint32_t {
  while (offset > 0 && is_word_byte(text[offset - 1])) {
    --offset;
  }
  // The two keywords with more than letters in them.
  constexpr std::string_view kEncode = "encode-";
  if (text.substr(0, offset).ends_with(kEncode)) {
    return offset - static_cast<uint32_t>(kEncode.size());
  }
  return offset > 0 && text[offset - 1] == '#' ? offset - 1 : offset;
}

static auto word_end(std::string_view text, uint32_t offset) -> uint32_t {
  while (offset < text.size() && is_word_byte(text[offset])) {
    ++offset;
  }
  return offset;
}

// ---- the role ----

/// The statement whose value, through tags, is the call that `arguments` belong to.
static auto is_encoded_call(const std::vector<Node>& path) -> bool {
  auto node = path.rbegin();
  auto is_between = [](Node between) {
    return between.is(NodeKind::Arguments) || between.is(NodeKind::CallExpression) ||
           between.is(NodeKind::TaggedExpression);
  };
  for (++node; node != path.rend() && is_between(*node); ++node) {
  }
  return node != path.rend() && node->is(NodeKind::EncodeStatement) &&
         node->child(Field::Method).text() == "call";
}

static auto role_in_encode(Node name, Node statement) -> NameRole {
  const Field field = name.field();
  if (field == Field::Value) {
    return statement.child(Field::Method).text() == "call" ? NameRole::Kernel : NameRole::Value;
  }
  return field == Field::Encoder  ? NameRole::Encoder
         : field == Field::Method ? NameRole::Method
                                  : NameRole::Nothing;
}

/// The role of the names in constructs where they all have one.
static auto role_in(NodeKind construct) -> std::optional<NameRole> {
  static constexpr std::pair<NodeKind, NameRole> kRoles[] = {
      {NodeKind::NamedType, NameRole::Type},    {NodeKind::ArrayType, NameRole::Extent},
      {NodeKind::Bound, NameRole::Extent},      {NodeKind::Implements, NameRole::Specification},
      {NodeKind::QuotientNode, NameRole::Node}, {NodeKind::ImportItem, NameRole::Module},
      {NodeKind::Flag, NameRole::Flag},         {NodeKind::Receiver, NameRole::Party},
  };
  const auto* found = std::find_if(std::begin(kRoles), std::end(kRoles),
                                   [&](const auto& known) { return known.first == construct; });
  return found == std::end(kRoles) ? std::nullopt : std::optional(found->second);
}

static auto role_by_field(Field field) -> std::optional<NameRole> {
  static constexpr std::pair<Field, NameRole> kRoles[] = {{Field::Owner, NameRole::Party},
                                                          {Field::Device, NameRole::Device},
                                                          {Field::Field, NameRole::Field},
                                                          {Field::Name, NameRole::Nothing},
                                                          {Field::Variable, NameRole::Nothing}};
  const auto* found = std::find_if(std::begin(kRoles), std::end(kRoles),
                                   [&](const auto& known) { return known.first == field; });
  return found == std::end(kRoles) ? std::nullopt : std::optional(found->second);
}

/// The role of a name that is part of something else than an expression; nothing for those.
static auto role_by_parent(Node name, Node parent) -> std::optional<NameRole> {
  const Field field = name.field();
  if (parent.is(NodeKind::EncodeStatement)) {
    return role_in_encode(name, parent);
  }
  if (parent.is(NodeKind::AnnotationKey) || parent.is(NodeKind::ScheduleEntry)) {
    return field == Field::Field ? NameRole::Nothing : NameRole::Variable;
  }
  if (parent.is(NodeKind::ExternProperty)) {
    return field == Field::Key ? NameRole::Property : NameRole::Variable;
  }
  if (parent.is(NodeKind::PipelineItem)) {
    return field == Field::Entry ? NameRole::Entry : NameRole::Nothing;
  }
  if (parent.is(NodeKind::TypeParameter)) {
    return field == Field::Bound ? NameRole::TypeBound : NameRole::Nothing;
  }
  const std::optional<NameRole> role = role_in(parent.kind());
  return role ? role : role_by_field(field);
}

static auto role_of(const CompletionSite& site) -> NameRole {
  const std::vector<Node>& path = site.path;
  const Node name = path.back();
  for (const syntax::SyntaxError& error : site.tree.errors) {
    // An error that a name is there; one that the text ends behind it begins at its last byte.
    if (error.place.range.begin == name.range().begin) {
      return NameRole::Nothing;
    }
  }
  if (auto role = role_by_parent(name, path[path.size() - 2])) {
    return *role;
  }
  if (is_encoded_call(path)) {
    return path[path.size() - 2].is(NodeKind::Arguments) ? NameRole::Encoded : NameRole::Kernel;
  }
  const bool is_lost = path[path.size() - 2].is(NodeKind::Error);
  const bool is_inside = site.item() || site.language == syntax::Language::ArrayProgram;
  return is_inside && !is_lost ? NameRole::Value : NameRole::Nothing;
}

// ---- the site ----

/// Parses what precedes the word from the unit `unit` on, with the made-up name.
static void parse_in_front(const syntax::FileSyntax& file, std::string_view text, size_t unit,
                           CompletionSite& site) {
  site.begin = file.units.empty() ? 0 : file.units[unit].begin;
  std::string in_front(text.substr(site.begin, site.typed.begin - site.begin));
  in_front += kMadeUp;
  std::string_view rest = in_front;
  syntax::ParserMemory memory;
  for (;;) {
    site.tree = syntax::parse_unit(rest, site.language, memory);
    const auto size = static_cast<uint32_t>(site.tree.text.size());
    if (size == rest.size()) {
      return;
    }
    rest.remove_prefix(size);
    site.begin += size;
    site.before.push_back(std::move(site.tree));
  }
}

/// The path to the made-up name, if it became one.
static void find_path(CompletionSite& site) {
  const auto size = static_cast<uint32_t>(site.tree.text.size());
  const TextRange name{size - static_cast<uint32_t>(kMadeUp.size()), size};
  std::vector<Node> path = syntax::path_to(site.tree.root(), name.begin + 1);
  if (path.size() >= 2 && path.back().is(NodeKind::Identifier) && path.back().range() == name) {
    site.path = std::move(path);
  }
}

auto find_completion_site(const syntax::FileSyntax& file, std::string_view text, uint32_t offset)
    -> std::unique_ptr<const CompletionSite> {
  auto site = std::make_unique<CompletionSite>();
  site->language = file.language;
  site->typed = {word_begin(text, offset), offset};
  site->word = {site->typed.begin, word_end(text, offset)};
  const bool is_number =
      !site->typed.is_empty() && text[site->typed.begin] >= '0' && text[site->typed.begin] <= '9';
  if (is_number) {
    return nullptr;
  }
  size_t unit = file.unit_at(site->typed.begin);
  // The white space behind an item that is not complete belongs to the next one.
  if (unit > 0) {
    const Node item = file.units[unit].item();
    const bool is_in_front =
        !item || site->typed.begin - file.units[unit].begin <= item.range().begin;
    unit -= is_in_front ? 1 : 0;
  }
  parse_in_front(file, text, unit, *site);
  find_path(*site);
  if (site->path.empty()) {
    return nullptr;
  }
  site->role = role_of(*site);
  return site;
}

}  // namespace tacet::ide
