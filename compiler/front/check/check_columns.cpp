#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/types/columns.h"

// Tuples and records as values of device functions: how records are made, and where two of them
// meet.

namespace tacet::check {

using types::RecordField;
using types::TypeKind;

auto is_of_columns(Checker& checker, Term term) -> bool {
  term = checker.inference.resolve(term);
  if (term.is_variable()) {
    const TypeKind kind = checker.inference.kind(checker.inference.innermost(term));
    return kind == TypeKind::Tuple || kind == TypeKind::Record;
  }
  return types::has_columns(checker.types, term.type());
}

/// `Person(age, salary)`: the fields of a record in the order of their declaration.
auto construct(Checker& checker, Node call, Node name, names::ItemId item) -> Term {
  const TypeId type = checker.context.get<types::TypeOfAlias>(item);
  const std::vector<Node> arguments = argument_nodes(call);
  std::vector<Term> given;
  for (const Node argument : arguments) {
    given.push_back(expression(checker, argument));
  }
  if (type == types::TypeStore::kError) {
    return {};
  }
  if (checker.types[type].kind != TypeKind::Record) {
    names::Draft draft = checker.report.add(
        DiagnosticCode::T2050, name.range(),
        fmt::format("`{}` is `{}`, which is not a record", name.text(), text(checker, type)));
    draft.note("a type that is called makes a record of the values of its fields");
    label_item(checker, draft, item, "declared here");
    return {};
  }
  const std::vector<RecordField>& fields = checker.types.fields(checker.types[type].fields);
  if (given.size() != fields.size() && checker.tree.errors.empty()) {
    std::string all;
    for (const RecordField& field : fields) {
      all += fmt::format("{}{}", all.empty() ? "" : ", ", checker.interner.text(field.name));
    }
    names::Draft draft =
        checker.report.add(DiagnosticCode::T2003, name.range(),
                           fmt::format("`{}` has {} field{}, but {} value{} given", name.text(),
                                       fields.size(), fields.size() == 1 ? "" : "s", given.size(),
                                       given.size() == 1 ? " was" : "s were"));
    draft.note(fmt::format("write `{}({})`", name.text(), all));
    label_item(checker, draft, item, "declared here");
    return {};
  }
  for (size_t i = 0; i < given.size() && i < fields.size(); ++i) {
    expect(checker, arguments[i], given[i], checker.inference.term(fields[i].type),
           fmt::format("field `{}`", checker.interner.text(fields[i].name)));
  }
  checker.has_secrets = checker.has_secrets || types::mentions_secret(checker.types, type);
  return Term(type);
}

auto field_of_elements(Checker& checker, Term array, Name name) -> std::optional<Term> {
  const Term record = checker.inference.innermost(array);
  std::optional<Term> field = checker.inference.field(record, name);
  const std::optional<types::ShapeId> shape = checker.inference.outer_shape(array);
  if (!field || !shape) {
    return std::nullopt;
  }
  const std::vector<int64_t> extents = checker.types.extents(*shape);
  for (size_t i = extents.size(); i-- > 0;) {
    field = with_outermost(checker, extents[i], *field);
  }
  return field;
}

auto requires_numbers(Checker& checker, Node node, Term term, std::string_view what) -> bool {
  if (checker.kind != BodyKind::Device || !is_of_columns(checker, term)) {
    return true;
  }
  names::Draft draft =
      checker.report.add(DiagnosticCode::T2051, node.range(),
                         fmt::format("{} cannot be applied to {}", what, text(checker, term)));
  draft.note("tuples and records are not numbers; use their members or fields");
  return false;
}

auto meet(Checker& checker, Term first, Term second) -> bool {
  if (!checker.inference.unify(first, second)) {
    return false;
  }
  if (checker.kind != BodyKind::Device || !is_of_columns(checker, first) ||
      !is_of_columns(checker, second)) {
    return true;
  }
  const TypeId a = checker.inference.finish(first);
  const TypeId b = checker.inference.finish(second);
  return types::matching_columns(checker.types, a, b) &&
         types::matching_columns(checker.types, b, a);
}

auto columns_at(Checker& checker, Node node) -> std::vector<bool> {
  const TypeId type = checker.inference.finish(checker.terms[node.index()]);
  const auto found = checker.secret_columns.find(node.index());
  if (found != checker.secret_columns.end()) {
    return found->second;
  }
  return std::vector<bool>(types::n_columns(checker.types, type),
                           visibility_of(checker, node.index()));
}

}  // namespace tacet::check
