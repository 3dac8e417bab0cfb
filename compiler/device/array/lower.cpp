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

/// Larger arrays are rejected: they would not fit into memory.
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

static auto run(ItemLowering& lowering) -> Lowering;
static void check_item(ItemLowering& lowering);
static void choose(ItemLowering& lowering, const InliningChoice& choice);
static void add_inputs(ItemLowering& lowering);
static void add_input(ItemLowering& lowering, const types::SignatureParameter& parameter,
                      FileRange place);
static void find_fraction_bits(ItemLowering& lowering);
static void add_result(ItemLowering& lowering, Node result);
static auto add_statement(ItemLowering& lowering, Node node, const std::vector<Variable>& variables,
                          Array array) -> ArrayId;

auto lower(const program::FrontendSnapshot& snapshot, names::ItemId item,
           const InliningChoice& choice) -> Lowering {
  ItemLowering lowering(snapshot, item, choice);
  return run(lowering);
}

ItemLowering::ItemLowering(const program::FrontendSnapshot& snapshot_, names::ItemId item,
                           const InliningChoice& choice)
    : snapshot(snapshot_) {
  frame = &add_frame(*this, item, nullptr, {}, {});
  choose(*this, choice);
}

static auto run(ItemLowering& lowering) -> Lowering {
  check_item(lowering);
  if (lowering.diagnostics.empty()) {
    find_fraction_bits(lowering);
    add_inputs(lowering);
  }
  if (lowering.diagnostics.empty()) {
    check_faults(lowering);
    add_lets(lowering);
    add_result(lowering, text(lowering).result());
  }
  sort_diagnostics(lowering.diagnostics);
  if (!lowering.diagnostics.empty()) {
    return {std::nullopt, std::move(lowering.diagnostics)};
  }
  return {without_unused(with_folded_constants(std::move(lowering.program))), {}};
}

void add_lets(ItemLowering& lowering) {
  // In this order no statement waits for a long row of others.
  for (uint32_t local : lets(lowering).in_order_of_dependence()) {
    if (!is_inlined(lowering, local)) {
      const names::Local& data = local_of(lowering, local);
      materialised(lowering, lets(lowering).value_of(local), text_of(lowering, data.name),
                   text(lowering).place(text(lowering).node(data.node)));
    }
  }
}

static void check_item(ItemLowering& lowering) {
  ItemKind kind = lowering.snapshot.item_key(text(lowering).item).kind;
  syntax::Node item = names::item_node(*text(lowering).tree);
  if (kind == ItemKind::Program) {
    return;
  }
  bool is_device_function = kind == ItemKind::Fn && text(lowering).signature->is_device_function;
  if (kind != ItemKind::Val && !is_device_function) {
    report(lowering, DiagnosticCode::T6001, lowering.snapshot.name_place(text(lowering).item),
           fmt::format("a {} cannot be an array program", names::kind_text(kind)),
           "array programs are `.tlhe` files, value specifications and device functions");
    return;
  }
  if (text(lowering).signature->results.size() != 1) {
    report(lowering, DiagnosticCode::T6001, lowering.snapshot.name_place(text(lowering).item),
           fmt::format("`{}` has {} results, but an array program has exactly one",
                       text_of(lowering, lowering.snapshot.item_key(text(lowering).item).name),
                       text(lowering).signature->results.size()),
           "write one function for each result");
    return;
  }
  check_statements(lowering, item.child(Field::Body));
}

/// In front of the result there is nothing but names for values.
void check_statements(ItemLowering& lowering, Node body) {
  Node result = text(lowering).result();
  for (Node child : body.children()) {
    bool is_result = child == result || child.is(NodeKind::ReturnStatement) ||
                     child.is(NodeKind::ReturnsStatement);
    bool is_binding = child.is(NodeKind::LetStatement) || child.is(NodeKind::Definition);
    if (syntax::is_named(child.kind()) && !is_result && !is_binding) {
      unsupported(
          lowering, child, "this statement",
          "name values with `let x = e;`; use `for i: n { e }`, `sum` and `product` in place of "
          "loops that assign");
    }
  }
  if (!result && lowering.diagnostics.empty()) {
    unsupported(lowering, body, "a body without a final expression",
                "the last expression of the body is its result");
  }
}

/// Values that the result does not depend on are not lowered. None of them may have a fault, which
/// everybody would see.
void check_faults(ItemLowering& lowering) {
  const Node body = names::item_node(*text(lowering).tree).child(Field::Body);
  if (!body) {
    return;
  }
  for (uint32_t i = body.index(); i < body.subtree_end(); ++i) {
    const Node node = text(lowering).node(i);
    if (node.is(NodeKind::CallExpression) && !called_builtin(text(lowering), node)) {
      called_frame(lowering, node);
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
    const std::optional<int64_t> number = lets(lowering).constant(right);
    const bool is_harmless = number && (divides ? *number != 0 : *number >= 0 && *number < 8);
    if (!is_harmless) {
      unsupported_operator(lowering, node);
    }
  }
}

static void choose(ItemLowering& lowering, const InliningChoice& choice) {
  const std::vector<uint32_t>& candidates = lets(lowering).candidates();
  for (size_t i = 0; i < candidates.size(); ++i) {
    lowering.is_inlined[candidates[i]] = i < choice.is_inlined.size() && choice.is_inlined[i];
  }
  std::map<uint32_t, uint32_t> depths;  // of what stands where an inlined name does
  for (uint32_t local : lets(lowering).in_order_of_dependence()) {
    Node value = lets(lowering).value_of(local);
    uint32_t nesting = 0;
    std::vector<uint32_t> ends;
    for (uint32_t i = value.index(); i < value.subtree_end(); ++i) {
      while (!ends.empty() && ends.back() <= i) {
        ends.pop_back();
      }
      ends.push_back(text(lowering).node(i).subtree_end());
      nesting = std::max(nesting, static_cast<uint32_t>(ends.size()));
    }
    uint32_t below = 0;
    for (uint32_t mentioned : lets(lowering).mentioned_in(value)) {
      below = std::max(below, depths[mentioned]);
    }
    bool& is_inlined = lowering.is_inlined[local];
    is_inlined = is_inlined && nesting + below <= kMaxInlinedDepth;
    depths[local] = is_inlined ? nesting + below : 0;
  }
}

auto check_size(ItemLowering& lowering, const std::vector<int64_t>& extents, FileRange place)
    -> bool {
  int64_t n_elements = 1;
  for (int64_t extent : extents) {
    if (extent <= 0) {
      report(lowering, DiagnosticCode::T6003, place, "array is empty",
             "every dimension must have an extent of at least 1");
      return false;
    }
    if (__builtin_mul_overflow(n_elements, extent, &n_elements) || n_elements > kMaxElements) {
      report(lowering, DiagnosticCode::T6003, place,
             fmt::format("array has more than {} elements", kMaxElements),
             "values that are only summed need no array: reduce them where they are computed");
      return false;
    }
  }
  return true;
}

static auto owner_of(ItemLowering& lowering, const types::SignatureParameter& parameter,
                     FileRange place) -> Owner {
  std::string owner = parameter.owner.has_value() ? text_of(lowering, parameter.owner) : "";
  if (owner.empty()) {
    bool is_secret =
        lowering.snapshot.types().visibility(parameter.type) == types::Visibility::Secret;
    return is_secret ? Owner::Client : Owner::Server;
  }
  if (owner != "client" && owner != "server") {
    report(
        lowering, DiagnosticCode::T6001, place,
        fmt::format("`{}` comes from party `{}`, expected `client` or `server`",
                    text_of(lowering, parameter.name), owner),
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

static auto range_of_parameter(const ItemLowering& lowering,
                               const types::SignatureParameter& parameter)
    -> std::optional<Interval> {
  if (parameter.bound) {
    const auto range = types::least_and_greatest(*parameter.bound);
    return range ? std::optional(Interval{range->first, range->second}) : std::nullopt;
  }
  DType dtype = lowering.snapshot.types()[parameter.type].dtype;
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

static void add_inputs(ItemLowering& lowering) {
  std::vector<FileRange> places = parameter_places(lowering.snapshot, text(lowering));
  for (const types::SignatureParameter& parameter : text(lowering).signature->parameters) {
    add_input(lowering, parameter, places.at(lowering.parameters.size()));
  }
}

static void add_input(ItemLowering& lowering, const types::SignatureParameter& parameter,
                      FileRange place) {
  Array array;
  array.name = lowering.array_names.add(text_of(lowering, parameter.name));
  array.place = place;
  const types::Type& type = lowering.snapshot.types()[parameter.type];
  const bool is_fixed = type.dtype == DType::Fxp;
  if (type.kind != TypeKind::Value || !(types::is_integer(type.dtype) || is_fixed)) {
    report(lowering, DiagnosticCode::T6001, array.place,
           fmt::format("`{}` has type `{}`, but array programs support only integers and `fxp`",
                       array.name,
                       types::type_text(lowering.snapshot.types(), lowering.snapshot.interner(),
                                        parameter.type)),
           "devices have no floating-point arithmetic; use the integers 0 and 1 for booleans");
  } else {
    array.extents = lowering.snapshot.types().extents(type.shape);
    array.fraction_bits = is_fixed ? lowering.program.fraction_bits : uint8_t{0};
    array.range = range_of_parameter(lowering, parameter);
    array.norm = parameter.bound ? parameter.bound->norm : std::nullopt;
    check_size(lowering, array.extents, array.place);
  }
  array.owner = owner_of(lowering, parameter, array.place);
  lowering.parameters.push_back(lowering.program.arrays.add(std::move(array)));
}

/// Of the item's fixed-point numbers, which must all have as many.
static void find_fraction_bits(ItemLowering& lowering) {
  const auto meet = [&](types::TypeId type) {
    const uint8_t bits = fraction_bits_of_type(lowering.snapshot.types()[type]);
    if (bits != 0 && lowering.program.fraction_bits != 0 &&
        bits != lowering.program.fraction_bits) {
      report(lowering, DiagnosticCode::T6001, lowering.snapshot.name_place(text(lowering).item),
             fmt::format("`fxp<{}>` is mixed with `fxp<{}>`", lowering.program.fraction_bits, bits),
             "under encryption, all fixed-point numbers of a function have the same number of "
             "fraction bits");
    }
    lowering.program.fraction_bits =
        lowering.program.fraction_bits == 0 ? bits : lowering.program.fraction_bits;
  };
  for (const types::SignatureParameter& parameter : text(lowering).signature->parameters) {
    meet(parameter.type);
  }
  for (const types::SignatureResult& result : text(lowering).signature->results) {
    meet(result.type);
  }
}

auto fraction_bits_of(const ItemLowering& lowering, Node node) -> uint8_t {
  const types::Type& type = lowering.snapshot.types()[text(lowering).body->type(node)];
  // A constant is a number with a fraction, which becomes what it meets.
  const bool is_constant = type.kind == TypeKind::Value && type.dtype == DType::F64;
  return is_constant ? lowering.program.fraction_bits : fraction_bits_of_type(type);
}

static void add_result(ItemLowering& lowering, Node result) {
  Array array;
  const std::vector<types::SignatureResult>& results = text(lowering).signature->results;
  array.name =
      !results.empty() && results[0].name.has_value() ? text_of(lowering, results[0].name) : "out";
  array.place = text(lowering).place(result);
  array.extents = extents(lowering, result);
  add_statement(lowering, result, {}, std::move(array));
}

auto materialised(ItemLowering& lowering, Node node, const std::string& name, FileRange place)
    -> ArrayId {
  const FrameNode key = {lowering.frame->id, node.index()};
  if (auto found = lowering.materialised.find(key); found != lowering.materialised.end()) {
    return found->second;
  }
  std::optional<ArrayId> id = constant_array(lowering, node, name, place);
  if (!id) {
    Array array;
    array.name = name;
    array.place = place;
    const std::vector<Variable>& variables = variables_of(lowering, node);
    for (const Variable& variable : variables) {
      array.extents.push_back(lowering.frames[variable.frame]->lets.extent_of(variable.local));
    }
    std::vector<int64_t> own = extents(lowering, node);
    array.extents.insert(array.extents.end(), own.begin(), own.end());
    id = add_statement(lowering, node, variables, std::move(array));
  }
  lowering.materialised[key] = *id;
  return *id;
}

static auto add_statement(ItemLowering& lowering, Node node, const std::vector<Variable>& variables,
                          Array array) -> ArrayId {
  std::unique_ptr<Scope> outer = std::move(lowering.scope);
  lowering.scope = std::make_unique<Scope>(lowering.program);
  array.owner = Owner::Computed;
  if (check_size(lowering, array.extents, array.place)) {
    std::vector<DimId> shape;
    Indices at;
    for (size_t i = 0; i < array.extents.size(); ++i) {
      bool is_variable = i < variables.size();
      std::string dim_name = is_variable ? name_of(lowering, variables[i])
                                         : dimension_name(lowering, node, i - variables.size());
      shape.push_back(pool(lowering).new_dim(dim_name, array.extents[i]));
      if (is_variable) {
        lowering.scope->variables[variables[i]] = index_along(shape.back());
      } else {
        at.push_back(index_along(shape.back()));
      }
    }
    ExprId root = expression(lowering, node, at);
    if (pool(lowering).is_full()) {
      report(lowering, DiagnosticCode::T6003, array.place,
             fmt::format("value needs more than {} operations", ExpressionPool::kMaxExpressions),
             "name repeated subexpressions with `let`");
    } else {
      array.name = lowering.array_names.add(array.name);
      ArrayId id = lowering.program.arrays.add(std::move(array));
      lowering.program.statements.push_back(pool(lowering).finish(id, root, shape));
      lowering.scope = std::move(outer);
      return id;
    }
  }
  lowering.scope = std::move(outer);
  return lowering.program.arrays.add(std::move(array));
}

}  // namespace tacet::array
