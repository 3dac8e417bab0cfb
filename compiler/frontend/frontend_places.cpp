#include <fmt/format.h>

#include <algorithm>

#include "compiler/check/queries.h"
#include "compiler/frontend/frontend.h"
#include "compiler/infer/quotients.h"
#include "compiler/infer/spec_text.h"
#include "compiler/names/queries.h"
#include "compiler/types/operator_scheme.h"
#include "compiler/types/queries.h"

// What stands at a place of a file, for editors.

namespace tacet::check {

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

auto local_word(const names::Local& local) -> std::string_view {
  switch (local.kind) {
    case LocalKind::Let:
      return "let ";
    case LocalKind::Var:
      return "var ";
    case LocalKind::Parameter:
    case LocalKind::Dim:
    case LocalKind::Definition:
    case LocalKind::Output:
    case LocalKind::Index:
    case LocalKind::Loop:
    case LocalKind::Encoded:
      return {};
  }
  return {};
}

}  // namespace

auto FrontendSnapshot::entity_at(FileId file, uint32_t offset) const -> std::optional<Entity> {
  return snapshot_.run([&](query::Context& context) -> std::optional<Entity> {
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
    const Body& body = *context.get<BodyOf>(item);
    entity.meaning = body.names.of(node.index());
    entity.item = body.names.item(node.index());
    if (entity.meaning.is(Meaning::Local)) {
      entity.local = entity.meaning.index();
    }
    return entity;
  });
}

auto FrontendSnapshot::definition(FileId file, uint32_t offset) const -> std::optional<FileRange> {
  const std::optional<Entity> entity = entity_at(file, offset);
  if (!entity) {
    return std::nullopt;
  }
  if (entity->item.has_value()) {
    if (item_key(entity->item).kind == ItemKind::Import) {
      for (const names::Import& import : snapshot_.get<names::ImportsOfFile>(file)) {
        if (import.item == entity->item && import.file.has_value()) {
          return FileRange{import.file, {0, 0}};
        }
      }
    }
    return name_place(entity->item);
  }
  if (entity->local == names::Local::kNone) {
    return std::nullopt;
  }
  const BodyPtr body = this->body(entity->in_item);
  const names::Local& local = body->names.locals[entity->local];
  if (local.node != names::Local::kNone) {
    const Node node(entity->tree.get(), local.node);
    return FileRange{file, node.range().shifted(item_begin(entity->in_item))};
  }
  if (item_key(entity->in_item).kind == ItemKind::Program) {
    for (const names::FileItem& input : items(file)->items) {
      if (input.kind == ItemKind::Input && input.name == local.name) {
        return name_place(input.id);
      }
    }
  }
  return std::nullopt;
}

auto FrontendSnapshot::describe(names::ItemId item) const -> std::string {
  const names::ItemKey& key = item_key(item);
  const std::string_view name =
      key.name.has_value() ? interner_->text(key.name) : std::string_view();
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
      return fmt::format(
          "type {} = {}", name,
          types::type_text(*types_, *interner_, snapshot_.get<types::TypeOfAlias>(item)));
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

auto FrontendSnapshot::node_of_name(const Entity& entity) const -> std::string {
  return snapshot_.run([&](query::Context& context) -> std::string {
    const auto& quotients = context.get<infer::QuotientsOf>(entity.in_item);
    const auto& function = context.get<hir::SsaOf>(entity.in_item);
    if (!quotients || !function) {
      return {};
    }
    for (const hir::NameUse& use : function->names) {
      const infer::SpecNodeId node =
          use.node == entity.node ? quotients->of_value[use.value.index] : infer::SpecNodeId();
      if (node.has_value()) {
        const infer::SpecGraphPtr& spec =
            context.get<infer::SpecificationOf>(quotients->val)->graph;
        const names::ItemTree& tree = context.get<names::SyntaxOfItem>(quotients->val);
        return infer::spec_node_text(*spec, *tree, *interner_, node);
      }
    }
    return {};
  });
}

auto FrontendSnapshot::hover(FileId file, uint32_t offset) const -> std::optional<HoverData> {
  const std::optional<Entity> entity = entity_at(file, offset);
  if (!entity) {
    return std::nullopt;
  }
  HoverData hover;
  hover.range = entity->range;
  const BodyPtr body = this->body(entity->in_item);
  auto text = [&](types::TypeId type) { return types::type_text(*types_, *interner_, type); };
  if (entity->item.has_value()) {
    hover.code = describe(entity->item);
    hover.documentation = documentation(entity->item);
    const auto signature = this->signature(entity->item);
    for (names::ItemId spec : {signature->val, signature->tmln, signature->sptl}) {
      if (spec.has_value()) {
        hover.specifications.push_back(spec);
      }
    }
    return hover;
  }
  const Node node(entity->tree.get(), entity->node);
  switch (entity->meaning.meaning()) {
    case Meaning::Local: {
      const names::Local& local = body->names.locals[entity->local];
      hover.code = fmt::format("{}{}: {}", local_word(local), node.text(),
                               text(body->local_types[entity->local]));
      hover.node = node_of_name(*entity);
      return hover;
    }
    case Meaning::Builtin: {
      const auto builtin = static_cast<names::Builtin>(entity->meaning.index());
      hover.code = names::builtin_text(builtin);
      hover.documentation = names::builtin_documentation(builtin);
      return hover;
    }
    case Meaning::Party:
      hover.code = fmt::format("party {}", node.text());
      return hover;
    case Meaning::Device:
      hover.code = fmt::format("device {}", node.text());
      return hover;
    case Meaning::Nothing:
    case Meaning::Unknown:
    case Meaning::Item:
      break;
  }
  const std::vector<Node> path = syntax::path_to(entity->tree->root(), node.range().begin);
  if (node.field() == Field::Operator && path.size() >= 2) {
    const Node parent = path[path.size() - 2];
    types::Operator op{};
    const uint8_t arity = parent.is(NodeKind::UnaryExpression) ? 1 : 2;
    if (types::find_operator(node.kind(), arity, op)) {
      hover.code = types::scheme_text(op);
      hover.range = entity->range;
      return hover;
    }
  }
  if (const types::TypeId type = body->type(entity->node); type != types::TypeStore::kError) {
    hover.code = text(type);
    return hover;
  }
  return std::nullopt;
}

}  // namespace tacet::check
