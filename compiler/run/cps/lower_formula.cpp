#include "compiler/run/cps/lower_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/concatenation.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/types/queries.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cps {

using names::Builtin;
using names::ItemId;
using syntax::ExpressionKind;
using syntax::Field;
using Syntax = syntax::NodeKind;

FormulaLowering::FormulaLowering(ProgramLowering& program, ItemId item, FormulaSite site,
                                 const std::vector<syntax::Node>& operands)
    : program_(program),
      item_(item),
      site_(site),
      tree_(program.snapshot().tree(item)),
      body_(program.snapshot().body(item)),
      file_(program.snapshot().item_key(item).file),
      begin_(program.snapshot().item_begin(item)) {
  for (uint32_t i = 0; i < operands.size(); ++i) {
    operands_.emplace(operands[i].index(), i);
  }
}

auto FormulaLowering::lower(Node root) -> std::optional<Formula> {
  root.is(Syntax::AssignmentStatement) ? update(root) : part(root);
  return problem_.empty() ? std::optional(std::move(formula_)) : std::nullopt;
}

auto FormulaLowering::type(Node node) const -> TypeId {
  return program_.type(body_->type(syntax::bare(node)));
}

auto FormulaLowering::add(FormulaNode part, Node node) -> uint32_t {
  part.source = program_.place({file_, node.range().shifted(begin_)});
  formula_.nodes.push_back(std::move(part));
  return formula_.root();
}

auto FormulaLowering::fail(Node node, std::string what) -> uint32_t {
  if (problem_.empty()) {
    problem_ = std::move(what);
    problem_node_ = node;
  }
  return add({}, node);
}

auto FormulaLowering::convert(uint32_t part, TypeId from, TypeId to) -> uint32_t {
  if (from == to) {
    return part;
  }
  FormulaNode converted;
  converted.kind = FormulaKind::Convert;
  converted.type = to;
  converted.children = {part};
  converted.source = formula_.nodes[part].source;
  formula_.nodes.push_back(std::move(converted));
  return formula_.root();
}

auto FormulaLowering::part_as(Node node, TypeId type) -> uint32_t {
  const uint32_t made = part(node);
  return convert(made, this->type(node), type);
}

auto FormulaLowering::part(Node node) -> uint32_t {
  node = syntax::bare(node);
  if (auto found = operands_.find(node.index()); found != operands_.end()) {
    return operand(node, found->second);
  }
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
    case ExpressionKind::Dim:
      return name(node);
    case ExpressionKind::Integer:
    case ExpressionKind::Float:
    case ExpressionKind::Boolean:
      return literal(node);
    case ExpressionKind::Unary:
      return unary(node);
    case ExpressionKind::Binary:
      return binary(node);
    case ExpressionKind::Cast:
      return cast(node);
    case ExpressionKind::Conditional:
      return choice(node);
    case ExpressionKind::Array:
      return check::range_in(node) ? range_array(node) : array(node);
    case ExpressionKind::Index:
      return index(node);
    case ExpressionKind::For:
      return for_each(node);
    case ExpressionKind::Slice:
      return slice(node);
    case ExpressionKind::Let:
      return let_in(node);
    case ExpressionKind::Call:
      return call(node);
    case ExpressionKind::None:
    case ExpressionKind::Await:
    case ExpressionKind::EncodeBegin:
    case ExpressionKind::Field:
    case ExpressionKind::Hole:
    case ExpressionKind::If:
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::StatementHole:
    case ExpressionKind::String:
    case ExpressionKind::Submit:
    case ExpressionKind::Tagged:
    case ExpressionKind::Tuple:
      return fail(node, "this part of an array expression");
  }
  return fail(node, "this part of an array expression");
}

auto FormulaLowering::cast(Node node) -> uint32_t {
  FormulaNode cast;
  cast.kind = FormulaKind::Cast;
  cast.type = type(node);
  cast.children = {part(node.child(Field::Value))};
  return add(std::move(cast), node);
}

auto FormulaLowering::array(Node node) -> uint32_t {
  FormulaNode array;
  array.kind = FormulaKind::Array;
  for (Node element : node.children(Field::Element)) {
    array.children.push_back(part(element));
  }
  return add(std::move(array), node);
}

auto FormulaLowering::index(Node node) -> uint32_t {
  FormulaNode index;
  index.kind = FormulaKind::Index;
  const uint32_t array = part(node.child(Field::Array));
  index.children = {array, part(node.child(Field::Index))};
  return add(std::move(index), node);
}

static auto may_fail(syntax::Node node) -> bool {
  static constexpr Syntax kMayFail[] = {
      Syntax::Slash,          Syntax::Percent,         Syntax::LessLess,
      Syntax::GreaterGreater, Syntax::CallExpression,  Syntax::GreaterGreaterGreater,
      Syntax::Hole,           Syntax::AwaitExpression,
  };
  for (uint32_t i = node.index(); i < node.subtree_end(); ++i) {
    const Syntax kind = syntax::Node(node.tree(), i).kind();
    if (std::find(std::begin(kMayFail), std::end(kMayFail), kind) != std::end(kMayFail)) {
      return true;
    }
  }
  return false;
}

static auto lends(syntax::Node node) -> bool {
  for (uint32_t i = node.index(); i < node.subtree_end(); ++i) {
    const syntax::Node at(node.tree(), i);
    if (at.is(Syntax::UnaryExpression) && at.child(Field::Operator).is(Syntax::Amp)) {
      return true;
    }
  }
  return false;
}

/// An operand is computed once, before the formula. That must not make a difference.
auto FormulaLowering::operand(Node node, uint32_t number) -> uint32_t {
  if (site_ == FormulaSite::Function && !is_certain_ && may_fail(node)) {
    return fail(node, "an operand that may fail but is not always evaluated");
  }
  if (site_ == FormulaSite::Function && is_repeated_ && lends(node)) {
    return fail(node, "a call per element that may write to a variable");
  }
  FormulaNode operand;
  operand.kind = FormulaKind::Operand;
  operand.number = number;
  return add(std::move(operand), node);
}

auto FormulaLowering::name(Node node) -> uint32_t {
  const names::Resolution resolution = body_->names.of(node.index());
  if (resolution.is(names::Meaning::Local)) {
    if (auto found = variables_.find(resolution.index()); found != variables_.end()) {
      return variable(found->second, node);
    }
    return fail(node, "this variable in an assignment to an element");
  }
  const ItemId item = body_->names.item(node.index());
  auto cells = item.has_value()
                   ? interpret::constant_cells(program_.snapshot(), item, body_->type(node))
                   : std::nullopt;
  if (!cells) {
    return fail(node, "the use of this name as a value");
  }
  FormulaNode constant;
  constant.kind = FormulaKind::Literal;
  constant.type = type(node);
  constant.cells.assign(cells->begin(), cells->end());
  return add(std::move(constant), node);
}

auto FormulaLowering::literal(Node node) -> uint32_t {
  FormulaNode literal;
  literal.kind = FormulaKind::Literal;
  literal.type = type(node);
  literal.cells = {
      interpret::literal_cell(program_.program().types[literal.type].element, node.text())};
  return add(std::move(literal), node);
}

auto FormulaLowering::unary(Node node) -> uint32_t {
  const Node of = syntax::bare(node.child(Field::Operand));
  const Syntax token = node.child(Field::Operator).kind();
  if (token == Syntax::Star && operands_.contains(of.index())) {
    return part(of);  // the variable that is mentioned is what it refers to
  }
  FormulaNode unary;
  unary.kind = FormulaKind::Unary;
  if (!types::find_operator(token, 1, unary.op)) {
    return fail(node, "a reference in an array expression or an assignment to an element");
  }
  unary.children = {part(of)};
  return add(std::move(unary), node);
}

auto FormulaLowering::binary(Node node) -> uint32_t {
  if (syntax::is_concatenation(node)) {
    return concatenation(node, syntax::concatenated(node));
  }
  FormulaNode binary;
  binary.kind = FormulaKind::Binary;
  if (!types::find_operator(node.child(Field::Operator).kind(), 2, binary.op)) {
    return fail(node, "this operator");
  }
  const std::array<Node, 2> sides = {node.child(Field::Left), node.child(Field::Right)};
  auto data = [&](size_t i) { return program_.program().types[type(sides[i])]; };
  // An integer beside a fixed-point number becomes one.
  const engine::ElementType element =
      data(1).element.kind == engine::ElementKind::Fxp ? data(1).element : data(0).element;
  for (size_t i = 0; i < 2; ++i) {
    Type wanted = data(i);
    wanted.element = element;
    binary.children.push_back(part_as(sides[i], program_.type(wanted)));
  }
  return add(std::move(binary), node);
}

auto FormulaLowering::choice(Node node) -> uint32_t {
  FormulaNode choice;
  choice.kind = FormulaKind::Select;
  choice.children = {part(node.child(Field::Condition))};
  const bool was_certain = is_certain_;
  is_certain_ = false;
  for (Field field : {Field::Consequence, Field::Alternative}) {
    choice.children.push_back(part_as(node.child(field), type(node)));
  }
  is_certain_ = was_certain;
  return add(std::move(choice), node);
}

/// `for x, y: a, b { e }` is `let a', b' = a, b in for i: n { let x, y = a'[i], b'[i] in e }`.
auto FormulaLowering::for_each(Node node) -> uint32_t {
  const std::vector<Node> arrays = check::arrays_of(body_->names, node);
  const std::vector<Node> names = check::variables_of(node);
  std::vector<uint32_t> values;
  for (const Node array : arrays) {
    values.push_back(part(array));
  }
  const uint32_t counter = new_variable();
  std::vector<uint32_t> kept;
  std::vector<std::pair<uint32_t, uint32_t>> elements;
  for (size_t i = 0; i < names.size(); ++i) {
    const names::Resolution local = body_->names.of(names[i].index());
    if (arrays.empty() && local.is(names::Meaning::Local)) {
      variables_[local.index()] = counter;
    } else if (i < arrays.size() && local.is(names::Meaning::Local)) {
      kept.push_back(new_variable());
      const uint32_t array = variable(kept.back(), node);
      elements.emplace_back(new_variable(), element(array, variable(counter, node), node));
      variables_[local.index()] = elements.back().first;
    }
  }
  const uint64_t extent = extent_of(node);
  const bool was_certain = is_certain_;
  const bool was_repeated = is_repeated_;
  is_certain_ = is_certain_ && extent > 0;
  is_repeated_ = true;
  uint32_t body = part(node.child(Field::Body));
  is_certain_ = was_certain;
  is_repeated_ = was_repeated;
  for (size_t i = elements.size(); i-- > 0;) {
    body = let_variable(elements[i].first, elements[i].second, body, node);
  }
  body = each(counter, extent, body, node);
  for (size_t i = kept.size(); i-- > 0;) {
    body = let_variable(kept[i], values[i], body, node);
  }
  return body;
}

auto FormulaLowering::let_in(Node node) -> uint32_t {
  std::vector<Node> bindings;
  for (Node child : node.children()) {
    if (child.is(Syntax::Binding)) {
      bindings.push_back(child);
    }
  }
  FormulaNode let;
  let.kind = FormulaKind::Let;
  const names::Resolution name = bindings.size() == 1
                                     ? body_->names.of(bindings[0].child(Field::Name).index())
                                     : names::Resolution();
  if (!name.is(names::Meaning::Local)) {
    return fail(node, "several variables of one `let` in an array expression");
  }
  const uint32_t value =
      part_as(node.child(Field::Value), program_.type(body_->local_types[name.index()]));
  let.number = n_variables_++;
  variables_[name.index()] = let.number;
  let.children = {value, part(node.child(Field::Body))};
  return add(std::move(let), node);
}

auto FormulaLowering::call(Node node) -> uint32_t {
  const Node callee = syntax::bare(node.child(Field::Function));
  const names::Resolution function = body_->names.of(callee.index());
  if (function.is(names::Meaning::Builtin)) {
    return builtin(node, static_cast<Builtin>(function.index()));
  }
  const ItemId item = body_->names.item(callee.index());
  const auto signature = item.has_value() ? program_.snapshot().signature(item) : nullptr;
  if (!signature || signature->results.size() != 1) {
    return fail(node, "this call in an array expression or an assignment to an element");
  }
  for (const types::SignatureParameter& parameter : signature->parameters) {
    if (program_.program().types[program_.type(parameter.type)].kind != TypeKind::Value) {
      return fail(
          node,
          fmt::format("a call of `{}`, which has a parameter that is not a value, in an array "
                      "expression or an assignment to an element",
                      callee.text()));
    }
  }
  FormulaNode run;
  run.kind = FormulaKind::Run;
  run.text = program_.class_name(item);
  run.type = program_.type(signature->results[0].type);
  const Node grid = node.child(Field::Template);
  if (grid.is(Syntax::TemplateArguments)) {
    for (Node dimension : named_children(grid)) {
      run.children.push_back(part(dimension));
    }
  }
  run.n_dims = static_cast<uint32_t>(run.children.size());
  const std::vector<Node> arguments = named_children(node.child(Field::Arguments));
  for (size_t i = 0; i < arguments.size() && i < signature->parameters.size(); ++i) {
    run.children.push_back(part_as(arguments[i], program_.type(signature->parameters[i].type)));
  }
  if (site_ == FormulaSite::Function) {
    if (program_.draws(item)) {
      return fail(node, fmt::format("a call of `{}`, which draws random numbers, in an array "
                                    "expression or an assignment to an element",
                                    callee.text()));
    }
    run.kernel = program_.kernel_of(item);
  }
  return add(std::move(run), node);
}

/// An integer that is written down: a literal or a `const` of one.
auto FormulaLowering::whole_number(Node node) const -> std::optional<int64_t> {
  node = syntax::bare(node);
  if (const ItemId item = body_->names.item(node.index()); item.has_value()) {
    return program_.get<types::ValueOfConst>(item);
  }
  int64_t number = 0;
  const std::string_view text = node.text();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

auto FormulaLowering::reduce(Node whole, Node array, types::Operator op, int64_t dimension)
    -> uint32_t {
  FormulaNode reduction;
  reduction.kind = FormulaKind::Reduce;
  reduction.op = op;
  reduction.extent = static_cast<uint64_t>(dimension);
  Type counted = program_.program().types[type(array)];
  if (counted.element == engine::kBool) {
    counted.element = engine::kI64;  // truth values count as 0 and 1
  }
  reduction.children = {part_as(array, program_.type(counted))};
  return add(std::move(reduction), whole);
}

auto FormulaLowering::builtin(Node node, Builtin builtin) -> uint32_t {
  const std::vector<Node> arguments = named_children(node.child(Field::Arguments));
  if ((builtin == Builtin::Sum || builtin == Builtin::Product) && arguments.size() == 1) {
    return reduce(node, arguments[0],
                  builtin == Builtin::Sum ? types::Operator::Add : types::Operator::Mul, 0);
  }
  if (builtin == Builtin::Reduce && arguments.size() == 3) {
    const std::optional<int64_t> dimension = whole_number(arguments[1]);
    if (dimension && *dimension >= 0) {
      return reduce(node, arguments[2],
                    arguments[0].text() == "*" ? types::Operator::Mul : types::Operator::Add,
                    *dimension);
    }
  }
  if (builtin == Builtin::Rotate && arguments.size() == 2) {
    FormulaNode rotation;
    rotation.kind = FormulaKind::Rotate;
    const uint32_t array = part(arguments[0]);
    rotation.children = {array, part(arguments[1])};
    return add(std::move(rotation), node);
  }
  if (builtin == Builtin::Concat) {
    return concatenation(node, arguments);
  }
  if (names::is_random_draw(builtin)) {
    return fail(node, "a random draw");
  }
  return fail(node, "this use of a built-in function");
}

/// `a` of `a[i][j]`.
auto FormulaLowering::array_below(syntax::Node node) const -> syntax::Node {
  while (node.is(Syntax::IndexExpression)) {
    node = syntax::bare(node.child(Field::Array));
  }
  return node;
}

/// `a[i][j] = e`, on all variables that it mentions. What follows a secret index outside the array
/// is not written.
auto FormulaLowering::update(Node node) -> uint32_t {
  const Node target = syntax::bare(node.child(Field::Target));
  const uint32_t element = part_as(node.child(Field::Value), type(target));
  std::vector<Node> indices;
  for (Node at = target; at.is(Syntax::IndexExpression);
       at = syntax::bare(at.child(Field::Array))) {
    indices.insert(indices.begin(), at.child(Field::Index));
  }
  FormulaNode update;
  update.kind = FormulaKind::Update;
  for (size_t i = 0; i < indices.size(); ++i) {
    const bool is_secret = program_.source_types().visibility(
                               body_->type(syntax::bare(indices[i]))) != types::Visibility::Public;
    update.number |= is_secret ? 1U << i : 0U;
    update.children.push_back(part(indices[i]));
  }
  update.children.insert(update.children.begin(), part(array_below(target)));
  update.children.push_back(element);
  return add(std::move(update), node);
}

}  // namespace tacet::cps
