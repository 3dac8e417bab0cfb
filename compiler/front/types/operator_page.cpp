#include "compiler/front/types/operator_page.h"

#include <fmt/format.h>

#include "compiler/core/syntax/lexer.h"
#include "compiler/front/types/function_scheme.h"
#include "compiler/front/types/operator_scheme.h"

namespace tacet::types {

static auto set_text(OperandSet set) -> std::string_view {
  switch (set) {
    case OperandSet::All:
      return "any";
    case OperandSet::Numbers:
      return "numbers";
    case OperandSet::Integers:
      return "integers";
    case OperandSet::Booleans:
      return "`bool`";
    case OperandSet::Fixed:
      return "`fxp`";
  }
  return "";
}

static auto row(Operator op) -> std::string {
  const OperatorScheme& scheme = scheme_of(op);
  const std::string_view token = syntax::token_spelling(scheme.token);
  // A bar ends a cell of a table, in code too.
  std::string escaped;
  for (char c : token) {
    escaped += c == '|' ? "\\|" : std::string(1, c);
  }
  const std::string form =
      scheme.arity == 1 ? fmt::format("{}a", escaped) : fmt::format("a {} b", escaped);
  return fmt::format("| `{}` | `{}` | {} |\n", form, scheme_text(op), set_text(scheme.operands));
}

static auto row(names::Builtin function) -> std::string {
  const FunctionScheme& scheme = *find_function_scheme(function);
  return fmt::format("| `{}` | `{}` | {} |\n", scheme.form, scheme.text, set_text(scheme.operands));
}

auto operator_page() -> std::string {
  std::string page =
      "# Operators\n"
      "\n"
      "The type of an operator is a *scheme* over visibilities `V0`, `V1` and number kinds\n"
      "`D0`, `D1`. Hovers show the same text. `narrow` selects the stricter visibility: one\n"
      "`secret` operand makes the result `secret`. `promote` selects the more general kind: an\n"
      "integer and `fxp` give `fxp`. There are no other implicit conversions, so `D0` and `D1`\n"
      "are equal where `promote` does not apply.\n"
      "\n"
      "Operators work element by element on arrays of equal shape; scalars are broadcast.\n"
      "Literals take the kind that their context requires.\n\n"
      "`a ++ b` joins two [arrays](arrays.md) of equal elements. It binds weaker than `+`, and\n"
      "tighter than comparisons: `a ++ b + c == d` is `(a ++ (b + c)) == d`.\n"
      "\n"
      "| | scheme | `D0` is |\n"
      "|---|---|---|\n";
#define TACET_OPERATOR(Name, text, token, arity, operands, relation, result) \
  page += row(Operator::Name);
#include "engine/program/common/operators.def"
  page +=
      "\n"
      "`a if c else b` takes a `bool` and two values of equal kind and shape, and narrows all\n"
      "three; `t[i]` narrows `t` and `i`. `&x` and `*r` create and follow references; they are\n"
      "not operators on values.\n"
      "\n"
      "## Functions\n"
      "\n"
      "Device functions may call these. They work element by element, as operators do, except\n"
      "for the last three, which move elements along the outermost dimension of an array. Their\n"
      "results are described in [functions.md](functions.md).\n"
      "\n"
      "| | scheme | `D0` is |\n"
      "|---|---|---|\n";
#define TACET_FUNCTION_SCHEME(Name, form, operands, scheme) page += row(names::Builtin::Name);
#include "compiler/front/types/functions.def"
  page +=
      "\n"
      "`min(a)` and `max(a)` of one array reduce its outermost dimension, as `sum(a)` does.\n";
  return page;
}

}  // namespace tacet::types
