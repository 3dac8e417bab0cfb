#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/types/constant.h"

namespace tacet::check {

using names::LocalKind;
using names::Meaning;
using types::TypeKind;
using types::TypeStore;

static void check_affine(Checker& checker, Node index);

auto value_of_constant(Checker& checker, Node name) -> std::optional<int64_t> {
  const names::ItemId item = checker.resolved.names.item(name.index());
  return item.has_value() && checker.table[item].kind == names::ItemKind::Const
             ? checker.context.get<types::ValueOfConst>(item)
             : std::nullopt;
}

auto evaluate(Checker& checker, Node node) -> std::optional<int64_t> {
  const std::optional<int64_t> value =
      types::evaluate_constant(node, [&](Node name) { return value_of_constant(checker, name); });
  if (value) {
    return value;
  }
  const types::MaybeForm form = size_form(checker, node);
  return form && form->terms.empty() ? std::optional(form->constant) : std::nullopt;
}

/// The number that `node`, of type `term`, says.
static auto constant_extent(Checker& checker, Node node, Term term) -> int64_t {
  const std::optional<int64_t> value = evaluate(checker, node);
  if (value && *value >= 0) {
    return *value;
  }
  if (const types::MaybeForm form = size_form(checker, node); form && !form->terms.empty()) {
    require_length(checker, node, *form);
    return checker.types.extent(*form);
  }
  if (node && !term.is_error()) {
    checker.report
        .add(DiagnosticCode::T2012, node.range(),
             value ? fmt::format("negative array length {}", *value)
                   : "the length of an array must be a constant integer")
        .note("array lengths must be known at compile time");
  }
  return types::kUnknownExtent;
}

auto with_outermost(Checker& checker, int64_t extent, Term element) -> Term {
  element = checker.inference.resolve(element);
  if (element.is_error()) {
    return element;
  }
  std::vector<int64_t> extents = {extent};
  const std::optional<types::ShapeId> shape = checker.inference.outer_shape(element);
  if (shape) {
    const std::vector<int64_t>& rest = checker.types.extents(*shape);
    extents.insert(extents.end(), rest.begin(), rest.end());
  }
  const Term scalar = shape ? checker.inference.innermost(element) : element;
  return checker.inference.array(scalar, checker.types.shape(extents));
}

auto array(Checker& checker, Node node) -> Term {
  if (const Node range = range_in(node)) {
    return range_array(checker, range);
  }
  Term element = checker.inference.open();
  int64_t n = 0;
  Node first;
  for (Node child : node.children(Field::Element)) {
    const Term term = expression(checker, child);
    ++n;
    if (!meet(checker, element, term)) {
      checker.report
          .add(DiagnosticCode::T2001, child.range(),
               fmt::format("the elements of an array have different types: {} and {}",
                           text(checker, element), text(checker, term)))
          .label(first.range(), fmt::format("this is {}", text(checker, element)));
    }
    first = first ? first : child;
  }
  return with_outermost(checker, n, element);
}

auto for_expression(Checker& checker, Node node) -> Term {
  std::vector<Node> extents;
  for (Node extent : node.children(Field::Extent)) {
    expression(checker, extent);
    extents.push_back(extent);
  }
  const size_t n_variables = variables_of(node).size();
  const Term first = extents.empty() ? Term() : checker.terms[extents.front().index()];
  const bool counts =
      extents.size() <= 1 && n_variables <= 1 && (n_variables == 0 || !is_array(checker, first));
  const int64_t extent = counts ? constant_extent(checker, node.child(Field::Extent), first)
                                : element_variables(checker, node, extents);
  const Term body = expression(checker, node.child(Field::Body));
  return with_outermost(checker, extent, body);
}

/// `array` with dimension `dimension` taken out.
auto without_outermost(Checker& checker, Node node, Term array, uint64_t dimension) -> Term {
  array = checker.inference.resolve(array);
  if (array.is_error() || checker.inference.is_open(array)) {
    return array.is_error() ? array : checker.inference.open();
  }
  if (!array.is_variable()) {
    const types::Type& type = checker.types[array.type()];
    if (type.kind == TypeKind::Slice ||
        (type.kind == TypeKind::Array && checker.types.extents(type.shape).size() == 1)) {
      return checker.inference.term(type.element);
    }
  }
  const std::optional<types::ShapeId> shape = checker.inference.outer_shape(array);
  if (!shape || *shape == types::kScalar) {
    names::Draft draft =
        checker.report.add(DiagnosticCode::T2010, node.range(),
                           fmt::format("{} is not an array", text(checker, array)));
    if (checker.inference.referent(array)) {
      draft.note("dereference the array first: `(*a)[i]`");
    }
    size_t n_indices = 0;
    Node root = syntax::bare(node);
    for (; root.is(NodeKind::IndexExpression); root = syntax::bare(root.child(Field::Array))) {
      ++n_indices;
    }
    if (n_indices > 0 && root.is(NodeKind::Identifier)) {
      draft.note(fmt::format("`{}` is {}, which takes {}", root.text(),
                             text(checker, checker.terms[root.index()]),
                             n_indices == 1 ? "one index" : fmt::format("{} indices", n_indices)));
    }
    return {};
  }
  std::vector<int64_t> extents = checker.types.extents(*shape);
  if (dimension >= extents.size()) {
    checker.report
        .add(DiagnosticCode::T2010, node.range(),
             fmt::format("dimension {3} is out of range: {0} has {1} dimension{2}",
                         text(checker, array), extents.size(), extents.size() == 1 ? "" : "s",
                         dimension))
        .note("dimensions are counted from the outermost, 0");
    return {};
  }
  extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(dimension));
  return checker.inference.array(checker.inference.innermost(array), checker.types.shape(extents));
}

auto index(Checker& checker, Node node) -> Term {
  Node array = node.child(Field::Array);
  Node index = node.child(Field::Index);
  const Term base = expression(checker, array);
  const Term position = expression(checker, index);
  if (index) {
    const std::optional<types::DType> dtype = checker.inference.dtype(position);
    const bool is_integer =
        checker.inference.is_integer_literal(position) || checker.inference.is_open(position) ||
        position.is_error() ||
        (dtype && types::is_integer(*dtype) && checker.inference.shape(position) == types::kScalar);
    if (checker.inference.is_number_literal(position)) {
      checker.inference.unify(position, checker.inference.integer());
    }
    if (!is_integer) {
      checker.report.add(
          DiagnosticCode::T2001, index.range(),
          fmt::format("the index is {}, expected an integer", text(checker, position)));
    }
    check_affine(checker, index);
  }
  return without_outermost(checker, array, base, 0);
}

/// `len(a)`.
auto length_of(Checker& checker, Node call, const std::vector<Node>& arguments) -> Term {
  if (!count(checker, call, arguments, 1, 1)) {
    return {};
  }
  const Term array = checker.inference.resolve(checker.terms[arguments[0].index()]);
  without_outermost(checker, arguments[0], array, 0);
  if (checker.inference.kind(array) == TypeKind::Slice) {
    checker.report
        .add(DiagnosticCode::T2012, arguments[0].range(),
             fmt::format("the length of {} is not known when compiling", text(checker, array)))
        .note("`len` takes an array `[T; n]`");
    return {};
  }
  return checker.inference.integer();
}

namespace {

/// What an index says about the variables of `for` expressions.
enum class Degree : uint8_t { Free, Affine, Reported };

}  // namespace

/// Compilers move data by layouts only where indices are affine in the variables of
/// `for i: n { … }`: sums of constant multiples. Anything without such a variable may stand for
/// an integer.
static void check_affine(Checker& checker, Node index) {
  struct Walk {
    Checker& checker;

    auto degree(Node node) -> Degree {
      if (node.is(NodeKind::Identifier)) {
        const names::Local* local = checker.resolved.names.local(node.index());
        return local != nullptr && local->kind == LocalKind::Index ? Degree::Affine : Degree::Free;
      }
      if (node.is(NodeKind::ParenthesizedExpression) || node.is(NodeKind::TaggedExpression)) {
        return degree(node.child(Field::Value));
      }
      if (node.is(NodeKind::UnaryExpression)) {
        return degree(node.child(Field::Operand));
      }
      return node.is(NodeKind::BinaryExpression) ? binary(node) : Degree::Free;
    }

    auto binary(Node node) -> Degree {
      const Degree left = degree(node.child(Field::Left));
      const Degree right = degree(node.child(Field::Right));
      if (left == Degree::Reported || right == Degree::Reported) {
        return Degree::Reported;
      }
      if (left == Degree::Free && right == Degree::Free) {
        return Degree::Free;
      }
      Node token = node.child(Field::Operator);
      if (token.is(NodeKind::Plus) || token.is(NodeKind::Minus)) {
        return Degree::Affine;
      }
      const bool is_product = token.is(NodeKind::Star);
      if (is_product && (left == Degree::Free || right == Degree::Free)) {
        return Degree::Affine;
      }
      names::Draft draft = checker.report.add(
          DiagnosticCode::T2011, node.range(),
          is_product ? "product of two index variables in an index"
                     : fmt::format("operator `{}` applied to an index variable", token.text()));
      draft.note(
          "an index must be a sum of index variables, each times a constant: only accesses with a "
          "fixed stride can be laid out in ciphertexts");
      return Degree::Reported;
    }
  };
  Walk{checker}.degree(index);
}

}  // namespace tacet::check
