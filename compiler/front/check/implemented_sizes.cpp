#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using types::MaybeForm;
using types::Signature;
using types::SizeAtom;
using types::SizeConstraint;
using types::SizeForm;
using types::SizeSolution;
using types::TypeId;

namespace {

/// A function and the specification that it implements.
struct Implementation {
  Checker& checker;
  Node implements;
  names::ItemId specification;
  const Signature& specified;
  SizeSolution solution;
};

}  // namespace

static auto name_of_specification(const Implementation& one) -> std::string_view {
  return one.checker.interner.text(one.checker.table[one.specification].name);
}

static auto report_sizes(const Implementation& one, std::string message) -> names::Draft {
  names::Draft draft =
      one.checker.report.add(DiagnosticCode::T2049, one.implements.range(), std::move(message));
  label_item(one.checker, draft, one.specification,
             fmt::format("`{}`", types::signature_text(one.checker.types, one.checker.interner,
                                                       one.specified, name_of_specification(one))));
  return draft;
}

static auto own_name(const Implementation& one) -> std::string_view {
  return one.checker.key.name.has_value() ? one.checker.interner.text(one.checker.key.name)
                                          : std::string_view("this function");
}

static auto is_determined(const Implementation& one) -> bool {
  for (size_t i = 0; i < one.solution.found.size(); ++i) {
    if (!one.solution.found[i]) {
      report_sizes(one,
                   fmt::format("the types of `{}` do not determine the size `{}` of `{}`",
                               own_name(one), one.checker.interner.text(one.specified.sizes[i]),
                               name_of_specification(one)));
      return false;
    }
  }
  return true;
}

/// Are these the types of the specification, apart from who knows the values?
template <class Ports>
static auto has_types(const Implementation& one, const Ports& mine, const Ports& specified)
    -> bool {
  Checker& checker = one.checker;
  const auto form_of = [&](const SizeAtom& atom) { return types::value_of(one.solution, atom); };
  const auto in_public = [&](TypeId type) {
    return checker.types.with_visibility(type, types::Visibility::Public);
  };
  return std::equal(mine.begin(), mine.end(), specified.begin(), specified.end(),
                    [&](const auto& a, const auto& b) {
                      return in_public(a.type) ==
                             in_public(types::substitute_sizes(checker.types, b.type, form_of));
                    });
}

static auto has_its_types(const Implementation& one) -> bool {
  const Signature& mine = one.checker.signature;
  const bool has_parameters = has_types(one, mine.parameters, one.specified.parameters);
  if (has_parameters && has_types(one, mine.results, one.specified.results)) {
    return true;
  }
  report_sizes(one, fmt::format("the {} of `{}` are not those of `{}`",
                                has_parameters ? "results" : "parameters", own_name(one),
                                name_of_specification(one)));
  return false;
}

/// Does the specification exist for all sizes of the function?
static void meets_constraints(const Implementation& one) {
  Checker& checker = one.checker;
  const types::SizeFacts facts = facts_of_sizes(checker);
  std::vector<SizeConstraint> all = one.specified.constraints;
  for (const Name size : one.specified.sizes) {
    if (const MaybeForm least = types::subtract(types::size_parameter(size), SizeForm{1})) {
      all.push_back({*least, types::SizeRelation::AtLeast});
    }
  }
  for (const SizeConstraint& constraint : all) {
    const MaybeForm form = types::substitute(
        checker.types, constraint.form,
        [&](const SizeAtom& atom) { return types::value_of(one.solution, atom); });
    const SizeConstraint here{form.value_or(SizeForm{}), constraint.relation};
    const bool is_number = form && form->terms.empty();
    const types::SizeProof proof =
        is_number || !form ? types::SizeProof{} : types::prove(checker.types, facts, here);
    if (is_number ? types::holds(here) : proof.verdict == types::SizeVerdict::Proven) {
      continue;
    }
    names::Draft draft = report_sizes(
        one, fmt::format("`{}` needs `{}`, which is not so for all sizes of `{}`",
                         name_of_specification(one),
                         types::constraint_text(checker.types, checker.interner, constraint),
                         own_name(one)));
    if (proof.verdict == types::SizeVerdict::Refuted) {
      draft.note(
          fmt::format("it does not hold for {}", types::example_text(checker.interner, proof)));
    }
    draft.note("add the constraint behind the results: `where …`");
    return;
  }
}

void implemented_sizes(Checker& checker, Node root) {
  const Node implements = root.child(Field::Implements);
  const names::ItemId val =
      implements ? checker.context.get<names::ImplementedBy>(checker.item).val : names::ItemId();
  const bool has_sizes = !checker.signature.sizes.empty();
  const bool has_types = !checker.signature.type_parameters.empty();
  if (!val.has_value()) {
    return;
  }
  const auto specified = checker.context.get<types::SignatureOf>(val);
  const Implementation one{
      checker, implements, val, *specified,
      types::sizes_of_implemented(checker.types, checker.signature, *specified)};
  if (has_types || (has_sizes && specified->sizes.empty())) {
    report_sizes(one, has_types
                          ? "a function with type parameters implements no specification"
                          : fmt::format("`{}` has size parameters, but its specification `{}` has "
                                        "none",
                                        own_name(one), name_of_specification(one)))
        .note(
            "write a function of known types and sizes that implements it and calls this one, or "
            "give the specification size parameters");
    return;
  }
  if (specified->sizes.empty() || !checker.tree.errors.empty()) {
    return;
  }
  if (is_determined(one) && has_its_types(one)) {
    meets_constraints(one);
  }
}

}  // namespace tacet::check
