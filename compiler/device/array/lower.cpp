#include "compiler/device/array/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/array/lowering.h"
#include "compiler/device/array/shorten.h"
#include "engine/program/common/element_type.h"

namespace tacet::array {

using names::ItemKind;
using types::DType;
using types::TypeKind;

/// Larger arrays are refused: nobody could hold them.
static constexpr int64_t kMaxElements = int64_t{1} << 31;
/// Values that are nested deeper once inlined are not, which bounds recursion.
static constexpr uint32_t kMaxInlinedDepth = 600;

auto InliningChoice::numbered(uint64_t number, size_t n_lets) -> InliningChoice {
  InliningChoice choice;
  for (size_t i = 0; i < n_lets; ++i) {
    choice.is_inlined.push_back(i < 64 && (number >> i & 1) != 0);
  }
  return choice;
}

auto find_lets(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::vector<LetArray> {
  ItemText text = ItemText::of(snapshot, item);
  ItemLets lets(snapshot, text);
  std::vector<LetArray> result;
  for (uint32_t local : lets.candidates()) {
    result.push_back(lets.describe(local));
  }
  return result;
}

auto lower(const program::FrontendSnapshot& snapshot, names::ItemId item,
           const InliningChoice& choice) -> Lowering {
  return ItemLowering(snapshot, item, choice).run();
}

ItemLowering::ItemLowering(const program::FrontendSnapshot& snapshot, names::ItemId item,
                           const InliningChoice& choice)
    : snapshot_(snapshot) {
  frame_ = &add_frame(item, nullptr, {}, {});
  choose(choice);
}

auto ItemLowering::run() -> Lowering {
  check_item();
  if (diagnostics_.empty()) {
    find_fraction_bits();
    add_inputs();
  }
  if (diagnostics_.empty()) {
    check_faults();
    add_lets();
    add_result(text().result());
  }
  sort_diagnostics(diagnostics_);
  if (!diagnostics_.empty()) {
    return {std::nullopt, std::move(diagnostics_)};
  }
  return {without_unused(with_folded_constants(std::move(program_))), {}};
}

void ItemLowering::add_lets() {
  // In this order no statement waits for a long row of others.
  for (uint32_t local : lets().in_order_of_dependence()) {
    if (!is_inlined(local)) {
      const names::Local& data = this->local(local);
      materialised(lets().value_of(local), text_of(data.name),
                   text().place(text().node(data.node)));
    }
  }
}

void ItemLowering::check_item() {
  ItemKind kind = snapshot_.item_key(text().item).kind;
  syntax::Node item = names::item_node(*text().tree);
  if (kind == ItemKind::Program) {
    return;
  }
  bool is_device_function = kind == ItemKind::Fn && text().signature->is_device_function;
  if (kind != ItemKind::Val && !is_device_function) {
    report(DiagnosticCode::T6001, snapshot_.name_place(text().item),
           fmt::format("a {} cannot be an array program", names::kind_text(kind)),
           "array programs are `.tlhe` files, value specifications and device functions");
    return;
  }
  if (text().signature->results.size() != 1) {
    report(DiagnosticCode::T6001, snapshot_.name_place(text().item),
           fmt::format("`{}` has {} results, but an array program has exactly one",
                       text_of(snapshot_.item_key(text().item).name),
                       text().signature->results.size()),
           "write one function for each result");
    return;
  }
  check_statements(item.child(Field::Body));
}

/// In front of the result there is nothing but names for values.
void ItemLowering::check_statements(Node body) {
  Node result = text().result();
  for (Node child : body.children()) {
    bool is_result = child == result || child.is(NodeKind::ReturnStatement) ||
                     child.is(NodeKind::ReturnsStatement);
    bool is_binding = child.is(NodeKind::LetStatement) || child.is(NodeKind::Definition);
    if (syntax::is_named(child.kind()) && !is_result && !is_binding) {
      unsupported(
          child, "this statement",
          "name values with `let x = e;`; use `for i: n { e }`, `sum` and `product` in place of "
          "loops that assign");
    }
  }
  if (!result && diagnostics_.empty()) {
    unsupported(body, "a body without a final expression",
                "the last expression of the body is its result");
  }
}

/// Values that the result does not depend on are not lowered. None of them may have a fault, which
/// everybody would see.
void ItemLowering::check_faults() {
  const Node body = names::item_node(*text().tree).child(Field::Body);
  if (!body) {
    return;
  }
  for (uint32_t i = body.index(); i < body.subtree_end(); ++i) {
    const Node node = text().node(i);
    if (node.is(NodeKind::CallExpression) && !called_builtin(text(), node)) {
      called_frame(node);
    }
    if (!node.is(NodeKind::BinaryExpression)) {
      continue;
    }
    const NodeKind op = node.child(Field::Operator).kind();
    const bool divides = op == NodeKind::Slash || op == NodeKind::Percent;
    const bool shifts = op == NodeKind::LessLess || op == NodeKind::GreaterGreater ||
                        op == NodeKind::GreaterGreaterGreater;
    const Node right = syntax::bare(node.child(Field::Right));
    if ((!divides && !shifts) || right.is(NodeKind::Float)) {
      continue;
    }
    const std::optional<int64_t> number = lets().constant(right);
    const bool is_harmless = number && (divides ? *number != 0 : *number >= 0 && *number < 8);
    if (!is_harmless) {
      unsupported_operator(node);
    }
  }
}

void ItemLowering::choose(const InliningChoice& choice) {
  const std::vector<uint32_t>& candidates = lets().candidates();
  for (size_t i = 0; i < candidates.size(); ++i) {
    is_inlined_[candidates[i]] = i < choice.is_inlined.size() && choice.is_inlined[i];
  }
  std::map<uint32_t, uint32_t> depths;  // of what stands where an inlined name does
  for (uint32_t local : lets().in_order_of_dependence()) {
    Node value = lets().value_of(local);
    uint32_t nesting = 0;
    std::vector<uint32_t> ends;
    for (uint32_t i = value.index(); i < value.subtree_end(); ++i) {
      while (!ends.empty() && ends.back() <= i) {
        ends.pop_back();
      }
      ends.push_back(text().node(i).subtree_end());
      nesting = std::max(nesting, static_cast<uint32_t>(ends.size()));
    }
    uint32_t below = 0;
    for (uint32_t mentioned : lets().mentioned_in(value)) {
      below = std::max(below, depths[mentioned]);
    }
    bool& is_inlined = is_inlined_[local];
    is_inlined = is_inlined && nesting + below <= kMaxInlinedDepth;
    depths[local] = is_inlined ? nesting + below : 0;
  }
}

auto ItemLowering::check_size(const std::vector<int64_t>& extents, FileRange place) -> bool {
  int64_t n_elements = 1;
  for (int64_t extent : extents) {
    if (extent <= 0) {
      report(DiagnosticCode::T6003, place, "array is empty",
             "every dimension must have an extent of at least 1");
      return false;
    }
    if (__builtin_mul_overflow(n_elements, extent, &n_elements) || n_elements > kMaxElements) {
      report(DiagnosticCode::T6003, place,
             fmt::format("array has more than {} elements", kMaxElements),
             "values that are only summed need no array: reduce them where they are computed");
      return false;
    }
  }
  return true;
}

auto ItemLowering::owner_of(const types::SignatureParameter& parameter, FileRange place) -> Owner {
  std::string owner = parameter.owner.has_value() ? text_of(parameter.owner) : "";
  if (owner.empty()) {
    bool is_secret = snapshot_.types().visibility(parameter.type) == types::Visibility::Secret;
    return is_secret ? Owner::Client : Owner::Server;
  }
  if (owner != "client" && owner != "server") {
    report(
        DiagnosticCode::T6001, place,
        fmt::format("`{}` comes from party `{}`, expected `client` or `server`",
                    text_of(parameter.name), owner),
        "under encryption, values come from the client, which holds the key, or from the server");
  }
  return owner == "client" ? Owner::Client : Owner::Server;
}

static auto fraction_bits_of_type(const types::Type& type) -> uint8_t {
  const bool is_fixed = type.kind == TypeKind::Value && type.dtype == DType::Fxp;
  return !is_fixed                 ? uint8_t{0}
         : type.fraction_bits == 0 ? uint8_t{engine::kDefaultFractionBits}
                                   : type.fraction_bits;
}

auto ItemLowering::range_of_parameter(const types::SignatureParameter& parameter) const
    -> std::optional<Interval> {
  if (parameter.bound) {
    const auto range = types::least_and_greatest(*parameter.bound);
    return range ? std::optional(Interval{range->first, range->second}) : std::nullopt;
  }
  DType dtype = snapshot_.types()[parameter.type].dtype;
  uint32_t bits = types::dtype_bits(dtype);
  if (bits >= 64) {
    return std::nullopt;
  }
  if (types::is_signed_integer(dtype)) {
    return Interval{-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  }
  return Interval{0, (int64_t{1} << bits) - 1};
}

/// The places of parameters by ordinal: of the inputs of an array program, or in the item's head.
static auto parameter_places(const program::FrontendSnapshot& snapshot, const ItemText& text)
    -> std::vector<FileRange> {
  std::vector<FileRange> places;
  if (snapshot.item_key(text.item).kind == ItemKind::Program) {
    for (const names::FileItem& item : snapshot.items(text.file)->items) {
      if (item.kind == ItemKind::Input && item.name.has_value()) {
        places.push_back(snapshot.name_place(item.id));
      }
    }
    return places;
  }
  places.resize(text.signature->parameters.size(), snapshot.name_place(text.item));
  for (const names::Local& local : text.body->names.locals) {
    if (local.kind == names::LocalKind::Parameter && local.ordinal < places.size() &&
        local.node != names::Local::kNone) {
      places[local.ordinal] = text.place(text.node(local.node));
    }
  }
  return places;
}

void ItemLowering::add_inputs() {
  std::vector<FileRange> places = parameter_places(snapshot_, text());
  for (const types::SignatureParameter& parameter : text().signature->parameters) {
    add_input(parameter, places.at(parameters_.size()));
  }
}

void ItemLowering::add_input(const types::SignatureParameter& parameter, FileRange place) {
  Array array;
  array.name = array_names_.add(text_of(parameter.name));
  array.place = place;
  const types::Type& type = snapshot_.types()[parameter.type];
  const bool is_fixed = type.dtype == DType::Fxp;
  if (type.kind != TypeKind::Value || !(types::is_integer(type.dtype) || is_fixed)) {
    report(DiagnosticCode::T6001, array.place,
           fmt::format("`{}` has type `{}`, but array programs support only integers and `fxp`",
                       array.name,
                       types::type_text(snapshot_.types(), snapshot_.interner(), parameter.type)),
           "devices have no floating-point arithmetic; use the integers 0 and 1 for booleans");
  } else {
    array.extents = snapshot_.types().extents(type.shape);
    array.fraction_bits = is_fixed ? program_.fraction_bits : uint8_t{0};
    array.range = range_of_parameter(parameter);
    check_size(array.extents, array.place);
  }
  array.owner = owner_of(parameter, array.place);
  parameters_.push_back(program_.arrays.add(std::move(array)));
}

void ItemLowering::find_fraction_bits() {
  const auto meet = [&](types::TypeId type) {
    const uint8_t bits = fraction_bits_of_type(snapshot_.types()[type]);
    if (bits != 0 && program_.fraction_bits != 0 && bits != program_.fraction_bits) {
      report(DiagnosticCode::T6001, snapshot_.name_place(text().item),
             fmt::format("`fxp<{}>` is mixed with `fxp<{}>`", program_.fraction_bits, bits),
             "under encryption, all fixed-point numbers of a function have the same number of "
             "fraction bits");
    }
    program_.fraction_bits = program_.fraction_bits == 0 ? bits : program_.fraction_bits;
  };
  for (const types::SignatureParameter& parameter : text().signature->parameters) {
    meet(parameter.type);
  }
  for (const types::SignatureResult& result : text().signature->results) {
    meet(result.type);
  }
}

auto ItemLowering::fraction_bits_of(Node node) const -> uint8_t {
  const types::Type& type = snapshot_.types()[text().body->type(node)];
  // A constant is a number with a fraction, which becomes what it meets.
  const bool is_constant = type.kind == TypeKind::Value && type.dtype == DType::F64;
  return is_constant ? program_.fraction_bits : fraction_bits_of_type(type);
}

void ItemLowering::add_result(Node result) {
  Array array;
  const std::vector<types::SignatureResult>& results = text().signature->results;
  array.name = !results.empty() && results[0].name.has_value() ? text_of(results[0].name) : "out";
  array.place = text().place(result);
  array.extents = extents(result);
  add_statement(result, {}, std::move(array));
}

auto ItemLowering::materialised(Node node, const std::string& name, FileRange place) -> ArrayId {
  const FrameNode key = {frame_->id, node.index()};
  if (auto found = materialised_.find(key); found != materialised_.end()) {
    return found->second;
  }
  std::optional<ArrayId> id = constant_array(node, name, place);
  if (!id) {
    Array array;
    array.name = name;
    array.place = place;
    const std::vector<Variable>& variables = variables_of(node);
    for (const Variable& variable : variables) {
      array.extents.push_back(frames_[variable.frame]->lets.extent_of(variable.local));
    }
    std::vector<int64_t> own = extents(node);
    array.extents.insert(array.extents.end(), own.begin(), own.end());
    id = add_statement(node, variables, std::move(array));
  }
  materialised_[key] = *id;
  return *id;
}

auto ItemLowering::add_statement(Node node, const std::vector<Variable>& variables, Array array)
    -> ArrayId {
  std::unique_ptr<Scope> outer = std::move(scope_);
  scope_ = std::make_unique<Scope>(program_);
  array.owner = Owner::Computed;
  if (check_size(array.extents, array.place)) {
    std::vector<DimId> shape;
    Indices at;
    for (size_t i = 0; i < array.extents.size(); ++i) {
      bool is_variable = i < variables.size();
      std::string dim_name =
          is_variable ? name_of(variables[i]) : dimension_name(node, i - variables.size());
      shape.push_back(pool().new_dim(dim_name, array.extents[i]));
      if (is_variable) {
        scope_->variables[variables[i]] = index_along(shape.back());
      } else {
        at.push_back(index_along(shape.back()));
      }
    }
    ExprId root = expression(node, at);
    if (pool().is_full()) {
      report(DiagnosticCode::T6003, array.place,
             fmt::format("value needs more than {} operations", ExpressionPool::kMaxExpressions),
             "name repeated subexpressions with `let`");
    } else {
      array.name = array_names_.add(array.name);
      ArrayId id = program_.arrays.add(std::move(array));
      program_.statements.push_back(pool().finish(id, root, shape));
      scope_ = std::move(outer);
      return id;
    }
  }
  scope_ = std::move(outer);
  return program_.arrays.add(std::move(array));
}

}  // namespace tacet::array
