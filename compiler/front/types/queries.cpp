#include "compiler/front/types/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/instance.h"
#include "compiler/front/types/item_order.h"
#include "compiler/front/types/lower_type.h"
#include "compiler/front/types/solve_sizes.h"
#include "compiler/front/types/type_parameters.h"

namespace tacet::types {

using names::ItemId;
using names::ItemKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// The entry of `item` in a list sorted by item, or null.
template <class Entries>
auto find_entry(const Entries& entries, ItemId item) -> const typename Entries::value_type* {
  auto place =
      std::lower_bound(entries.begin(), entries.end(), item,
                       [](const auto& entry, ItemId wanted) { return entry.first < wanted; });
  return place != entries.end() && place->first == item ? &*place : nullptr;
}

template <class Known>
auto sorted(const Known& known) {
  std::vector<std::pair<ItemId, typename Known::mapped_type>> entries(known.begin(), known.end());
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return entries;
}

}  // namespace

auto AliasesOfFile::compute(query::Context& context, const Key& file) -> Value {
  const ItemOrder& order = *context.get<AliasOrderOfFile>(file);
  KnownItems known;
  known.file = file;
  known.kind = ItemKind::Type;
  for (const ItemId item : order.items) {
    const names::ItemHead& head = context.get<names::HeadOfItem>(item);
    TypeLowering lowering(context, file, nullptr, &known);
    known.aliases[item] = order.is_cyclic(item)
                              ? TypeStore::kError
                              : lowering.lower(names::item_node(*head.tree).child(Field::Type));
  }
  return sorted(known.aliases);
}

auto ConstantsOfFile::compute(query::Context& context, const Key& file) -> Value {
  const ItemOrder& order = *context.get<ConstantOrderOfFile>(file);
  KnownItems known;
  known.file = file;
  for (const ItemId item : order.items) {
    if (order.is_cyclic(item)) {
      continue;
    }
    const names::ItemHead& head = context.get<names::HeadOfItem>(item);
    TypeLowering lowering(context, file, nullptr, &known);
    if (auto value = lowering.constant(names::item_node(*head.tree).child(Field::Value))) {
      known.constants[item] = *value;
    }
  }
  return sorted(known.constants);
}

auto TypeOfAlias::compute(query::Context& context, const Key& item) -> Value {
  const FileId file = context.service<names::ItemTable>()[item].file;
  const auto* found = find_entry(context.get<AliasesOfFile>(file), item);
  return found == nullptr ? TypeStore::kError : found->second;
}

auto ValueOfConst::compute(query::Context& context, const Key& item) -> Value {
  const auto& table = context.service<names::ItemTable>();
  if (names::is_size(table[item])) {
    return table[table[item].parent].sizes.at(table[item].ordinal);
  }
  const FileId file = table[item].file;
  const auto* found = find_entry(context.get<ConstantsOfFile>(file), item);
  return found == nullptr ? std::nullopt : std::optional(found->second);
}

namespace {

/// `left op right` as a comparison with 0.
auto read_constraint(TypeLowering& lowering, Node node) -> std::optional<SizeConstraint> {
  if (node.is(NodeKind::ParenthesizedExpression)) {
    return read_constraint(lowering, node.child(Field::Value));
  }
  const MaybeForm left = lowering.size(node.child(Field::Left));
  const MaybeForm right = lowering.size(node.child(Field::Right));
  if (!node.is(NodeKind::BinaryExpression) || !left || !right) {
    return std::nullopt;
  }
  const NodeKind token = node.child(Field::Operator).kind();
  const bool is_less = token == NodeKind::Less || token == NodeKind::LessEqual;
  const bool is_strict = token == NodeKind::Less || token == NodeKind::Greater;
  MaybeForm form = is_less ? subtract(*right, *left) : subtract(*left, *right);
  form = form && is_strict ? subtract(*form, SizeForm{1}) : form;
  if (!form) {
    return std::nullopt;
  }
  if (is_less || is_strict || token == NodeKind::GreaterEqual) {
    return SizeConstraint{*form, SizeRelation::AtLeast};
  }
  if (token == NodeKind::EqualEqual || token == NodeKind::NotEqual) {
    return SizeConstraint{
        *form, token == NodeKind::EqualEqual ? SizeRelation::Equal : SizeRelation::Unequal};
  }
  return std::nullopt;
}

/// Reads the head of one item.
class SignatureReader {
 public:
  SignatureReader(query::Context& context, ItemId item, names::Report* report)
      : context_(context),
        item_(item),
        key_(context.service<names::ItemTable>()[item]),
        report_(report),
        interner_(context.service<Interner>()),
        lowering_(context, key_.file, report) {}

  auto read(Node node) -> Signature {
    result_.kind = key_.kind;
    switch (key_.kind) {
      case ItemKind::Val:
      case ItemKind::Tmln:
      case ItemKind::Sptl:
      case ItemKind::Extern:
        result_.is_pure = static_cast<bool>(node.child(Field::Purity));
        if (key_.kind == ItemKind::Val) {
          sizes(node);
        }
        callable(node);
        read_class(item_);
        break;
      case ItemKind::Fn:
        result_.is_device_function = static_cast<bool>(node.child(Field::Device));
        sizes(node);
        callable(node);
        implemented();
        break;
      case ItemKind::Program:
        program();
        break;
      case ItemKind::Input:
        input(node);
        break;
      case ItemKind::Feq:
      case ItemKind::Type:
      case ItemKind::Const:
      case ItemKind::Party:
      case ItemKind::Pipeline:
      case ItemKind::Import:
      case ItemKind::Test:
        break;
    }
    return std::move(result_);
  }

 private:
  auto name(Node node) -> Name { return node ? interner_.intern(node.text()) : Name{}; }

  void callable(Node node) {
    devices(node);
    for (Node parameter : node.child(Field::Parameters).children()) {
      if (parameter.is(NodeKind::Parameter)) {
        add_parameter(parameter);
      } else if (parameter.is(NodeKind::FunctionParameter) && key_.functions.empty()) {
        add_function(parameter);
      }
    }
    narrow_devices();
    for (Node result : node.child(Field::Results).children()) {
      if (result.is(NodeKind::Result)) {
        const Node type = result.child(Field::Type);
        result_.results.push_back({name(result.child(Field::Name)), lowering_.lower(type),
                                   name(result.child(Field::Owner)),
                                   element_parameter(interner_, type, result_.type_parameters)});
        result_.results.back().tolerance = tolerance(result.child(Field::Tolerance));
      }
    }
  }

  /// Of results of device functions, that are fixed-point numbers.
  auto tolerance(Node node) -> std::optional<double> {
    if (!node) {
      return std::nullopt;
    }
    const std::string_view text = node.text();
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    const TypeId id = result_.results.back().type;
    const Type& type = context_.service<TypeStore>()[id];
    const bool has_reals =
        id == TypeStore::kError || (type.kind == TypeKind::Value && type.dtype == DType::Fxp);
    const int bits = type.fraction_bits == 0 ? engine::kDefaultFractionBits : type.fraction_bits;
    const double rounding = std::ldexp(0.5, -bits);
    const bool is_possible = number > rounding;
    if (is_possible && has_reals && result_.is_device_function) {
      return number;
    }
    if (report_ == nullptr) {
      return std::nullopt;
    }
    const bool is_of_reals = has_reals && result_.is_device_function;
    names::Draft draft = report_->add(
        DiagnosticCode::T6014, node.range(),
        !(number > 0) ? "a tolerance must be positive"
        : !is_of_reals
            ? "only results of `fxp` of device functions can have a tolerance"
            : fmt::format("results are rounded by up to {:.2g}, which is more", rounding));
    if (number > 0 && is_of_reals) {
      draft.note(fmt::format("use more fraction bits: `fxp<{}>`", std::ilogb(1 / number) + 2));
    }
    return std::nullopt;
  }

  void devices(Node node) {
    bool is_first = true;
    for (Node name : node.children(Field::Device)) {
      names::Device device{};
      if (names::find_device(name.text(), device)) {
        if (is_first) {
          result_.device = device;
        } else if (device != result_.device) {
          result_.second_device = device;
        }
      }
      is_first = false;
    }
  }

  void sizes(Node node) {
    const SizeScope scope = sizes_of_head(context_, item_, node);
    lowering_.use_sizes(scope);
    if (key_.sizes.empty()) {
      for (const auto& [name, form] : scope) {
        result_.sizes.push_back(name);
      }
    }
    lowering_.use_types(types_of_head(context_, item_, node));
    if (key_.types.empty()) {
      result_.type_parameters = type_parameters_of(interner_, node);
    }
    for (Node condition : node.child(Field::Constraints).children(Field::Condition)) {
      if (const auto constraint = read_constraint(lowering_, condition)) {
        result_.constraints.push_back(*constraint);
      } else if (report_ != nullptr) {
        report_->add(DiagnosticCode::T2042, condition.range(), "this constraint is not supported")
            .note(
                "`where` compares sums of sizes by `>=`, `<=`, `>`, `<`, `==` or `!=`: `n >= k`, "
                "`n % 2 == 0`");
      }
    }
  }

  void add_parameter(Node node) {
    SignatureParameter parameter;
    parameter.name = name(node.child(Field::Name));
    Node type = node.child(Field::Type);
    parameter.type = lowering_.lower(type);
    parameter.type_parameter = element_parameter(interner_, type, result_.type_parameters);
    parameter.owner = name(node.child(Field::Owner));
    if (!type && report_ != nullptr && node.child(Field::Name) && node.tree()->errors.empty()) {
      report_
          ->add(DiagnosticCode::T2018, node.child(Field::Name).range(),
                fmt::format("parameter `{}` has no type", node.child(Field::Name).text()))
          .note(
              "parameters need explicit types, so that calls can be checked without the body of "
              "the function");
    }
    if (Node bound = node.child(Field::Bound)) {
      parameter.bound = lowering_.bound(bound, parameter.type);
      if (const auto open = lowering_.open_bound(bound)) {
        parameter.open_bound = OpenBound{open->first, open->second};
      }
    }
    result_.parameters.push_back(parameter);
  }

  /// `f: fn(secret T) -> secret T`
  void add_function(Node node) {
    const auto type_parameter = [&](Node type) {
      return element_parameter(interner_, type, result_.type_parameters);
    };
    const Node type = node.child(Field::Type);
    FunctionParameter function{name(node.child(Field::Name))};
    for (Node of_parameter : type.children(Field::Type)) {
      SignatureParameter parameter;
      parameter.type = lowering_.lower(of_parameter);
      parameter.type_parameter = type_parameter(of_parameter);
      function.parameters.push_back(parameter);
    }
    const Node result = type.child(Field::Result);
    function.result = {{}, lowering_.lower(result), {}, type_parameter(result)};
    result_.functions.push_back(std::move(function));
  }

  /// An instance of a function for both devices is for those of the functions that it is passed.
  void narrow_devices() {
    for (const names::FunctionValue& function : key_.functions) {
      if (!result_.second_device || !function.item.has_value()) {
        continue;
      }
      const auto& passed = context_.get<SignatureOf>(function.item);
      if (!passed->is_for(*result_.second_device)) {
        result_.second_device.reset();
      } else if (!passed->is_for(result_.device)) {
        result_.device = *result_.second_device;
        result_.second_device.reset();
      }
    }
  }

  void read_class(ItemId spec) {
    if (const auto& equivalence_class = context_.get<names::ClassOfItem>(spec)) {
      result_.class_item = equivalence_class->item;
      result_.n_dims = equivalence_class->n_dims;
    }
  }

  /// Of a specification with sizes, the instance that the types of the function say. The
  /// specification itself where they do not, or are open.
  auto instance_that_fits(ItemId specification) -> ItemId {
    const auto& specified = context_.get<SignatureOf>(specification);
    if (specified->sizes.empty()) {
      return specification;
    }
    const SizeSolution solution =
        sizes_of_implemented(context_.service<TypeStore>(), result_, *specified);
    std::vector<int64_t> values;
    for (const std::optional<FoundSize>& found : solution.found) {
      if (!found || !found->value.terms.empty()) {
        return specification;
      }
      values.push_back(found->value.constant);
    }
    return names::instance_of(context_.service<names::ItemTable>(), specification, values);
  }

  void implemented() {
    const names::Implemented& implemented = context_.get<names::ImplementedBy>(item_);
    result_.val = implemented.val.has_value() ? instance_that_fits(implemented.val) : ItemId();
    result_.tmln = implemented.tmln;
    result_.sptl = implemented.sptl;
    if (result_.val.has_value()) {
      read_class(result_.val);
    }
    if (key_.parent.has_value()) {
      read_class(item_);
    }
  }

  /// `input a: [4, 4] from client`: 64-bit integers, secret if they are the client's.
  void input(Node node) {
    SignatureParameter parameter;
    parameter.name = name(node.child(Field::Name));
    parameter.owner = name(node.child(Field::Owner));
    auto& types = context_.service<TypeStore>();
    lowering_.use_sizes(sizes_of_head(context_, item_, node));
    std::vector<int64_t> extents;
    for (Node extent : node.child(Field::Shape).children(Field::Extent)) {
      const MaybeForm form = lowering_.size(extent);
      extents.push_back(form ? types.extent(*form) : kUnknownExtent);
      if (!form && report_ != nullptr) {
        report_
            ->add(DiagnosticCode::T2042, extent.range(),
                  fmt::format("the length `{}` is not supported", extent.text()))
            .note("a length is a sum of numbers and of products of sizes: `n`, `2 * n + 1`, `n * m`");
      }
    }
    const bool is_secret = node.child(Field::Owner).text() != "server";
    const TypeId element =
        scalar_type(DType::I64, is_secret ? Visibility::Secret : Visibility::Public);
    parameter.type = types.array(element, extents);
    result_.parameters.push_back(parameter);
  }

  /// The result's type is known only when the body is.
  void program() {
    result_.device = names::Device::He;
    result_.is_device_function = true;
    for (const names::FileItem& input : context_.get<names::ItemsOfFile>(key_.file)->items) {
      if (input.kind == ItemKind::Input && input.name.has_value()) {
        const auto& signature = context_.get<SignatureOf>(input.id);
        result_.parameters.push_back(signature->parameters.front());
      }
    }
    const SizeScope scope = sizes_of_head(context_, item_, {});
    for (const auto& [name, form] : scope) {
      if (key_.sizes.empty()) {
        result_.sizes.push_back(name);
      }
    }
    auto& types = context_.service<TypeStore>();
    for (SignatureParameter& parameter : result_.parameters) {
      parameter.type =
          substitute_sizes(types, parameter.type, [&](const SizeAtom& atom) -> MaybeForm {
            const auto found = std::find_if(scope.begin(), scope.end(), [&](const auto& one) {
              return one.first == atom.name;
            });
            return found == scope.end() ? std::nullopt : MaybeForm(found->second);
          });
    }
  }

  query::Context& context_;
  ItemId item_;
  const names::ItemKey& key_;
  names::Report* report_;
  Interner& interner_;
  TypeLowering lowering_;
  Signature result_;
};

}  // namespace

auto sizes_of_implemented(TypeStore& types, const Signature& function, const Signature& specified)
    -> SizeSolution {
  SizeSolution solution{specified.sizes, {}, {}};
  solution.found.resize(specified.sizes.size());
  const auto add = [&](const auto& patterns, const auto& actual) {
    for (uint32_t i = 0; i < patterns.size() && i < actual.size(); ++i) {
      const Type& data = types[actual[i].type];
      if (data.kind == TypeKind::Value) {
        add_equations(types, patterns[i].type, types.extents(data.shape), i, solution);
      }
    }
  };
  add(specified.parameters, function.parameters);
  add(specified.results, function.results);
  solve(types, solution);
  return solution;
}

auto read_signature(query::Context& context, ItemId item, Node node, names::Report* report)
    -> Signature {
  return SignatureReader(context, item, report).read(node);
}

auto SignatureOf::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemKey& key = context.service<names::ItemTable>()[item];
  if (key.kind == ItemKind::Feq) {
    const auto& equivalence_class = context.get<names::ClassOfItem>(item);
    for (ItemId member : equivalence_class->members) {
      if (context.service<names::ItemTable>()[member].kind != ItemKind::Fn) {
        return context.get<SignatureOf>(member);
      }
    }
    return equivalence_class->members.empty()
               ? std::make_shared<const Signature>(Signature{.kind = ItemKind::Feq})
               : context.get<SignatureOf>(equivalence_class->members.front());
  }
  const names::ItemHead& head = context.get<names::HeadOfItem>(item);
  return std::make_shared<const Signature>(
      read_signature(context, item, names::item_node(*head.tree), nullptr));
}

}  // namespace tacet::types
