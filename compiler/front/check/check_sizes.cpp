#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/names/instance.h"

namespace tacet::check {

using names::LocalKind;
using types::MaybeForm;
using types::SizeForm;
using types::SizeProof;
using types::SizeVerdict;

auto size_form(Checker& checker, Node node) -> MaybeForm {
  return types::evaluate_form(checker.types, node, [&](Node part) -> MaybeForm {
    if (part.is(NodeKind::CallExpression)) {
      const Node function = part.child(Field::Function);
      const names::Resolution meaning =
          function ? checker.resolved.names.of(function.index()) : names::Resolution();
      const std::vector<Node> arguments = argument_nodes(part);
      const bool is_len = meaning.is(names::Meaning::Builtin) && arguments.size() == 1 &&
                          static_cast<names::Builtin>(meaning.index()) == names::Builtin::Len;
      const std::optional<types::ShapeId> shape =
          is_len ? checker.inference.shape(checker.terms[arguments[0].index()]) : std::nullopt;
      const int64_t extent = shape && *shape != types::kScalar
                                 ? checker.types.extents(*shape).front()
                                 : types::kUnknownExtent;
      return extent == types::kUnknownExtent ? std::nullopt : MaybeForm(checker.types.form(extent));
    }
    const names::Local* local = checker.resolved.names.local(part.index());
    if (local != nullptr) {
      return local->kind == LocalKind::Size ? MaybeForm(types::size_parameter(local->name))
                                            : std::nullopt;
    }
    const std::optional<int64_t> value = value_of_constant(checker, part);
    return value ? MaybeForm(SizeForm{*value}) : std::nullopt;
  });
}

auto facts_of_sizes(const Checker& checker) -> types::SizeFacts {
  types::SizeFacts facts;
  facts.sizes = checker.signature.sizes;
  for (const types::SizeConstraint& constraint : checker.signature.constraints) {
    facts.add(constraint);
  }
  return facts;
}

static void refuse(Checker& checker, Node place, std::string message, std::string_view note) {
  checker.report.add(DiagnosticCode::T2042, place.range(), std::move(message)).note(note);
}

/// What is wrong with the type parameters themselves.
static void type_parameters(Checker& checker, Node sizes) {
  size_t n_types = 0;
  bool is_behind_size = false;
  for (Node parameter : sizes.children()) {
    is_behind_size = is_behind_size || parameter.is(NodeKind::SizeParameter);
    if (!parameter.is(NodeKind::TypeParameter)) {
      continue;
    }
    const types::TypeParameter read = types::type_parameter_of(checker.interner, parameter);
    if (is_behind_size) {
      checker.report
          .add(DiagnosticCode::T2047, parameter.range(), "a type parameter behind a size parameter")
          .note("types come first: `f'<T: number, n>`");
    } else if (types::types_of_bound(read).empty() && parameter.child(Field::Bound)) {
      checker.report
          .add(DiagnosticCode::T2047, parameter.range(),
               fmt::format("unknown bound of the type parameter `{}`",
                           parameter.child(Field::Name).text()))
          .note(
              "bounds are `number` (integers and `fxp`), `integer`, or types such as `i64 | fxp`");
    } else if (++n_types == types::kMostTypeParameters + 1) {
      checker.report
          .add(DiagnosticCode::T2047, parameter.range(),
               fmt::format("more than {} type parameters", types::kMostTypeParameters))
          .note("the body is checked for all types that the bounds allow");
    }
  }
}

/// The lengths in the types of parameters and results.
static void lengths_of_head(Checker& checker, Node root) {
  const auto lengths = [&](Node list, NodeKind kind, const auto& ports) {
    size_t i = 0;
    for (Node port : children_of(list, kind)) {
      if (i < ports.size()) {
        require_lengths(checker, port.child(Field::Type), ports[i++].type);
      }
    }
  };
  lengths(root.child(Field::Parameters), NodeKind::Parameter, checker.signature.parameters);
  lengths(root.child(Field::Results), NodeKind::Result, checker.signature.results);
}

/// The first parameter that is a function, all of which must be in front of those that are not.
static auto function_parameters(Checker& checker, Node list) -> Node {
  Node first;
  bool is_behind_value = false;
  for (Node parameter : list.children()) {
    is_behind_value = is_behind_value || parameter.is(NodeKind::Parameter);
    if (!parameter.is(NodeKind::FunctionParameter)) {
      continue;
    }
    first = first ? first : parameter;
    if (is_behind_value) {
      checker.report
          .add(DiagnosticCode::T2048, parameter.range(),
               "a function behind a parameter that is none")
          .note("parameters that are functions come first: `f(g: fn(…) -> …, a: …)`");
    }
  }
  return first;
}

/// What a function that takes functions must be.
static void takes_functions(Checker& checker, Node root, Node parameter) {
  static constexpr std::string_view kWay =
      "functions are passed when compiling; write a function that calls this one with the function "
      "to pass";
  const std::string_view device = root.child(Field::Device).text();
  if (device != "he" && device != "mpc") {
    refuse(checker, parameter, "only `fn(he)` and `fn(mpc)` take functions",
           "move the computation into a device function");
  } else if (checker.key.parent.has_value()) {
    refuse(checker, parameter, "a member of an equivalence class takes no functions", kWay);
  } else if (const Node implements = root.child(Field::Implements)) {
    refuse(checker, implements, "a function that takes functions implements no specification",
           kWay);
  } else if (const Node schedule = root.child(Field::Schedule)) {
    refuse(checker, schedule, "a function that takes functions has no schedule", kWay);
  }
}

void sizes_of_function(Checker& checker, Node root) {
  const Node sizes = root.child(Field::Sizes);
  const Node constraints = root.child(Field::Constraints);
  const Node function = function_parameters(checker, root.child(Field::Parameters));
  if (!sizes) {
    if (constraints) {
      refuse(checker, constraints, "`where` in a function without size parameters",
             "`where` constrains size parameters, which are declared as `f'<n>`");
    }
    if (function) {
      takes_functions(checker, root, function);
    }
    return;
  }
  const std::string_view device = root.child(Field::Device).text();
  if (device != "he" && device != "mpc") {
    refuse(checker, sizes, "only `fn(he)` and `fn(mpc)` have size and type parameters",
           "write the sizes as numbers, or move the computation into a device function");
  } else if (checker.key.parent.has_value()) {
    refuse(checker, sizes, "a member of an equivalence class has no size or type parameters",
           "move the function out of the class, and call it from a member of known sizes");
  } else if (const Node schedule = root.child(Field::Schedule)) {
    refuse(checker, schedule, "a function with size parameters has no schedule",
           "a schedule pins the layout for one size; write a function of known sizes that calls "
           "this one");
  }
  type_parameters(checker, sizes);
  lengths_of_head(checker, root);
}

void sizes_of_specification(Checker& checker, Node root) {
  const Node sizes = root.child(Field::Sizes);
  const Node constraints = root.child(Field::Constraints);
  if (!sizes) {
    if (constraints) {
      refuse(checker, constraints, "`where` in a specification without size parameters",
             "`where` constrains size parameters, which are declared as `f'<n>`");
    }
    return;
  }
  if (checker.key.parent.has_value()) {
    refuse(checker, sizes, "a member of an equivalence class has no size parameters",
           "move the specification out of the class, and call it from a member of known sizes");
  }
  for (Node parameter : children_of(sizes, NodeKind::TypeParameter)) {
    refuse(checker, parameter, "a specification has no type parameters",
           "write the type; a function with type parameters can be called by one that implements "
           "the specification");
  }
  lengths_of_head(checker, root);
}

/// Says that `claim`, a form that should not be negative, is for some sizes.
static void report_length(Checker& checker, Node node, const SizeProof& proof, std::string wrong,
                          std::string unknown, const std::string& constraint) {
  const bool is_refuted = proof.verdict == SizeVerdict::Refuted;
  names::Draft draft = checker.report.add(
      is_refuted ? DiagnosticCode::T2040 : DiagnosticCode::T2041, node.range(),
      is_refuted ? fmt::format("{} for {}", wrong, types::example_text(checker.interner, proof))
                 : std::move(unknown));
  draft.note(fmt::format("add a constraint after the results, such as `where {}`", constraint));
}

void require_length(Checker& checker, Node node, const SizeForm& length) {
  const SizeProof proof =
      types::prove_at_least_zero(checker.types, facts_of_sizes(checker), length);
  if (proof.verdict == SizeVerdict::Proven) {
    return;
  }
  const std::string text = types::form_text(checker.types, checker.interner, length);
  report_length(checker, node, proof, fmt::format("the length `{}` is negative", text),
                fmt::format("cannot prove that the length `{}` is never negative", text),
                types::constraint_text(checker.types, checker.interner,
                                       {length, types::SizeRelation::AtLeast}));
}

void require_at_most(Checker& checker, Node node, const SizeForm& k, int64_t extent) {
  if (extent == types::kUnknownExtent) {
    return;
  }
  const SizeForm n = checker.types.form(extent);
  const MaybeForm rest = types::subtract(n, k);
  const SizeProof proof =
      rest ? types::prove_at_least_zero(checker.types, facts_of_sizes(checker), *rest)
           : SizeProof{};
  if (proof.verdict == SizeVerdict::Proven) {
    return;
  }
  const std::string taken = types::form_text(checker.types, checker.interner, k);
  const std::string all = types::form_text(checker.types, checker.interner, n);
  report_length(checker, node, proof, fmt::format("`{}` is more than `{}`", taken, all),
                fmt::format("cannot prove that `{}` is at most `{}`", taken, all),
                fmt::format("{} >= {}", all, taken));
}

void require_lengths(Checker& checker, Node written, TypeId id) {
  if (checker.signature.sizes.empty() || !types::has_symbolic_size(checker.types, id)) {
    return;
  }
  const types::Type& type = checker.types[id];
  for (const int64_t extent : checker.types.extents(type.shape)) {
    if (types::is_symbolic(extent)) {
      require_length(checker, written, checker.types.form(extent));
    }
  }
  if (type.element.has_value()) {
    require_lengths(checker, written, type.element);
  }
}

}  // namespace tacet::check
