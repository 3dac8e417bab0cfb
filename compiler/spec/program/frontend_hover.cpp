#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/syntax/concatenation.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/function_scheme.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/interface.h"
#include "compiler/spec/infer/spec_text.h"
#include "compiler/spec/program/frontend.h"
#include "compiler/spec/program/function_tags.h"
#include "compiler/spec/program/hover_words.h"
#include "compiler/spec/program/variable_hover.h"

// What to show about what stands at a place of a file.

namespace tacet::program {

using names::LocalKind;
using names::Meaning;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;

namespace {

/// The longest expression that is shown behind a definition.
constexpr size_t kMaxDefinition = 100;

auto local_word(const names::Local& local) -> std::string_view {
  switch (local.kind) {
    case LocalKind::Let:
      return "let ";
    case LocalKind::Var:
      return "var ";
    case LocalKind::Size:
      return "size ";
    case LocalKind::Type:
      return "type ";
    case LocalKind::Function:
    case LocalKind::Parameter:
    case LocalKind::Dim:
    case LocalKind::Definition:
    case LocalKind::Output:
    case LocalKind::Index:
    case LocalKind::Loop:
    case LocalKind::Element:
    case LocalKind::Encoded:
      return {};
  }
  return {};
}

/// ` :- a < b` for the only name that a definition of a specification gives; else nothing.
auto definition_text(const syntax::Tree& tree, const names::Local& local) -> std::string {
  if (local.kind != LocalKind::Definition || local.declaration == names::Local::kNone) {
    return {};
  }
  const Node definition(&tree, local.declaration);
  size_t n_names = 0;
  for (const Node child : definition.children()) {
    n_names += child.is(NodeKind::SpecBinding) ? 1 : 0;
  }
  const std::string_view value = definition.child(Field::Value).text();
  const bool is_short =
      value.size() <= kMaxDefinition && value.find('\n') == std::string_view::npos;
  return n_names == 1 && is_short && !value.empty() ? fmt::format(" :- {}", value) : std::string();
}

/// What is shown about one entity.
class HoverWriter {
 public:
  HoverWriter(const FrontendSnapshot& snapshot, const Entity& entity,
              std::optional<TypeId> variable_type)
      : snapshot_(snapshot),
        entity_(entity),
        variable_type_(variable_type),
        node_(entity.tree.get(), entity.node),
        path_(syntax::path_to(entity.tree->root(), node_.range().begin)) {
    hover_.range = entity.range;
  }

  auto write() -> std::optional<HoverData> {
    const bool is_known = item() || local() || known_word() || op() || field() || choice() ||
                          result() || literal() || expression() || keyword();
    return is_known ? std::optional(std::move(hover_)) : std::nullopt;
  }

 private:
  auto item() -> bool {
    if (!entity_.item.has_value()) {
      return false;
    }
    hover_.code = snapshot_.describe(entity_.item);
    hover_.documentation = snapshot_.item_key(entity_.item).kind == names::ItemKind::Import
                               ? imported_items()
                               : snapshot_.documentation(entity_.item);
    const auto signature = snapshot_.signature(entity_.item);
    for (names::ItemId spec : {signature->val, signature->tmln, signature->sptl}) {
      if (spec.has_value()) {
        hover_.specifications.push_back(spec);
      }
    }
    return true;
  }

  /// The public items of the module that is imported.
  [[nodiscard]] auto imported_items() const -> std::string {
    std::string text;
    for (const names::Import& import :
         snapshot_.get<names::ImportsOfFile>(snapshot_.item_key(entity_.item).file)) {
      if (import.item != entity_.item || !import.file.has_value()) {
        continue;
      }
      for (const names::FileItem& item : snapshot_.items(import.file)->items) {
        if (item.name.has_value() && item.member == names::FileItem::kTopLevel &&
            item.kind != names::ItemKind::Import) {
          text += fmt::format("{}`{}`", text.empty() ? "Its items: " : ", ",
                              snapshot_.interner().text(item.name));
        }
      }
    }
    return text;
  }

  /// ` in 0..16 from client`: the bound and owner of a parameter.
  [[nodiscard]] auto terms_of(const names::Local& local) const -> std::string {
    const auto signature = snapshot_.signature(entity_.local_of);
    if (local.kind != LocalKind::Parameter || local.ordinal >= signature->parameters.size()) {
      return {};
    }
    const types::SignatureParameter& parameter = signature->parameters[local.ordinal];
    std::string terms;
    if (parameter.bound) {
      terms += types::bound_clause(*parameter.bound);
    }
    if (parameter.owner.has_value()) {
      terms += fmt::format(" from {}", snapshot_.interner().text(parameter.owner));
    }
    return terms;
  }

  auto local() -> bool {
    if (entity_.local == names::Local::kNone) {
      return false;
    }
    const check::BodyPtr body = snapshot_.body(entity_.local_of);
    const names::Local& local = body->names.locals[entity_.local];
    const TypeId type = variable_type_.value_or(body->local_types[entity_.local]);
    const names::ItemTree tree = snapshot_.tree(entity_.local_of);
    const auto signature = snapshot_.signature(entity_.local_of);
    if (local.kind == LocalKind::Function && local.ordinal < signature->functions.size()) {
      hover_.code = fmt::format("{}: {}", node_.text(),
                                types::function_type_text(snapshot_.types(), snapshot_.interner(),
                                                          signature->functions[local.ordinal]));
      return true;
    }
    for (const types::TypeParameter& parameter : signature->type_parameters) {
      const std::string_view name = snapshot_.interner().text(parameter.name);
      if (local.kind == LocalKind::Type && parameter.name == local.name) {
        hover_.code = fmt::format("type {}: {}", name, types::bound_text(parameter));
        return true;
      }
      const std::vector<TypeId> all = types::types_of_bound(parameter);
      hover_.documentation += all.empty() || local.kind == LocalKind::Size
                                  ? ""
                                  : fmt::format("{}`{}` is `{}` here, the first of `{}`.",
                                                hover_.documentation.empty() ? "" : " ", name,
                                                text(all.front()), types::bound_text(parameter));
    }
    hover_.code = fmt::format("{}{}: {}{}{}", local_word(local), node_.text(), text(type),
                              terms_of(local), definition_text(*tree, local));
    say_visibility(type);
    if (entity_.local_of == entity_.in_item) {
      is_name_ = true;
      is_handle_ = infer::is_handle(snapshot_.types(), type);
      say_tags([&](const FunctionTags& tags) { return tags.of_name(node_); });
    }
    return true;
  }

  auto known_word() -> bool {
    switch (entity_.meaning.meaning()) {
      case Meaning::Builtin: {
        const auto builtin = static_cast<names::Builtin>(entity_.meaning.index());
        const types::FunctionScheme* scheme = types::find_function_scheme(builtin);
        hover_.code = scheme == nullptr ? names::builtin_text(builtin) : scheme->text;
        hover_.documentation = names::builtin_documentation(builtin);
        return true;
      }
      case Meaning::Party:
        hover_.code = fmt::format("party {}", node_.text());
        hover_.documentation = party_documentation(node_.text());
        return true;
      case Meaning::Device:
        hover_.code = fmt::format("device {}", node_.text());
        hover_.documentation =
            device_documentation(static_cast<names::Device>(entity_.meaning.index()));
        return true;
      case Meaning::Local:
      case Meaning::Nothing:
      case Meaning::Unknown:
      case Meaning::Item:
        return false;
    }
    return false;
  }

  auto op() -> bool {
    types::Operator found{};
    const uint8_t arity = parent().is(NodeKind::UnaryExpression) ? 1 : 2;
    if (syntax::is_concatenation(parent()) && node_.field() == Field::Operator) {
      const check::BodyPtr body = snapshot_.body(entity_.in_item);
      const auto type_of = [&](Node at) { return text(body->type(at)); };
      hover_.code = fmt::format("{} ++ {} -> {}", type_of(parent().child(Field::Left)),
                                type_of(parent().child(Field::Right)), type_of(parent()));
      hover_.documentation = names::builtin_documentation(names::Builtin::Concat);
      return true;
    }
    if (node_.field() != Field::Operator || !types::find_operator(node_.kind(), arity, found)) {
      return false;
    }
    hover_.code = types::scheme_text(found);
    const check::BodyPtr body = snapshot_.body(entity_.in_item);
    const TypeId result = body->type(parent());
    const TypeId left = body->type(parent().child(arity == 1 ? Field::Operand : Field::Left));
    if (result == types::TypeStore::kError || left == types::TypeStore::kError) {
      return true;
    }
    const TypeId right = arity == 1 ? left : body->type(parent().child(Field::Right));
    hover_.code += arity == 1 ? fmt::format("\n{}{} -> {}", node_.text(), text(left), text(result))
                              : fmt::format("\n{} {} {} -> {}", text(left), node_.text(),
                                            text(right), text(result));
    const bool is_right_fixed = snapshot_.types()[right].dtype == types::DType::Fxp;
    hover_.documentation =
        operator_documentation(found, snapshot_.types()[is_right_fixed ? right : left]);
    return true;
  }

  /// A field of a record: where it is declared, or `y` of `(await f).y`.
  auto field() -> bool {
    const bool is_access = parent().is(NodeKind::FieldExpression) && node_.field() == Field::Field;
    const bool is_declared = parent().is(NodeKind::RecordField) && node_.field() == Field::Name;
    if (!is_access && !is_declared) {
      return false;
    }
    const TypeId type =
        is_access ? snapshot_.body(entity_.in_item)->type(parent()) : type_of_declared_field();
    if (type == types::TypeStore::kError) {
      return false;
    }
    hover_.code = fmt::format("{}: {}", node_.text(), text(type));
    say_visibility(type);
    return true;
  }

  /// A field where a record is written down: of a type item, or of the type of something else.
  [[nodiscard]] auto type_of_declared_field() const -> TypeId {
    const Node record = path_.size() >= 3 ? path_[path_.size() - 3] : Node();
    const bool is_alias = snapshot_.item_key(entity_.in_item).kind == names::ItemKind::Type;
    const TypeId type = is_alias ? snapshot_.query().get<types::TypeOfAlias>(entity_.in_item)
                                 : snapshot_.body(entity_.in_item)->type(record);
    const types::Type& data = snapshot_.types()[type];
    if (data.kind == types::TypeKind::Record) {
      for (const types::RecordField& field : snapshot_.types().fields(data.fields)) {
        if (snapshot_.interner().text(field.name) == node_.text()) {
          return field.type;
        }
      }
    }
    return types::TypeStore::kError;
  }

  /// The word `if`, which chooses a node.
  auto choice() -> bool {
    if (!node_.is(NodeKind::KwIf) || !parent().is(NodeKind::IfExpression)) {
      return false;
    }
    say_tags([&](const FunctionTags& tags) { return tags.of_choice(parent()); });
    hover_.code = "if";
    return !hover_.tags.empty();
  }

  /// The type of a result, in a head.
  auto result() -> bool {
    const auto at = std::find_if(path_.begin(), path_.end(),
                                 [](Node node) { return node.is(NodeKind::Result); });
    const bool is_type = at != path_.end() && at != path_.begin() &&
                         at->child(Field::Type).range().contains(node_.range());
    if (!is_type) {
      return false;
    }
    size_t ordinal = 0;
    for (const Node other : (at - 1)->children()) {
      if (other == *at) {
        break;
      }
      ordinal += other.is(NodeKind::Result) ? 1 : 0;
    }
    const auto signature = snapshot_.signature(entity_.in_item);
    if (ordinal >= signature->results.size()) {
      return false;
    }
    const TypeId type = signature->results[ordinal].type;
    hover_.code = text(type);
    say_visibility(type);
    say_tags([&](const FunctionTags& tags) { return tags.of_result(*at); });
    return true;
  }

  /// A number, in base 16 too, and the range of its type.
  auto literal() -> bool {
    const TypeId type = snapshot_.body(entity_.in_item)->type(entity_.node);
    if ((!node_.is(NodeKind::Integer) && !node_.is(NodeKind::Float)) ||
        type == types::TypeStore::kError) {
      return false;
    }
    hover_.code = fmt::format("{}: {}", node_.text(), text(type));
    const std::string other =
        node_.is(NodeKind::Integer) ? hexadecimal(node_.text()) : std::string();
    const std::string range = range_documentation(snapshot_.types()[type]);
    hover_.documentation = other.empty() ? range : fmt::format("`{}` · {}", other, range);
    return true;
  }

  auto keyword() -> bool {
    const std::string_view text = keyword_documentation(node_.kind());
    hover_.code = node_.text();
    hover_.documentation = text;
    return !text.empty();
  }

  auto expression() -> bool {
    const TypeId type = snapshot_.body(entity_.in_item)->type(entity_.node);
    if (type == types::TypeStore::kError) {
      return false;
    }
    hover_.code = text(type);
    return true;
  }

  [[nodiscard]] auto parent() const -> Node {
    return path_.size() >= 2 ? path_[path_.size() - 2] : Node();
  }
  [[nodiscard]] auto text(TypeId type) const -> std::string {
    return types::type_text(snapshot_.types(), snapshot_.interner(), type);
  }

  void say_visibility(TypeId type) {
    const types::Type& data = snapshot_.types()[type];
    const types::Type& inner =
        data.kind == types::TypeKind::Reference ? snapshot_.types()[data.element] : data;
    if (inner.kind == types::TypeKind::Value) {
      hover_.visibility = inner.visibility;
    }
  }

  template <class Find>
  void say_tags(const Find& find) {
    if (snapshot_.item_key(entity_.in_item).kind != names::ItemKind::Fn) {
      return;
    }
    snapshot_.query().run([&](query::Context& context) {
      const auto tags = FunctionTags::find(context, entity_.in_item);
      const infer::Annotation* found = tags ? find(*tags) : nullptr;
      if (found == nullptr) {
        return;
      }
      hover_.tags = tags->text(*found);
      // Everything but values is an encoder or future; those have a node in time.
      const bool is_value = found->tags.val.kind != infer::DimensionTag::Kind::None;
      if (is_value) {
        say_node(context, tags->val(), found->tags.val);
      } else if (is_handle_) {
        say_node(context, tags->tmln(), found->tags.tmln);
      }
    });
  }

  /// The node of a specification that a name in a coordinator function stands for.
  void say_node(query::Context& context, names::ItemId specification,
                const infer::DimensionTag& tag) {
    if (!is_name_ || tag.nodes.empty()) {
      return;
    }
    const auto& spec = context.get<infer::SpecificationOf>(specification)->graph;
    const names::ItemTree& tree = context.get<names::SyntaxOfItem>(specification);
    hover_.node = infer::spec_node_text(*spec, *tree, snapshot_.interner(), tag.nodes[0]);
    hover_.node_of = specification;
  }

  const FrontendSnapshot& snapshot_;
  const Entity& entity_;
  std::optional<TypeId> variable_type_;
  Node node_;
  std::vector<Node> path_;
  HoverData hover_;
  bool is_name_ = false;    ///< of something that implements a node
  bool is_handle_ = false;  ///< an encoder or future
};

}  // namespace

auto hover_on_variable(const FrontendSnapshot& snapshot, const Entity& entity, TypeId type)
    -> std::optional<HoverData> {
  return HoverWriter(snapshot, entity, type).write();
}

auto FrontendSnapshot::hover(FileId file, uint32_t offset) const -> std::optional<HoverData> {
  const std::optional<Entity> entity = entity_at(file, offset);
  return entity ? HoverWriter(*this, *entity, {}).write() : std::nullopt;
}

}  // namespace tacet::program
