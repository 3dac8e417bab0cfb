#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/front/check/checker.h"
#include "engine/program/common/element_text.h"

/// Constants that become fixed-point numbers, and that a type has too few bits for: T2023.
namespace tacet::check {

using types::DType;

/// The fraction bits of a type that is `fxp`, or arrays of it.
static auto fraction_bits_of(const types::Type& type) -> std::optional<uint8_t> {
  if (type.kind != types::TypeKind::Value || type.dtype != DType::Fxp) {
    return std::nullopt;
  }
  return type.fraction_bits == 0 ? uint8_t{engine::kDefaultFractionBits} : type.fraction_bits;
}

static void fixed_constant(Checker& checker, Node at, Node written, uint8_t fraction_bits);
static void out_of_fixed_range(Checker& checker, Node at, uint8_t fraction_bits);

static auto fraction_bits_at(Checker& checker, Node at) -> std::optional<uint8_t> {
  return fraction_bits_of(checker.types[checker.inference.finish(checker.terms[at.index()])]);
}

/// Literals, and constants by their names.
static void fixed_literal(Checker& checker, Node value, uint8_t fraction_bits) {
  value = syntax::bare(value);
  if (value.is(NodeKind::Identifier)) {
    const names::ItemId item = checker.resolved.names.item(value.index());
    if (!item.has_value() || checker.table[item].kind != names::ItemKind::Const) {
      return;
    }
    const names::ItemTree tree = checker.context.get<names::HeadOfItem>(item).tree;
    fixed_constant(checker, value, names::item_node(*tree).child(Field::Value), fraction_bits);
    return;
  }
  fixed_constant(checker, value, value, fraction_bits);
}

static void fixed_constant(Checker& checker, Node at, Node written, uint8_t fraction_bits) {
  written = syntax::bare(written);
  if (written.is(NodeKind::UnaryExpression)) {
    written = syntax::bare(written.child(Field::Operand));
  }
  engine::Cell cell = 0;
  const bool is_number = written.is(NodeKind::Float) || written.is(NodeKind::Integer);
  if (!is_number || engine::parse_fixed(written.text(), fraction_bits, cell)) {
    return;
  }
  out_of_fixed_range(checker, at, fraction_bits);
}

/// Of an operand that is no fixed-point number yet: those are found where they stand.
static void fixed_integer(Checker& checker, Node value, uint8_t fraction_bits) {
  value = syntax::bare(value);
  if (value && !fraction_bits_at(checker, value)) {
    fixed_literal(checker, value, fraction_bits);
  }
}

/// What becomes fixed point beside an operand, as an argument of `min` and `max`, or by `as`.
static void promoted_literals(Checker& checker, Node at) {
  if (at.is(NodeKind::CastExpression)) {
    if (const auto bits = fraction_bits_at(checker, at)) {
      fixed_integer(checker, at.child(Field::Value), *bits);
    }
  } else if (at.is(NodeKind::BinaryExpression)) {
    const Node left = at.child(Field::Left);
    const Node right = at.child(Field::Right);
    if (const auto bits = fraction_bits_at(checker, left)) {
      fixed_integer(checker, right, *bits);
    } else if (const auto other = fraction_bits_at(checker, right)) {
      fixed_integer(checker, left, *other);
    }
  } else if (at.is(NodeKind::CallExpression)) {
    const names::Resolution function = checker.resolved.names.of(at.child(Field::Function).index());
    const bool is_extreme = function.is(names::Meaning::Builtin) &&
                            (function.index() == static_cast<uint32_t>(names::Builtin::Min) ||
                             function.index() == static_cast<uint32_t>(names::Builtin::Max));
    if (const auto bits = is_extreme ? fraction_bits_at(checker, at) : std::nullopt) {
      for (const Node argument : at.child(Field::Arguments).children()) {
        fixed_integer(checker, argument, *bits);
      }
    }
  } else if (at.is(NodeKind::Identifier)) {
    if (const auto bits = fraction_bits_at(checker, at)) {
      fixed_literal(checker, at, *bits);
    }
  }
}

static void out_of_fixed_range(Checker& checker, Node at, uint8_t fraction_bits) {
  checker.report
      .add(DiagnosticCode::T2023, at.range(),
           fmt::format("`{}` is out of range for `{}`", at.text(),
                       engine::element_type_name({engine::ElementKind::Fxp, fraction_bits})))
      .note(fmt::format("with {} fraction bits, values must be less than {}", int{fraction_bits},
                        uint64_t{1} << (63 - fraction_bits)));
}

/// The numbers of `[lo..hi]`.
static void fixed_range(Checker& checker, const IntegerRange& range) {
  const Node at = node_at(checker, range.node);
  const auto bits = fraction_bits_at(checker, at);
  const int64_t limit = bits ? int64_t{1} << std::min(63 - *bits, 62) : 0;
  if (bits && (range.lower < -limit || range.upper > limit)) {
    out_of_fixed_range(checker, at, *bits);
  }
}

void fixed_literals(Checker& checker) {
  const auto is_fixed = [&](TypeId type) {
    return fraction_bits_of(checker.types[type]).has_value();
  };
  const bool has_fixed =
      std::any_of(checker.local_terms.begin(), checker.local_terms.end(),
                  [&](Term term) { return is_fixed(checker.inference.finish(term)); }) ||
      std::any_of(checker.signature.results.begin(), checker.signature.results.end(),
                  [&](const types::SignatureResult& result) { return is_fixed(result.type); });
  for (const IntegerRange& range : checker.ranges) {
    fixed_range(checker, range);
  }
  for (const uint32_t literal : checker.literals) {
    if (const auto bits = fraction_bits_at(checker, node_at(checker, literal))) {
      fixed_literal(checker, node_at(checker, literal), *bits);
    }
  }
  for (uint32_t i = 0; i < checker.tree.nodes.size(); ++i) {
    const Node at = node_at(checker, i);
    if (at.is(NodeKind::Float)) {
      if (const auto bits = fraction_bits_at(checker, at)) {
        fixed_literal(checker, at, *bits);
      }
    } else if (has_fixed) {
      promoted_literals(checker, at);
    }
  }
}

}  // namespace tacet::check
