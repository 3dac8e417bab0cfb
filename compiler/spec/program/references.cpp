#include "compiler/spec/program/references.h"

#include <algorithm>

#include "compiler/front/check/queries.h"
#include "compiler/front/names/importers.h"
#include "compiler/front/names/instance.h"
#include "compiler/spec/program/implementations.h"

namespace tacet::program {

using names::ItemId;
using names::ItemKind;
using names::ItemTable;
using names::LocalKind;
using names::Meaning;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// The specification of a function that a tag of this dimension speaks of, or none.
auto specification_of(query::Context& context, ItemId function, std::string_view dimension)
    -> ItemId {
  const names::Implemented& implemented = context.get<names::ImplementedBy>(function);
  return dimension == "val"    ? implemented.val
         : dimension == "tmln" ? implemented.tmln
                               : implemented.sptl;
}

/// Names that tags know are the parameters, definitions, results and dimensions.
auto find_node(const check::Body& specification, Name name) -> uint32_t {
  const std::vector<names::Local>& locals = specification.names.locals;
  for (uint32_t i = 0; i < locals.size(); ++i) {
    if (locals[i].name == name) {
      return i;
    }
  }
  return names::Local::kNone;
}

/// Collects the places of one target.
class Collector {
 public:
  Collector(query::Context& context, ReferenceTarget target)
      : context_(context), table_(context.service<ItemTable>()), target_(target) {
    name_ = target.local == names::Local::kNone
                ? table_[target.item].name
                : body_of(target.item).names.locals[target.local].name;
    text_ = name_.has_value() ? context.service<Interner>().text(name_) : std::string_view();
  }

  void add_file(FileId file) {
    for (const names::FileItem& item : context_.get<names::ItemsOfFile>(file)->items) {
      add_item(item.id);
    }
  }

  /// The places in one item.
  void add_item(ItemId item) {
    const names::ItemTree tree = context_.get<names::SyntaxOfItem>(item);
    if (text_.empty() || tree->text.find(text_) == std::string::npos) {
      return;
    }
    const uint32_t begin = context_.get<names::BeginOfItem>(item);
    if (target_.local == names::Local::kNone) {
      add_uses_of_item(item, *tree, begin);
    } else if (item == target_.item) {
      add_uses_of_local(*tree, begin);
    } else {
      add_tags(item, *tree, begin);
    }
  }

  auto take() -> std::vector<Reference> {
    auto key = [](const Reference& reference) {
      return std::pair(reference.place.file, reference.place.range);
    };
    std::sort(found_.begin(), found_.end(),
              [&](const Reference& a, const Reference& b) { return key(a) < key(b); });
    // What is in a class is read with the class and with the member.
    auto last =
        std::unique(found_.begin(), found_.end(),
                    [&](const Reference& a, const Reference& b) { return key(a) == key(b); });
    found_.erase(last, found_.end());
    return std::move(found_);
  }

 private:
  auto body_of(ItemId item) const -> const check::Body& {
    return *context_.get<check::BodyOf>(item);
  }

  void add(ItemId in, Node node, uint32_t begin, Reference::Kind kind) {
    found_.push_back({{table_[in].file, node.range().shifted(begin)}, kind});
  }

  void add_uses_of_item(ItemId item, const syntax::Tree& tree, uint32_t begin) {
    const Node root = names::item_node(tree);
    const Node own_name = root ? names::item_name_node(root) : Node();
    if (item == target_.item && own_name) {
      add(item, own_name, begin, Reference::Kind::Declaration);
    }
    if (table_[target_.item].kind == ItemKind::Input) {
      add_uses_of_input(item, tree, begin);
      return;
    }
    const check::BodyPtr body = context_.get<check::BodyOf>(item);
    const std::vector<ItemId>& mentioned = body->names.items;
    for (uint32_t i = 0; i < mentioned.size(); ++i) {
      if (names::generic_of(table_, mentioned[i]) == target_.item) {
        add_resolved(item, tree, *body, {Meaning::Item, i}, begin, own_name ? own_name.index() : 0);
      }
    }
  }

  /// An input of an array program is a parameter of what the program computes.
  void add_uses_of_input(ItemId item, const syntax::Tree& tree, uint32_t begin) {
    if (table_[item].kind != ItemKind::Program) {
      return;
    }
    const check::BodyPtr body = context_.get<check::BodyOf>(item);
    for (uint32_t i = 0; i < body->names.locals.size(); ++i) {
      const names::Local& local = body->names.locals[i];
      if (local.name == name_ && local.node == names::Local::kNone) {
        add_resolved(item, tree, *body, {Meaning::Local, i}, begin, 0);
      }
    }
  }

  void add_uses_of_local(const syntax::Tree& tree, uint32_t begin) {
    const check::BodyPtr body = context_.get<check::BodyOf>(target_.item);
    const uint32_t declaration = body->names.locals[target_.local].node;
    if (declaration != names::Local::kNone) {
      add(target_.item, Node(&tree, declaration), begin, Reference::Kind::Declaration);
    }
    add_resolved(target_.item, tree, *body, {Meaning::Local, target_.local}, begin,
                 declaration == names::Local::kNone ? 0 : declaration);
  }

  /// Every name of the tree with the meaning `wanted` but the one at `declaration`.
  void add_resolved(ItemId item, const syntax::Tree& tree, const check::Body& body,
                    names::Resolution wanted, uint32_t begin, uint32_t declaration) {
    const auto n_nodes =
        static_cast<uint32_t>(std::min(body.names.resolutions.size(), tree.nodes.size()));
    for (uint32_t i = 0; i < n_nodes; ++i) {
      if (body.names.resolutions[i] == wanted && i != declaration) {
        const Node node(&tree, i);
        add(item, node, begin,
            is_written(tree, i) ? Reference::Kind::Write : Reference::Kind::Read);
      }
    }
  }

  /// The target of an assignment: `x = …`. Its parent stands right in front of it.
  static auto is_written(const syntax::Tree& tree, uint32_t node) -> bool {
    return node > 0 && tree.nodes[node].field == Field::Target &&
           tree.nodes[node - 1].kind == NodeKind::AssignmentStatement;
  }

  void add_tags(ItemId item, const syntax::Tree& tree, uint32_t begin) {
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
      if (tree.nodes[i].kind != NodeKind::QuotientNode) {
        continue;
      }
      const Node place(&tree, i);
      for (const Node name : place.children(Field::Name)) {
        if (name.text() == text_ && node_of_tag(context_, item, place, name) == target_) {
          add(item, name, begin, Reference::Kind::Read);
        }
      }
    }
  }

  query::Context& context_;
  ItemTable& table_;
  ReferenceTarget target_;
  Name name_;
  std::string_view text_;
  std::vector<Reference> found_;
};

}  // namespace

auto node_of_tag(query::Context& context, ItemId function, Node quotient_node, Node name)
    -> ReferenceTarget {
  if (context.service<ItemTable>()[function].kind != ItemKind::Fn) {
    return {};
  }
  const ItemId specification =
      specification_of(context, function, quotient_node.child(Field::Dimension).text());
  if (!specification.has_value()) {
    return {};
  }
  const Name wanted = context.service<Interner>().find(name.text());
  const check::BodyPtr body = context.get<check::BodyOf>(specification);
  const uint32_t local = body == nullptr ? names::Local::kNone : find_node(*body, wanted);
  return local == names::Local::kNone ? ReferenceTarget{} : ReferenceTarget{specification, local};
}

auto reference_target(query::Context& context, const Entity& entity) -> ReferenceTarget {
  auto& table = context.service<ItemTable>();
  if (entity.item.has_value()) {
    return {names::generic_of(table, entity.item), names::Local::kNone};
  }
  if (entity.local == names::Local::kNone) {
    return {};
  }
  const check::BodyPtr body = context.get<check::BodyOf>(entity.local_of);
  const names::Local& local = body->names.locals[entity.local];
  if (local.node == names::Local::kNone && table[entity.local_of].kind == ItemKind::Program) {
    const FileId file = table[entity.local_of].file;
    for (const names::FileItem& input : context.get<names::ItemsOfFile>(file)->items) {
      if (input.kind == ItemKind::Input && input.name == local.name) {
        return {input.id, names::Local::kNone};
      }
    }
  }
  return {entity.local_of, entity.local};
}

auto references_to(query::Context& context, ReferenceTarget target, ReferenceScope scope,
                   FileId file) -> std::vector<Reference> {
  const auto& table = context.service<ItemTable>();
  const FileId own = table[target.item].file;
  Collector collector(context, target);
  const bool is_local = target.local != names::Local::kNone;
  if (is_local && !names::is_specification(table[target.item].kind)) {
    if (scope == ReferenceScope::AllFiles || file == own) {
      collector.add_item(target.item);
    }
    return collector.take();
  }
  if (scope == ReferenceScope::OneFile) {
    collector.add_file(file);
    return collector.take();
  }
  if (is_local) {
    collector.add_item(target.item);
    for (const Implementation& entry : *context.get<ImplementationsOfFile>(own)) {
      if (entry.specification == target.item) {
        collector.add_item(entry.function);
      }
    }
    return collector.take();
  }
  collector.add_file(own);
  for (FileId importer : context.get<names::ImportersOfFile>(own)) {
    collector.add_file(importer);
  }
  return collector.take();
}

}  // namespace tacet::program
