#include <fmt/format.h>

#include <algorithm>

#include "compiler/front/check/queries.h"
#include "compiler/front/names/instance_name.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/program/frontend.h"
#include "compiler/spec/program/references.h"

// What stands at a place of a file, for editors.

namespace tacet::program {

using names::ItemKind;
using names::LocalKind;
using names::Meaning;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// The item whose tree holds `offset` of a file, with where the tree begins.
auto item_at(query::Context& context, FileId file, uint32_t offset)
    -> std::optional<std::pair<names::ItemId, uint32_t>> {
  const syntax::FileSyntax& syntax = *context.get<syntax::ParseFile>(file);
  if (syntax.units.empty()) {
    return std::nullopt;
  }
  const auto unit = static_cast<uint32_t>(syntax.unit_at(offset));
  const std::vector<names::FileItem>& items = context.get<names::ItemsOfFile>(file)->items;
  auto first = std::lower_bound(
      items.begin(), items.end(), unit,
      [](const names::FileItem& item, uint32_t wanted) { return item.unit < wanted; });
  std::optional<std::pair<names::ItemId, uint32_t>> found;
  for (auto item = first; item != items.end() && item->unit == unit; ++item) {
    const uint32_t begin = context.get<names::BeginOfItem>(item->id);
    const auto size =
        static_cast<uint32_t>(context.get<names::SyntaxOfItem>(item->id)->text.size());
    if (begin <= offset && offset <= begin + size) {
      found = {item->id, begin};
    }
  }
  return found;
}

/// The text of the `///` comments right in front of an item.
auto documentation_of(const syntax::Tree& tree) -> std::string {
  const Node root = names::item_node(tree);
  std::string text;
  uint32_t end = 0;
  for (const syntax::Comment& comment : tree.comments) {
    if (!root || comment.range.end > root.range().begin) {
      break;
    }
    const bool is_doc = comment.kind == syntax::CommentKind::Doc;
    // An empty line between two comments begins anew.
    const std::string_view between =
        std::string_view(tree.text).substr(end, comment.range.begin - end);
    if (!is_doc || std::count(between.begin(), between.end(), '\n') > 1) {
      text.clear();
    }
    end = comment.range.end;
    if (!is_doc) {
      continue;
    }
    std::string_view line = std::string_view(tree.text).substr(
        comment.range.begin + 3, comment.range.end - comment.range.begin - 3);
    if (!line.empty() && line.front() == ' ') {
      line.remove_prefix(1);
    }
    text += text.empty() ? "" : "\n";
    text += line;
  }
  return text;
}

}  // namespace

auto FrontendSnapshot::entity_at(FileId file, uint32_t offset) const -> std::optional<Entity> {
  return run([&](query::Context& context) -> std::optional<Entity> {
    const auto place = item_at(context, file, offset);
    if (!place) {
      return std::nullopt;
    }
    const auto [item, begin] = *place;
    Entity entity;
    entity.in_item = item;
    entity.tree = context.get<names::SyntaxOfItem>(item);
    const std::vector<Node> path = syntax::path_to(entity.tree->root(), offset - begin);
    if (path.empty() || !path.back().range().touches(offset - begin)) {
      return std::nullopt;
    }
    const Node node = path.back();
    entity.node = node.index();
    entity.range = node.range().shifted(begin);
    const check::Body& body = *context.get<check::BodyOf>(item);
    entity.meaning = body.names.of(node.index());
    entity.item = body.names.item(node.index());
    if (entity.meaning.is(Meaning::Local)) {
      entity.local = entity.meaning.index();
      entity.local_of = item;
    } else if (path.size() >= 2 && path[path.size() - 2].is(NodeKind::QuotientNode) &&
               node.field() == Field::Name) {
      const ReferenceTarget target = node_of_tag(context, item, path[path.size() - 2], node);
      entity.local = target.local;
      entity.local_of = target.item;
    }
    return entity;
  });
}

auto FrontendSnapshot::definition(FileId file, uint32_t offset) const -> std::optional<FileRange> {
  const std::optional<Entity> entity = entity_at(file, offset);
  if (!entity) {
    return std::nullopt;
  }
  if (entity->item.has_value() && item_key(entity->item).kind == ItemKind::Import) {
    for (const names::Import& import : get<names::ImportsOfFile>(file)) {
      if (import.item == entity->item && import.file.has_value()) {
        return FileRange{import.file, {0, 0}};
      }
    }
  }
  const ReferenceTarget target =
      run([&](query::Context& context) { return reference_target(context, *entity); });
  if (!target.has_value()) {
    return std::nullopt;
  }
  if (target.local == names::Local::kNone) {
    return name_place(target.item);
  }
  const check::BodyPtr body = this->body(target.item);
  const names::Local& local = body->names.locals[target.local];
  if (local.node == names::Local::kNone) {
    return std::nullopt;
  }
  const names::ItemTree tree = this->tree(target.item);
  const Node node(tree.get(), local.node);
  return FileRange{item_key(target.item).file, node.range().shifted(item_begin(target.item))};
}

auto FrontendSnapshot::describe(names::ItemId item) const -> std::string {
  const names::ItemKey& key = item_key(item);
  const std::string name = names::instance_name(*interner_, key);
  switch (key.kind) {
    case ItemKind::Val:
    case ItemKind::Tmln:
    case ItemKind::Sptl:
    case ItemKind::Extern:
    case ItemKind::Fn:
    case ItemKind::Input:
    case ItemKind::Program:
      return types::signature_text(*types_, *interner_, *signature(item), name);
    case ItemKind::Feq: {
      std::string text = fmt::format("feq {} {{", name);
      for (names::ItemId member : equivalence_class(item)->members) {
        text += fmt::format("\n    {}", describe(member));
      }
      return text + "\n}";
    }
    case ItemKind::Type:
      return fmt::format("type {} = {}", name,
                         types::type_text(*types_, *interner_, get<types::TypeOfAlias>(item)));
    case ItemKind::Const: {
      const names::ItemTree tree = this->tree(item);
      return fmt::format("const {} = {}", name, names::item_node(*tree).child(Field::Value).text());
    }
    case ItemKind::Party:
      return fmt::format("party {}", name);
    case ItemKind::Pipeline:
      return fmt::format("pipeline {}", name);
    case ItemKind::Import:
      return fmt::format("import {}", name);
    case ItemKind::Test:
      return fmt::format("test {}", name);
  }
  return {};
}

auto FrontendSnapshot::documentation(names::ItemId item) const -> std::string {
  return documentation_of(*tree(item));
}

}  // namespace tacet::program
