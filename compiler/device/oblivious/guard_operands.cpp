#include "compiler/device/oblivious/guard_operands.h"

#include "compiler/device/oblivious/may_apply.h"
#include "compiler/device/oblivious/transform_expr.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;

static auto is_division(Operator op) -> bool {
  return op == Operator::Div || op == Operator::Mod;
}

auto OperandGuard::expr(StatementId at, ExprId id, Guarded guarded) -> ExprId {
  const auto same = [&](ExprId operand) { return expr(at, operand, guarded); };
  const auto& node = source_.exprs[id].node;
  if (std::holds_alternative<Binary>(node)) {
    return binary(at, id, guarded);
  }
  const auto* select = std::get_if<Select>(&node);
  if (select == nullptr || select->is_oblivious || !is_secret(at, select->condition)) {
    return with_operands(rewriting_.kernel, id, same);
  }
  const FileRange place = source_.exprs[id].place;
  writer_.set_place(place);
  rewriting_.rewrites.push_back({RewriteKind::Both, place, "both values are computed", {0, 1, 0}});
  const ExprId condition = same(select->condition);
  const ExprId then = expr(at, select->then, Guarded::All);
  const ExprId otherwise = expr(at, select->otherwise, Guarded::All);
  writer_.set_place(place);
  return writer_.pick(condition, then, otherwise);
}

auto OperandGuard::binary(StatementId at, ExprId id, Guarded guarded) -> ExprId {
  const Expr source = source_.exprs[id];
  Binary binary = std::get<Binary>(source.node);
  const bool becomes_both =
      is_logical(binary.op) && !binary.is_oblivious && is_secret(at, binary.left);
  const ExprId left = expr(at, binary.left, guarded);
  ExprId right = expr(at, binary.right, becomes_both ? Guarded::All : guarded);
  writer_.set_place(source.place);
  const bool is_bare = guarded == Guarded::All || !secrecy_.control(at).has_value();
  const bool shows_no_secret = binary.is_total && is_bare && !is_secret(at, binary.right);
  if (shows_no_secret) {
    return without_fault(binary, left, right);
  }
  if (left == binary.left && right == binary.right && !becomes_both) {
    return id;
  }
  if (becomes_both) {
    rewriting_.rewrites.push_back(
        {RewriteKind::Both, source.place, "both operands are computed", {}});
  }
  binary.left = left;
  binary.right = right;
  binary.is_oblivious = binary.is_oblivious || becomes_both;
  return rewriting_.kernel.exprs.add({binary, source.type, source.place});
}

auto OperandGuard::without_fault(const Binary& source, ExprId left, ExprId right) -> ExprId {
  if (!is_division(source.op)) {
    const unsigned width = engine::bit_width(source_.exprs[source.right].type.element.kind);
    const bool is_within = ranges_.of(source.right).is_within({0, width - 1});
    return writer_.binary(source.op, left, is_within ? right : distance(right));
  }
  if (engine::is_float(source_.exprs[source.right].type.element.kind) ||
      ranges_.is_nonzero(source.right)) {
    return writer_.binary(source.op, left, right);
  }
  const bool is_quotient = source.op == Operator::Div;
  const ExprId result = writer_.binary(source.op, left, divisor(right));
  const Type type = writer_.type(right);
  const ExprId zero = writer_.literal(type.element, 0);
  if (type.extents.empty() && writer_.type(left).extents.empty()) {
    return writer_.pick(writer_.binary(Operator::Neq, right, zero), result,
                        is_quotient ? zero : left);
  }
  // By 1 instead of 0 the remainder is 0, and the quotient is the dividend.
  const ExprId is_zero = writer_.as_number(writer_.binary(Operator::Eq, right, zero), type.element);
  const ExprId dividend = writer_.binary(Operator::Mul, left, is_zero);
  return writer_.binary(is_quotient ? Operator::Sub : Operator::Add, result, dividend);
}

auto OperandGuard::divisor(ExprId divisor) -> ExprId {
  const Type type = writer_.type(divisor);
  const ExprId zero = writer_.literal(type.element, 0);
  rewriting_.rewrites.push_back({RewriteKind::Operand,
                                 rewriting_.kernel.exprs[divisor].place,
                                 "a divisor of 0 is replaced by 1",
                                 {n_elements(type), n_elements(type), 0}});
  if (type.extents.empty()) {
    return writer_.pick(writer_.binary(Operator::Neq, divisor, zero), divisor,
                        writer_.literal(type.element, engine::one(type.element)));
  }
  return writer_.binary(
      Operator::Add, divisor,
      writer_.as_number(writer_.binary(Operator::Eq, divisor, zero), type.element));
}

auto OperandGuard::distance(ExprId distance) -> ExprId {
  const engine::ElementType type = writer_.type(distance).element;
  rewriting_.rewrites.push_back({RewriteKind::Operand,
                                 rewriting_.kernel.exprs[distance].place,
                                 "the shift distance is masked to the width",
                                 {}});
  return writer_.binary(
      Operator::And, distance,
      writer_.integer(static_cast<int64_t>(engine::bit_width(type.kind)) - 1, type));
}

namespace {

/// `id` with what is wanted of it guarded: all of it, or parts.
auto guarded_where_wanted(OperandGuard& guard, Rewriting& rewriting, StatementId at, ExprId id)
    -> ExprId {
  if (rewriting.wanted(rewriting.kernel.exprs[id].place)) {
    return guard.expr(at, id, OperandGuard::Guarded::Secrets);
  }
  return with_operands(rewriting.kernel, id, [&](ExprId operand) {
    return guarded_where_wanted(guard, rewriting, at, operand);
  });
}

}  // namespace

auto guard_operands(Rewriting& rewriting) -> bool {
  if (!may_guard_operands(rewriting)) {
    return false;
  }
  const Kernel source = rewriting.kernel;
  const Secrecy secrecy = analyse_secrecy(source);
  Ranges ranges(source);
  Writer writer(rewriting.kernel);
  OperandGuard guard(source, secrecy, ranges, rewriting, writer);
  bool is_changed = false;
  walk_statements(source, source.body, [&](StatementId id) {
    const bool is_wanted = rewriting.wanted(source.statements[id].place);
    replace_exprs(rewriting.kernel, id, [&](ExprId expr) {
      const ExprId guarded = is_wanted ? guard.expr(id, expr, OperandGuard::Guarded::Secrets)
                                       : guarded_where_wanted(guard, rewriting, id, expr);
      is_changed |= guarded != expr;
      return guarded;
    });
  });
  return is_changed;
}

}  // namespace tacet::oblivious
