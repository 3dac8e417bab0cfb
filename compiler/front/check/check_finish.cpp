#include <fmt/format.h>

#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::LocalKind;
using types::DType;
using types::TypeStore;

void Checker::finish() {
  retry_deferred();
  pending_fields();
  wanted_fields();
  unresolved_locals();
  literal_ranges();
  fixed_literals();
  if (has_secrets_) {
    visibilities();
  }
}

/// Fields that were read before they were encoded.
void Checker::pending_fields() {
  for (const PendingField& pending : pending_fields_) {
    if (auto found = inference_.field(pending.record, pending.name)) {
      inference_.unify(pending.result, *found);
      inference_.add_flags(pending.record, pending.name,
                           static_cast<uint8_t>(types::BufferFlag::MapRead));
      continue;
    }
    Node name = node(pending.node);
    names::Draft draft =
        report_.add(DiagnosticCode::T2014, name.range(),
                    fmt::format("no value named `{}` was encoded before the encoder was submitted",
                                name.text()));
    std::vector<std::string_view> candidates;
    for (Name candidate : inference_.field_names(pending.record)) {
      candidates.push_back(interner_.text(candidate));
    }
    if (auto closest = closest_name(name.text(), candidates)) {
      draft.note(fmt::format("did you mean `{}`?", *closest));
      draft.replace(name.range(), fmt::format("write `{}`", *closest), std::string(*closest));
    }
    inference_.unify(pending.result, Term());
  }
}

void Checker::unresolved_locals() {
  if (has_holes_ || !report_.is_empty() || !tree_.errors.empty() ||
      key_.kind == names::ItemKind::Sptl) {
    return;
  }
  for (uint32_t i = 0; i < resolved_.names.locals.size(); ++i) {
    const names::Local& local = resolved_.names.locals[i];
    const bool has_type = local.kind != LocalKind::Let && local.kind != LocalKind::Var;
    if (has_type || local.node == names::Local::kNone || !inference_.is_open(local_terms_[i])) {
      continue;
    }
    Node name = node(local.node);
    if (name.is(NodeKind::Wildcard)) {
      continue;
    }
    report_
        .add(DiagnosticCode::T2018, name.range(),
             fmt::format("cannot infer the type of `{}`", name.text()))
        .note(fmt::format("annotate the type, for example `{}: i64`", name.text()));
    return;
  }
}

/// Literals that do not fit the type that was found for them.
void Checker::literal_ranges() {
  for (uint32_t index : literals_) {
    Node literal = node(index);
    if (literal.range().length() <= 2) {
      continue;  // two digits fit every integer type
    }
    const TypeId type = inference_.finish(terms_[index]);
    const types::Type& known = types_[type];
    if (known.kind != types::TypeKind::Value || !types::is_integer(known.dtype)) {
      continue;
    }
    const uint32_t bits = types::dtype_bits(known.dtype);
    const bool is_signed = types::is_signed_integer(known.dtype);
    uint64_t limit = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
    if (is_signed) {
      const bool is_negated = index >= 2 && tree_.nodes[index - 1].kind == NodeKind::Minus &&
                              tree_.nodes[index - 2].kind == NodeKind::UnaryExpression;
      limit = (uint64_t{1} << (bits - 1)) - (is_negated ? 0 : 1);
    }
    const std::optional<uint64_t> value = names::parse_integer(literal.text());
    if (!value || *value > limit) {
      report_
          .add(DiagnosticCode::T2023, literal.range(),
               fmt::format("`{}` is out of range for `{}`", literal.text(), text(type)))
          .note(fmt::format("the largest `{}` is {}", text(type),
                            is_signed ? (uint64_t{1} << (bits - 1)) - 1 : limit));
    }
  }
}

}  // namespace tacet::check
