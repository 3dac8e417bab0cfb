#include <fmt/format.h>

#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/names/instance.h"

namespace tacet::check {

using names::LocalKind;
using types::DType;
using types::TypeStore;

static void pending_fields(Checker& checker);
static void unresolved_locals(Checker& checker);
static void literal_ranges(Checker& checker);
static void constant_ranges(Checker& checker);
static void float_literals(Checker& checker);

void finish(Checker& checker) {
  retry_deferred(checker);
  pending_fields(checker);
  wanted_fields(checker);
  unresolved_locals(checker);
  literal_ranges(checker);
  constant_ranges(checker);
  float_literals(checker);
  prove_indices(checker);
  fixed_literals(checker);
  if (checker.has_secrets) {
    visibilities(checker);
  }
}

/// Fields that were read before they were encoded.
static void pending_fields(Checker& checker) {
  for (const PendingField& pending : checker.pending_fields) {
    if (auto found = checker.inference.field(pending.record, pending.name)) {
      checker.inference.unify(pending.result, *found);
      checker.inference.add_flags(pending.record, pending.name,
                                  static_cast<uint8_t>(types::BufferFlag::MapRead));
      continue;
    }
    Node name = node_at(checker, pending.node);
    names::Draft draft = checker.report.add(
        DiagnosticCode::T2014, name.range(),
        fmt::format("no value named `{}` was encoded before the encoder was submitted",
                    name.text()));
    std::vector<std::string_view> candidates;
    for (Name candidate : checker.inference.field_names(pending.record)) {
      candidates.push_back(checker.interner.text(candidate));
    }
    if (auto closest = closest_name(name.text(), candidates)) {
      draft.note(fmt::format("did you mean `{}`?", *closest));
      draft.replace(name.range(), fmt::format("write `{}`", *closest), std::string(*closest));
    }
    checker.inference.unify(pending.result, Term());
  }
}

static void unresolved_locals(Checker& checker) {
  if (checker.has_holes || !checker.report.is_empty() || !checker.tree.errors.empty() ||
      checker.key.kind == names::ItemKind::Sptl) {
    return;
  }
  for (uint32_t i = 0; i < checker.resolved.names.locals.size(); ++i) {
    const names::Local& local = checker.resolved.names.locals[i];
    const bool has_type = local.kind != LocalKind::Let && local.kind != LocalKind::Var;
    if (has_type || local.node == names::Local::kNone ||
        !checker.inference.is_open(checker.local_terms[i])) {
      continue;
    }
    Node name = node_at(checker, local.node);
    if (name.is(NodeKind::Wildcard)) {
      continue;
    }
    checker.report
        .add(DiagnosticCode::T2018, name.range(),
             fmt::format("cannot infer the type of `{}`", name.text()))
        .note(fmt::format("annotate the type, for example `{}: i64`", name.text()));
    return;
  }
}

/// The largest magnitude of an integer type, of its negative numbers or of the others.
static auto largest(DType dtype, bool is_negative) -> uint64_t {
  const uint32_t bits = types::dtype_bits(dtype);
  if (types::is_signed_integer(dtype)) {
    return (uint64_t{1} << (bits - 1)) - (is_negative ? 0 : 1);
  }
  return bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
}

static auto is_negated(Node literal) -> bool {
  const uint32_t index = literal.index();
  return index >= 2 && literal.tree()->nodes[index - 1].kind == NodeKind::Minus &&
         literal.tree()->nodes[index - 2].kind == NodeKind::UnaryExpression;
}

static auto fits_integer(Node literal, DType dtype) -> bool {
  const std::optional<uint64_t> value = names::parse_integer(literal.text());
  const bool is_negative = types::is_signed_integer(dtype) && is_negated(literal);
  return value && *value <= largest(dtype, is_negative);
}

static auto fits_integer(int64_t value, DType dtype) -> bool {
  if (value < 0) {
    return types::is_signed_integer(dtype) &&
           0 - static_cast<uint64_t>(value) <= largest(dtype, true);
  }
  return static_cast<uint64_t>(value) <= largest(dtype, false);
}

/// The kind of integers that `node` has or is an array of.
static auto integers_at(Checker& checker, Node node) -> std::optional<DType> {
  const types::Type& type = checker.types[checker.inference.finish(checker.terms[node.index()])];
  const bool are_integers = type.kind == types::TypeKind::Value && types::is_integer(type.dtype);
  return are_integers ? std::optional(type.dtype) : std::nullopt;
}

static void out_of_range(Checker& checker, Node node, DType dtype) {
  checker.report
      .add(DiagnosticCode::T2023, node.range(),
           fmt::format("`{}` is out of range for `{}`", node.text(), types::dtype_text(dtype)))
      .note(fmt::format("the largest `{}` is {}", types::dtype_text(dtype), largest(dtype, false)));
}

/// Literals that do not fit the type that was found for them.
static void literal_ranges(Checker& checker) {
  for (uint32_t index : checker.literals) {
    Node literal = node_at(checker, index);
    if (literal.range().length() <= 2) {
      continue;  // two digits fit every integer type
    }
    const std::optional<DType> dtype = integers_at(checker, literal);
    if (dtype && !fits_integer(literal, *dtype)) {
      out_of_range(checker, literal, *dtype);
    }
  }
  for (const IntegerRange& range : checker.ranges) {
    const Node node = node_at(checker, range.node);
    const std::optional<DType> dtype = integers_at(checker, node);
    const bool is_empty = range.lower == range.upper;
    if (dtype && !is_empty &&
        (!fits_integer(range.lower, *dtype) || !fits_integer(range.upper - 1, *dtype))) {
      out_of_range(checker, node, *dtype);
    }
  }
}

/// Is it a floating-point number, or an array of them?
static auto is_float_at(Checker& checker, uint32_t node) -> bool {
  const types::Type& type = checker.types[checker.inference.finish(checker.terms[node])];
  return type.kind == types::TypeKind::Value && types::is_float(type.dtype);
}

static void integer_for_float(Checker& checker, Node node) {
  const Term wanted(checker.inference.finish(checker.terms[node.index()]));
  names::Draft draft = checker.report.add(
      DiagnosticCode::T2001, node.range(),
      fmt::format("`{}` is an integer, expected {}", node.text(), text(checker, wanted)));
  write_as_fraction(checker, draft, node, wanted);
}

/// Integers among floating-point numbers: `[1, 2.5]`, if nothing makes that `fxp`.
static void float_literals(Checker& checker) {
  if (checker.key.kind == names::ItemKind::Const) {
    return;  // its uses say what it is
  }
  for (const uint32_t literal : checker.literals) {
    if (is_float_at(checker, literal)) {
      integer_for_float(checker, node_at(checker, literal));
    }
  }
}

/// Constants that do not fit the type that is required of them.
static void constant_ranges(Checker& checker) {
  for (uint32_t i = 0; i < checker.tree.nodes.size(); ++i) {
    const Node node = node_at(checker, i);
    const names::ItemId item =
        node.is(NodeKind::Identifier) ? checker.resolved.names.item(i) : names::ItemId();
    if (!item.has_value() || checker.table[item].kind != names::ItemKind::Const ||
        names::is_size(checker.table[item])) {
      continue;
    }
    if (is_float_at(checker, i) &&
        types::is_integer(checker.types[type_of_constant(checker, item)].dtype)) {
      integer_for_float(checker, node);
    }
    const std::optional<DType> dtype = integers_at(checker, node);
    if (!dtype || dtype == DType::I64) {
      continue;
    }
    const std::optional<int64_t> value = value_of_constant(checker, node);
    const Node written = value_node_of_constant(checker, item);
    bool fits = true;
    if (value) {
      fits = fits_integer(*value, *dtype);
    } else if (written && is_written_out(written)) {
      for (const Node part : syntax::subtree(written)) {
        fits = fits && (!part.is(NodeKind::Integer) || fits_integer(part, *dtype)) &&
               (!part.is(NodeKind::Minus) || types::is_signed_integer(*dtype));
      }
    }
    if (!fits) {
      out_of_range(checker, node, *dtype);
    }
  }
}

}  // namespace tacet::check
