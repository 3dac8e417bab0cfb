#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::Builtin;
using types::DType;
using types::TypeStore;

static auto event_function(Checker& checker, Node call, names::Builtin builtin,
                           const std::vector<Node>& arguments) -> Term;
static auto array_function(Checker& checker, Node call, names::Builtin builtin,
                           const std::vector<Node>& arguments) -> Term;
static auto reduction(Checker& checker, Node call, const std::vector<Node>& arguments) -> Term;
static auto counted(Checker& checker, Term reduced) -> Term;
static auto rand(Checker& checker, Node call, names::Builtin builtin,
                 const std::vector<Node>& arguments) -> Term;
static auto bound_of_draw(Checker& checker, Node bound) -> Term;
static auto permutation(Checker& checker, Node length) -> Term;

auto count(Checker& checker, Node call, const std::vector<Node>& arguments, size_t least,
           size_t most) -> bool {
  if (least <= arguments.size() && arguments.size() <= most) {
    return true;
  }
  Node name = call.child(Field::Function);
  const Builtin builtin = static_cast<Builtin>(checker.resolved.names.of(name.index()).index());
  if (checker.tree.errors.empty()) {
    checker.report
        .add(DiagnosticCode::T2003, name.range(),
             fmt::format("`{}` takes {} argument{}, but {} {} given", name.text(), least,
                         least == 1 ? "" : "s", arguments.size(),
                         arguments.size() == 1 ? "was" : "were"))
        .note(names::builtin_documentation(builtin));
  }
  return false;
}

auto builtin(Checker& checker, Node call, Builtin builtin) -> Term {
  const std::vector<Node> arguments = argument_nodes(call);
  for (Node argument : arguments) {
    if (!argument.is(NodeKind::Operator) && !argument.is(NodeKind::Receiver)) {
      expression(checker, argument);
    }
  }
  if (names::is_random_draw(builtin)) {
    return rand(checker, call, builtin, arguments);
  }
  if (names::is_number_function(builtin)) {
    return number_function(checker, call, builtin, arguments);
  }
  return names::is_event_function(builtin) ? event_function(checker, call, builtin, arguments)
                                           : array_function(checker, call, builtin, arguments);
}

static auto event_function(Checker& checker, Node call, Builtin builtin,
                           const std::vector<Node>& arguments) -> Term {
  auto argument = [&](size_t i, TypeId type, std::string_view what) {
    expect(checker, arguments[i], checker.terms[arguments[i].index()], Term(type), what);
  };
  if (builtin == Builtin::EncodeEvent) {
    if (count(checker, call, arguments, 1, 1000)) {
      argument(0, TypeStore::kEvent, "the first argument");
      for (size_t i = 1; i < arguments.size(); ++i) {
        argument(i, TypeStore::kFuture, "the awaited argument");
      }
    }
    return Term(checker.types.tuple({TypeStore::kEvent, TypeStore::kEncoder}));
  }
  if (builtin == Builtin::SubmitEvent) {
    if (count(checker, call, arguments, 1, 1)) {
      argument(0, TypeStore::kEncoder, "the argument");
    }
    return Term(TypeStore::kFuture);
  }
  if (count(checker, call, arguments, 2, 2)) {
    argument(0, TypeStore::kEvent, "the first argument");
    argument(1, TypeStore::kFuture, "the second argument");
  }
  return Term(TypeStore::kEvent);
}

/// What has to do with memory, with whole arrays, and with secrets as such.
static auto array_function(Checker& checker, Node call, Builtin builtin,
                           const std::vector<Node>& arguments) -> Term {
  const auto term = [&](size_t i) { return checker.terms[arguments[i].index()]; };
  const bool takes_records =
      builtin == Builtin::Len || builtin == Builtin::Concat || builtin == Builtin::Rotate;
  for (const Node argument : arguments) {
    if (!takes_records && !argument.is(NodeKind::Operator) && !argument.is(NodeKind::Receiver) &&
        !requires_numbers(checker, argument, checker.terms[argument.index()],
                          fmt::format("`{}`", names::builtin_text(builtin)))) {
      return {};
    }
  }
  if (builtin == Builtin::Alloc || builtin == Builtin::Dealloc) {
    return checker.inference.open();
  }
  if (builtin == Builtin::Reduce) {
    return reduction(checker, call, arguments);
  }
  if (builtin == Builtin::Reveal) {
    checker.has_secrets = true;
    return count(checker, call, arguments, 1, 2) ? term(0) : Term();
  }
  if (builtin == Builtin::Sum || builtin == Builtin::Product) {
    return count(checker, call, arguments, 1, 1)
               ? counted(checker, without_outermost(checker, arguments[0], term(0), 0))
               : Term();
  }
  if (builtin == Builtin::Len) {
    return length_of(checker, call, arguments);
  }
  if (builtin == Builtin::Concat) {
    return concatenation(checker, call, arguments);
  }
  TACET_CHECK(builtin == Builtin::Rotate, "a built-in function of no group");
  if (!count(checker, call, arguments, 2, 2)) {
    return {};
  }
  without_outermost(checker, arguments[0], term(0), 0);
  if (!fits(checker, types::OperandSet::Integers, term(1)) && !term(1).is_error() &&
      !checker.inference.is_open(term(1))) {
    mismatch(checker, arguments[1], term(1), Term(TypeStore::kI64), "the distance");
  }
  return term(0);
}

/// `reduce(+|*, k, e)`.
static auto reduction(Checker& checker, Node call, const std::vector<Node>& arguments) -> Term {
  if (!count(checker, call, arguments, 3, 3)) {
    return {};
  }
  if (!arguments[0].is(NodeKind::Operator)) {
    checker.report
        .add(DiagnosticCode::T2027, arguments[0].range(),
             "the first argument of `reduce` must be an operator")
        .note("write `reduce(+, k, e)` or `reduce(*, k, e)`");
    return {};
  }
  const std::optional<int64_t> dimension = evaluate(checker, arguments[1]);
  if (!dimension || *dimension < 0) {
    checker.report.add(DiagnosticCode::T2012, arguments[1].range(),
                       "the dimension to reduce must be a constant integer");
    return {};
  }
  return counted(checker,
                 without_outermost(checker, arguments[2], checker.terms[arguments[2].index()],
                                   static_cast<uint64_t>(*dimension)));
}

/// What a sum or product is of: truth values count as 0 and 1.
static auto counted(Checker& checker, Term reduced) -> Term {
  return checker.inference.dtype(reduced) == DType::Bool
             ? checker.inference.array(Term(TypeStore::kI64), *checker.inference.shape(reduced))
             : reduced;
}

static auto rand(Checker& checker, Node call, Builtin builtin, const std::vector<Node>& arguments)
    -> Term {
  const bool takes_two = builtin == Builtin::RandUniform || builtin == Builtin::RandNormal;
  const size_t n = takes_two ? 2 : builtin == Builtin::RandU64 ? 0 : 1;
  const Term fraction = checker.inference.fraction();
  const bool is_counted = count(checker, call, arguments, n, n);
  if (builtin == Builtin::RandU64) {
    return Term(types::scalar_type(DType::U64));
  }
  if (builtin == Builtin::RandInt) {
    return is_counted ? bound_of_draw(checker, arguments[0]) : checker.inference.integer();
  }
  if (builtin == Builtin::RandPermutation) {
    return is_counted ? permutation(checker, arguments[0]) : Term();
  }
  for (size_t i = 0; is_counted && i < n; ++i) {
    expect(checker, arguments[i], checker.terms[arguments[i].index()], fraction, "the argument");
  }
  return builtin == Builtin::RandBool ? Term(TypeStore::kBool) : fraction;
}

/// What `rand_int(n)` draws has the type of `n`.
static auto bound_of_draw(Checker& checker, Node bound) -> Term {
  const Term term = checker.terms[bound.index()];
  if (!fits(checker, types::OperandSet::Integers, term) && !term.is_error()) {
    mismatch(checker, bound, term, Term(TypeStore::kI64), "the argument");
    return {};
  }
  return term;
}

static auto permutation(Checker& checker, Node length) -> Term {
  if (const types::MaybeForm form = size_form(checker, length); form && !form->terms.empty()) {
    require_length(checker, length, *form);
    return with_outermost(checker, checker.types.extent(*form), Term(TypeStore::kI64));
  }
  const std::optional<int64_t> extent = evaluate(checker, length);
  if (!extent || *extent < 0) {
    checker.report.add(DiagnosticCode::T2012, length.range(),
                       "the length of a permutation must be a constant integer");
    return {};
  }
  return with_outermost(checker, *extent, Term(TypeStore::kI64));
}

}  // namespace tacet::check
