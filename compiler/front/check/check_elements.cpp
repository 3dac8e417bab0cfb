#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/checker.h"

// `for x, y in a, b { … }` and `for x, y: a, b { … }`: loops over the elements of arrays.

namespace tacet::check {

using names::LocalKind;
using types::TypeKind;

auto is_array(Checker& checker, Term term) -> bool {
  const TypeKind kind = checker.inference.kind(term);
  const std::optional<types::ShapeId> shape = checker.inference.shape(term);
  return kind == TypeKind::Slice || kind == TypeKind::Array || (shape && *shape != types::kScalar);
}

/// Gives `variable` the type of the elements that it stands for.
static void declare_element(Checker& checker, Node variable, Term term) {
  const uint32_t local = local_of(checker, variable);
  if (local != names::Local::kNone) {
    checker.resolved.names.locals[local].kind = LocalKind::Element;
    checker.local_terms[local] = term;
  }
  set(checker, variable, term);
}

static auto plural(size_t n, std::string_view what) -> std::string {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// Reports what is not an array; false if something is.
static auto are_arrays(Checker& checker, const std::vector<Node>& arrays) -> bool {
  for (const Node array : arrays) {
    const Term term = checker.terms[array.index()];
    if (is_array(checker, term)) {
      continue;
    }
    if (!term.is_error() && !checker.inference.is_open(term)) {
      names::Draft draft = checker.report.add(
          DiagnosticCode::T2046, array.range(),
          fmt::format("a loop over the elements of {}, expected an array", text(checker, term)));
      draft.note(fmt::format("count up to a number with `for i in 0..{}`", array.text()));
    }
    return false;
  }
  return true;
}

/// Reports a name that two variables of one loop have.
static void different_names(Checker& checker, const std::vector<Node>& variables, size_t last) {
  for (size_t i = 0; i < last; ++i) {
    if (variables[i].text() == variables[last].text()) {
      checker.report
          .add(DiagnosticCode::T2046, variables[last].range(),
               fmt::format("two variables of one loop are called `{}`", variables[last].text()))
          .label(variables[i].range(), "the first one");
      return;
    }
  }
}

auto element_variables(Checker& checker, Node loop, const std::vector<Node>& arrays) -> int64_t {
  const std::vector<Node> variables = variables_of(loop);
  const bool fits = variables.size() == arrays.size();
  if (!fits && checker.tree.errors.empty()) {
    checker.report.add(DiagnosticCode::T2046,
                       cover(variables.front().range(), variables.back().range()),
                       fmt::format("{} for {}", plural(variables.size(), "variable"),
                                   plural(arrays.size(), "array")));
  }
  if (!are_arrays(checker, arrays) || !fits) {
    for (const Node variable : variables) {
      declare_element(checker, variable, Term());
    }
    return types::kUnknownExtent;
  }
  int64_t extent = types::kUnknownExtent;
  Node first;
  for (size_t i = 0; i < arrays.size(); ++i) {
    different_names(checker, variables, i);
    const Term term = checker.terms[arrays[i].index()];
    declare_element(checker, variables[i], without_outermost(checker, arrays[i], term, 0));
    const std::optional<types::ShapeId> shape = checker.inference.outer_shape(term);
    if (!shape) {
      checker.report
          .add(DiagnosticCode::T2012, arrays[i].range(),
               fmt::format("the length of {} is not known when compiling", text(checker, term)))
          .note("expected an array, `[T; n]`");
      continue;
    }
    const int64_t own = checker.types.extents(*shape).front();
    const bool differs = extent != types::kUnknownExtent && own != types::kUnknownExtent;
    if (differs && own != extent) {
      checker.report
          .add(DiagnosticCode::T2046, arrays[i].range(),
               fmt::format("this array has length {}, but the one beside it has length {}",
                           types::extent_text(checker.types, checker.interner, own),
                           types::extent_text(checker.types, checker.interner, extent)))
          .label(first.range(),
                 fmt::format("this is {}", text(checker, checker.terms[first.index()])))
          .note(
              "a loop over several arrays takes one element of each; shorten the longer one "
              "with a slice: `a[..n]`");
    }
    if (extent == types::kUnknownExtent) {
      extent = own;
      first = arrays[i];
    }
  }
  return extent;
}

}  // namespace tacet::check
