#include "compiler/front/types/lower_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/types/columns.h"
#include "compiler/front/types/constant.h"
#include "compiler/front/types/queries.h"

namespace tacet::types {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

TypeLowering::TypeLowering(query::Context& context, FileId file, names::Report* report,
                           const KnownItems* known)
    : context_(context),
      file_(file),
      report_(report),
      known_(known),
      interner_(context.service<Interner>()),
      types_(context.service<TypeStore>()) {}

auto TypeLowering::find(names::Namespace space, Node name) const -> names::ItemId {
  return names::find_name(context_, file_, space, name.text());
}

auto TypeLowering::lower(Node node) -> TypeId {
  switch (syntax::type_kind(node.kind())) {
    case syntax::TypeKind::Primitive:
      return primitive(node);
    case syntax::TypeKind::Named:
      return named(node);
    case syntax::TypeKind::Array:
      return array(node);
    case syntax::TypeKind::Slice: {
      const TypeId element = lower(node.child(Field::Element));
      return element == TypeStore::kError ? element : types_.slice(element);
    }
    case syntax::TypeKind::Reference:
      return reference(node);
    case syntax::TypeKind::Record:
      return record(node);
    case syntax::TypeKind::Visible: {
      const TypeId type = lower(node.child(Field::Type));
      const bool is_secret = node.child(Field::Visibility).text() == "secret";
      if (has_columns(types_, type)) {  // `public` leaves the fields as they are declared
        const std::vector<bool> all(n_columns(types_, type), true);
        return is_secret ? with_secret_columns(types_, type, all) : type;
      }
      return types_.with_visibility(type, is_secret ? Visibility::Secret : Visibility::Public);
    }
    case syntax::TypeKind::Flagged:
      flags(node.child(Field::Flags));
      return lower(node.child(Field::Type));
    case syntax::TypeKind::Template:
      return with_argument(node);
    case syntax::TypeKind::Function:
    case syntax::TypeKind::None:
      break;
  }
  return TypeStore::kError;
}

auto TypeLowering::primitive(Node node) -> TypeId {
  Node word;
  for (Node child : node.children()) {
    word = child;
    break;
  }
  const std::string_view text = word ? word.text() : node.text();
  if (DType dtype{}; find_dtype(text, dtype)) {
    Node bits = node.child(Field::FractionBits);
    if (!bits) {
      return scalar_type(dtype);
    }
    const uint64_t n = names::parse_integer(bits.text()).value_or(0);
    if (n == 0 || n > 62) {
      if (report_ != nullptr) {
        report_->add(
            DiagnosticCode::T2024, bits.range(),
            fmt::format("`fxp<{}>`: a fixed-point number has 1 to 62 fraction bits", bits.text()));
      }
      return TypeStore::kError;
    }
    return types_.value(Visibility::Public, dtype, kScalar, static_cast<uint8_t>(n));
  }
  if (text == "Event") {
    return TypeStore::kEvent;
  }
  if (text == "BufferSpace") {
    return TypeStore::kBufferSpace;
  }
  if (text == "RngState") {
    return TypeStore::kRngState;
  }
  if (text == "Encoder") {
    return TypeStore::kEncoder;
  }
  return text == "Future" || text == "Fence" ? TypeStore::kFuture : TypeStore::kError;
}

auto TypeLowering::named(Node node) -> TypeId {
  for (const auto& [name, type] : scope_) {
    if (interner_.text(name) == node.child(Field::Name).text()) {
      return type;
    }
  }
  const names::ItemId item = find(names::Namespace::Type, node.child(Field::Name));
  if (!item.has_value()) {
    return TypeStore::kError;
  }
  const names::ItemKey& key = context_.service<names::ItemTable>()[item];
  if (known_ != nullptr && known_->kind == names::ItemKind::Type && key.file == known_->file) {
    auto found = known_->aliases.find(item);
    return found == known_->aliases.end() ? TypeStore::kError : found->second;
  }
  return context_.get<TypeOfAlias>(item);
}

auto TypeLowering::size(Node node) -> MaybeForm {
  return evaluate_form(types_, node, [&](Node name) -> MaybeForm {
    if (!name.is(NodeKind::Identifier)) {
      return std::nullopt;
    }
    for (const auto& [size, form] : sizes_) {
      if (interner_.text(size) == name.text()) {
        return form;
      }
    }
    const std::optional<int64_t> value = value_of(name);
    return value ? MaybeForm(SizeForm{*value}) : std::nullopt;
  });
}

auto TypeLowering::extent(Node node) -> int64_t {
  const MaybeForm form = size(node);
  if (form && (!form->terms.empty() || form->constant >= 0)) {
    return types_.extent(*form);
  }
  if (report_ != nullptr && !is_reported_elsewhere(node)) {
    const bool is_form = !sizes_.empty() && !node.is(NodeKind::Identifier);
    report_
        ->add(DiagnosticCode::T2012, node.range(),
              form ? fmt::format("negative array length {}", form->constant)
                   : "the length of an array must be a constant integer")
        .note(is_form ? "array lengths are sums of products of at most four size parameters and "
                        "constants, and quotients of such sums by a number"
                      : "array lengths must be known at compile time");
  }
  return kUnknownExtent;
}

/// Is a name in it unknown, or no size and no number?
auto TypeLowering::is_reported_elsewhere(Node node) -> bool {
  for (uint32_t i = node.index(); i < node.subtree_end(); ++i) {
    const Node name(node.tree(), i);
    const bool is_size = std::any_of(sizes_.begin(), sizes_.end(), [&](const auto& size) {
      return interner_.text(size.first) == name.text();
    });
    if (name.is(NodeKind::Identifier) && !is_size && !names_a_number(name)) {
      return true;
    }
  }
  return false;
}

/// False for names that are unknown, and for constants made of other names: what is wrong with
/// those is said there.
auto TypeLowering::names_a_number(Node name) -> bool {
  const names::ItemId item = find(names::Namespace::Value, name);
  if (!item.has_value()) {
    return false;
  }
  const names::ItemHead& head = context_.get<names::HeadOfItem>(item);
  Node value = names::item_node(*head.tree).child(Field::Value);
  return !mentions(value, NodeKind::Identifier);
}

auto TypeLowering::array(Node node) -> TypeId {
  const TypeId element = lower(node.child(Field::Element));
  std::vector<int64_t> extents;
  for (Node size : node.children(Field::Extent)) {
    extents.push_back(extent(size));
  }
  if (extents.empty()) {
    extents.push_back(kUnknownExtent);  // a syntax error
  }
  return types_.array(element, extents);
}

auto TypeLowering::reference(Node node) -> TypeId {
  const TypeId referent = lower(node.child(Field::Referent));
  if (referent == TypeStore::kError) {
    return referent;
  }
  if (types_[referent].kind == TypeKind::Reference) {
    if (report_ != nullptr) {
      report_->add(DiagnosticCode::T2009, node.range(), "a reference cannot refer to a reference")
          .note("references refer to values; pass the inner reference directly");
    }
    return TypeStore::kError;
  }
  return types_.reference(referent);
}

auto TypeLowering::record(Node node) -> TypeId {
  std::vector<RecordField> fields;
  for (Node field : node.children()) {
    Node name = field.child(Field::Name);
    if (!field.is(NodeKind::RecordField) || !name) {
      continue;
    }
    Node type = field.child(Field::Type);
    const Name interned = interner_.intern(name.text());
    for (const RecordField& other : fields) {
      if (other.name == interned && report_ != nullptr) {
        report_->add(DiagnosticCode::T1002, name.range(),
                     fmt::format("field `{}` is declared twice", name.text()));
        break;
      }
    }
    const TypeId lowered = lower(type);
    names::Report* report = std::exchange(report_, nullptr);  // its flags were checked
    fields.push_back({interned, lowered, flags(type.child(Field::Flags))});
    report_ = report;
  }
  return types_.record(fields);
}

auto TypeLowering::flags(Node node) -> uint8_t {
  static constexpr std::pair<std::string_view, BufferFlag> kFlags[] = {
      {"storage", BufferFlag::Storage},    {"map_read", BufferFlag::MapRead},
      {"map_write", BufferFlag::MapWrite}, {"copy_src", BufferFlag::CopySrc},
      {"copy_dst", BufferFlag::CopyDst},   {"uniform", BufferFlag::Uniform}};
  uint8_t result = 0;
  for (Node flag : node.children()) {
    Node name = flag.child(Field::Name);
    if (!name) {
      continue;
    }
    bool is_known = name.text() == "alignment_bits" || name.text() == "byte_size";
    for (const auto& [text, bit] : kFlags) {
      if (name.text() == text) {
        result = static_cast<uint8_t>(result | static_cast<uint8_t>(bit));
        is_known = true;
      }
    }
    if (!is_known && report_ != nullptr) {
      report_
          ->add(DiagnosticCode::T2026, name.range(), fmt::format("unknown flag `{}`", name.text()))
          .note(
              "the flags are `storage`, `map_read`, `map_write`, `copy_src`, `copy_dst` and "
              "`uniform`; the settings are `alignment_bits` and `byte_size`");
    }
  }
  return result;
}

auto TypeLowering::with_argument(Node node) -> TypeId {
  const TypeId outer = lower(node.child(Field::Type));
  const TypeId argument = lower(node.child(Field::Argument));
  flags(node.child(Field::Flags));
  if (outer == TypeStore::kError || argument == TypeStore::kError) {
    return TypeStore::kError;
  }
  if (outer != TypeStore::kEncoder && outer != TypeStore::kFuture) {
    if (report_ != nullptr) {
      report_
          ->add(DiagnosticCode::T2024, node.range(),
                fmt::format("`{}` takes no type argument", node.child(Field::Type).text()))
          .note("only `Encoder'R` and `Future'R` take one");
    }
    return TypeStore::kError;
  }
  if (types_[argument].kind != TypeKind::Record) {
    if (report_ != nullptr) {
      report_
          ->add(DiagnosticCode::T2024, node.child(Field::Argument).range(),
                fmt::format("{} needs a record type, found `{}`",
                            outer == TypeStore::kEncoder ? "an encoder" : "a future",
                            type_text(types_, interner_, argument)))
          .note("for example `Encoder'{ x: i64 }`");
    }
    return TypeStore::kError;
  }
  return outer == TypeStore::kEncoder ? types_.encoder(argument) : types_.future(argument);
}

auto TypeLowering::constant(Node node) -> std::optional<int64_t> {
  return evaluate_constant(node, [&](Node name) { return value_of(name); });
}

auto TypeLowering::value_of(Node name) -> std::optional<int64_t> {
  if (!name.is(NodeKind::Identifier)) {
    return std::nullopt;
  }
  const names::ItemId item = find(names::Namespace::Value, name);
  if (!item.has_value()) {
    return std::nullopt;
  }
  const names::ItemKey& key = context_.service<names::ItemTable>()[item];
  if (known_ != nullptr && known_->kind == names::ItemKind::Const && key.file == known_->file) {
    auto found = known_->constants.find(item);
    return found == known_->constants.end() ? std::nullopt : std::optional(found->second);
  }
  return context_.get<ValueOfConst>(item);
}

auto sizes_of_head(query::Context& context, names::ItemId item, Node root) -> SizeScope {
  auto& interner = context.service<Interner>();
  const std::vector<int64_t>& values = context.service<names::ItemTable>()[item].sizes;
  SizeScope sizes;
  const names::ItemKind kind = context.service<names::ItemTable>()[item].kind;
  if (kind == names::ItemKind::Program || kind == names::ItemKind::Input) {
    for (const Name name : names::sizes_of_program(context, item)) {
      const size_t ordinal = sizes.size();
      sizes.emplace_back(
          name, ordinal < values.size() ? SizeForm{values[ordinal]} : size_parameter(name));
    }
    return sizes;
  }
  for (Node parameter : root.child(Field::Sizes).children()) {
    if (!parameter.is(NodeKind::SizeParameter)) {
      continue;
    }
    const Name name = interner.intern(parameter.child(Field::Name).text());
    const size_t ordinal = sizes.size();
    sizes.emplace_back(name,
                       ordinal < values.size() ? SizeForm{values[ordinal]} : size_parameter(name));
  }
  return sizes;
}

}  // namespace tacet::types
