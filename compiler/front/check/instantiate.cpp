#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/names/instance.h"

namespace tacet::check {

using types::FoundSize;
using types::MaybeForm;
using types::Signature;
using types::SizeAtom;
using types::SizeEquation;
using types::SizeForm;
using types::TypeId;
using types::TypeStore;

namespace {

/// The sizes of one call; sources are nodes.
struct CallSizes {
  Checker& checker;
  const GenericCall& call;
  const Signature& generic;
  const PassedFunctions& functions;
  types::SizeSolution solution;
};

}  // namespace

static void mean_instance(Checker& checker, Node name, names::ItemId instance);
static auto with_known_types(Checker& checker, const GenericCall& call, const Signature& generic,
                             const PassedFunctions& functions) -> std::optional<Signature>;

static auto text(const CallSizes& sizes, const SizeForm& form) -> std::string {
  return types::form_text(sizes.checker.types, sizes.checker.interner, form);
}

auto written_values(Node call, size_t n_skipped) -> std::vector<Node> {
  std::vector<Node> values = syntax::named_children(call.child(Field::Template));
  values.erase(values.begin(),
               values.begin() + static_cast<std::ptrdiff_t>(std::min(n_skipped, values.size())));
  return values;
}

/// `f'<8, n>(x)`.
static auto written_sizes(CallSizes& sizes) -> bool {
  Checker& checker = sizes.checker;
  const Node values = sizes.call.call.child(Field::Template);
  const std::vector<Node> written = written_values(sizes.call.call, sizes.call.n_written_types);
  if (written.empty()) {
    return true;
  }
  size_t n = 0;
  for (const Node value : written) {
    const Term term = expression(checker, value);
    const MaybeForm form = size_form(checker, value);
    if (!form && !term.is_error()) {
      checker.report
          .add(DiagnosticCode::T2038, value.range(),
               fmt::format("the size `{}` is not known when compiling", value.text()))
          .note("a size is a number, a constant, a size parameter, or a sum of those");
    }
    if (!form) {
      return false;
    }
    if (n < sizes.solution.found.size()) {
      sizes.solution.found[n] = FoundSize{*form, value.index()};
    }
    ++n;
  }
  if (n == sizes.solution.found.size()) {
    return true;
  }
  names::Draft draft = checker.report.add(
      DiagnosticCode::T2038, values.range(),
      fmt::format("`{}` has {} size parameter{}, but {} {} given", sizes.call.name.text(),
                  sizes.solution.found.size(), sizes.solution.found.size() == 1 ? "" : "s", n,
                  n == 1 ? "was" : "were"));
  label_item(checker, draft, names::generic_of(checker.table, sizes.call.item), "declared here");
  return false;
}

static void collect(CallSizes& sizes) {
  Checker& checker = sizes.checker;
  const std::vector<Node> nodes = value_nodes(checker, sizes.call.call);
  for (size_t i = 0; i < nodes.size() && i < sizes.generic.parameters.size(); ++i) {
    if (const auto shape = checker.inference.outer_shape(sizes.call.arguments[i])) {
      types::add_equations(checker.types, sizes.generic.parameters[i].type,
                           checker.types.extents(*shape), nodes[i].index(), sizes.solution);
    }
  }
}

/// Functions that are passed say sizes, too: of arrays that they take and give.
static void collect_from_functions(CallSizes& sizes) {
  Checker& checker = sizes.checker;
  const auto add = [&](TypeId pattern, TypeId given, Node node) {
    const types::Type& data = checker.types[given];
    if (data.kind == types::TypeKind::Value) {
      types::add_equations(checker.types, pattern, checker.types.extents(data.shape), node.index(),
                           sizes.solution);
    }
  };
  for (size_t i = 0; i < sizes.functions.nodes.size(); ++i) {
    const types::FunctionParameter& wanted = sizes.generic.functions[i];
    const Node node = sizes.functions.nodes[i];
    const auto given = passed_function(checker, node, {});
    if (!given || !given->sizes.empty() ||
        given->function.parameters.size() != wanted.parameters.size()) {
      continue;
    }
    for (size_t k = 0; k < wanted.parameters.size(); ++k) {
      add(wanted.parameters[k].type, given->function.parameters[k].type, node);
    }
    add(wanted.result.type, given->function.result.type, node);
  }
}

static auto are_all_found(const CallSizes& sizes) -> bool {
  for (size_t i = 0; i < sizes.solution.found.size(); ++i) {
    if (sizes.solution.found[i]) {
      continue;
    }
    const std::string_view size = sizes.checker.interner.text(sizes.generic.sizes[i]);
    // An equation with a rest is the better reason.
    for (const SizeEquation& equation : sizes.solution.equations) {
      if (std::any_of(equation.pattern.terms.begin(), equation.pattern.terms.end(),
                      [&](const auto& term) { return term.atom.name == sizes.generic.sizes[i]; })) {
        names::Draft draft = sizes.checker.report.add(
            DiagnosticCode::T2038, Node(&sizes.checker.tree, equation.source).range(),
            fmt::format("no `{}` makes the length `{}` equal to {}", size,
                        text(sizes, equation.pattern), text(sizes, equation.actual)));
        label_item(sizes.checker, draft, names::generic_of(sizes.checker.table, sizes.call.item),
                   "declared here");
        return false;
      }
    }
    names::Draft draft =
        sizes.checker.report.add(DiagnosticCode::T2038, sizes.call.name.range(),
                                 fmt::format("the arguments do not determine the size `{}` of `{}`",
                                             size, sizes.call.name.text()));
    draft.note(fmt::format("write the sizes: `{}'<…>(…)`", sizes.call.name.text()));
    label_item(sizes.checker, draft, names::generic_of(sizes.checker.table, sizes.call.item),
               "declared here");
    return false;
  }
  return true;
}

/// Reports the first equation that the found sizes do not satisfy, with what found them.
static auto do_all_agree(const CallSizes& sizes) -> bool {
  Checker& checker = sizes.checker;
  const SizeEquation* conflict = types::find_conflict(checker.types, sizes.solution);
  if (conflict == nullptr) {
    return true;
  }
  const SizeForm& pattern = conflict->pattern;
  const SizeForm value = *types::substitute(checker.types, pattern, [&](const SizeAtom& atom) {
    return types::value_of(sizes.solution, atom);
  });
  const bool is_size = pattern == types::size_parameter(pattern.terms[0].atom.name);
  names::Draft draft =
      checker.report.add(DiagnosticCode::T2037, Node(&checker.tree, conflict->source).range(),
                         is_size ? fmt::format("`{}` is {} here and {} there", text(sizes, pattern),
                                               text(sizes, conflict->actual), text(sizes, value))
                                 : fmt::format("this length is {}, expected `{}`, which is {}",
                                               text(sizes, conflict->actual), text(sizes, pattern),
                                               text(sizes, value)));
  for (const types::SizeTerm& term : pattern.terms) {
    const std::optional<size_t> size = types::place_of(sizes.solution, term.atom.name);
    if (size && sizes.solution.found[*size]) {
      draft.label(Node(&checker.tree, sizes.solution.found[*size]->source).range(),
                  fmt::format("`{}` is {} here", checker.interner.text(term.atom.name),
                              text(sizes, sizes.solution.found[*size]->value)));
    }
  }
  label_item(checker, draft, names::generic_of(checker.table, sizes.call.item),
             fmt::format("`{}`", types::signature_text(checker.types, checker.interner,
                                                       sizes.generic, sizes.call.name.text())));
  return false;
}

/// `; here `n` is 3`
static auto sizes_here(const CallSizes& sizes) -> std::string {
  std::string message;
  for (size_t i = 0; i < sizes.solution.found.size(); ++i) {
    message += fmt::format("{}`{}` is {}", i == 0 ? "; here " : ", ",
                           sizes.checker.interner.text(sizes.generic.sizes[i]),
                           text(sizes, sizes.solution.found[i]->value));
  }
  return message;
}

/// Reports the first constraint that does not hold for all sizes of the caller.
static auto are_met(const CallSizes& sizes) -> bool {
  Checker& checker = sizes.checker;
  std::vector<types::SizeConstraint> all = sizes.generic.constraints;
  for (const Name size : sizes.generic.sizes) {
    const MaybeForm least = types::subtract(types::size_parameter(size), SizeForm{1});
    all.push_back({*least, types::SizeRelation::AtLeast});
  }
  const types::SizeFacts facts = facts_of_sizes(checker);
  for (const types::SizeConstraint& constraint : all) {
    const MaybeForm form = types::substitute(
        checker.types, constraint.form,
        [&](const SizeAtom& atom) { return types::value_of(sizes.solution, atom); });
    const types::SizeConstraint here{form.value_or(SizeForm{}), constraint.relation};
    const bool is_number = form && form->terms.empty();
    const types::SizeProof proof =
        is_number || !form ? types::SizeProof{} : types::prove(checker.types, facts, here);
    if (is_number ? types::holds(here) : proof.verdict == types::SizeVerdict::Proven) {
      continue;
    }
    names::Draft draft = checker.report.add(
        DiagnosticCode::T2039, sizes.call.name.range(),
        fmt::format("`{}` needs `{}`{}", sizes.call.name.text(),
                    types::constraint_text(checker.types, checker.interner, constraint),
                    sizes_here(sizes)));
    if (proof.verdict == types::SizeVerdict::Refuted) {
      draft.note(
          fmt::format("it does not hold for {}", types::example_text(checker.interner, proof)));
    }
    label_item(checker, draft, names::generic_of(checker.table, sizes.call.item), "declared here");
    return false;
  }
  return true;
}

/// Do calls lead from one of `open` to `to`? By the names that are called or passed, without types.
static auto reaches(Checker& checker, std::vector<names::ItemId> open, names::ItemId to) -> bool {
  std::set<names::ItemId> seen(open.begin(), open.end());
  while (!open.empty()) {
    const names::ItemId next = open.back();
    open.pop_back();
    if (next == to) {
      return true;
    }
    const names::ItemTree tree = checker.context.get<names::SyntaxOfItem>(next);
    for (uint32_t i = 0; i < tree->nodes.size(); ++i) {
      const Node node(tree.get(), i);
      const names::ItemId callee =
          node.is(NodeKind::Identifier)
              ? names::find_name(
                    checker.context, checker.table[next].file,
                    is_spec(checker) ? names::Namespace::Class : names::Namespace::Callable,
                    node.text())
              : names::ItemId();
      if (callee.has_value() && seen.insert(callee).second) {
        open.push_back(callee);
      }
    }
  }
  return false;
}

/// Reports a call that leads back to this function at other sizes: it would have no end.
static auto is_bounded(const CallSizes& sizes) -> bool {
  Checker& checker = sizes.checker;
  const names::ItemId here = names::generic_of(checker.table, checker.item);
  const types::SizeScope mine =
      types::sizes_of_head(checker.context, checker.item, names::item_node(checker.tree));
  const names::ItemId callee = names::generic_of(checker.table, sizes.call.item);
  bool is_same = here == callee && mine.size() == sizes.solution.found.size();
  for (size_t i = 0; is_same && i < mine.size(); ++i) {
    is_same = mine[i].second == sizes.solution.found[i]->value;
  }
  std::vector<names::ItemId> called = {callee};
  for (const names::FunctionValue& function : sizes.functions.values) {
    if (function.item.has_value()) {
      called.push_back(function.item);
    }
  }
  if (is_same || mine.empty() || !reaches(checker, std::move(called), here)) {
    return true;
  }
  names::Draft draft = checker.report.add(
      DiagnosticCode::T2043, sizes.call.name.range(),
      here == callee
          ? fmt::format("`{}` calls itself at other sizes", sizes.call.name.text())
          : fmt::format("`{}` leads back to this function at other sizes", sizes.call.name.text()));
  draft.note(
      "each set of sizes is a function of its own when compiled, and these would have no end; "
      "write the recursion as a loop");
  return false;
}

static auto with_sizes(CallSizes& sizes) -> Signature {
  Checker& checker = sizes.checker;
  const auto form_of = [&](const SizeAtom& atom) { return types::value_of(sizes.solution, atom); };
  Signature instance = sizes.generic;
  instance.sizes.clear();
  instance.constraints.clear();
  for (types::SignatureParameter& parameter : instance.parameters) {
    parameter.type = types::substitute_sizes(checker.types, parameter.type, form_of);
  }
  for (types::SignatureResult& result : instance.results) {
    result.type = types::substitute_sizes(checker.types, result.type, form_of);
  }
  for (types::FunctionParameter& function : instance.functions) {
    for (types::SignatureParameter& parameter : function.parameters) {
      parameter.type = types::substitute_sizes(checker.types, parameter.type, form_of);
    }
    function.result.type = types::substitute_sizes(checker.types, function.result.type, form_of);
  }
  return instance;
}

/// The sizes, if all are numbers.
static auto known_sizes(const CallSizes& sizes) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> values;
  for (const std::optional<FoundSize>& size : sizes.solution.found) {
    if (!size->value.terms.empty()) {
      return std::nullopt;
    }
    values.push_back(size->value.constant);
  }
  return values;
}

/// Bounds such as `in 0..n`, where `n` is a number. Reports those that are empty, or beyond the
/// type, for that number.
static auto use_bounds(const CallSizes& sizes, const std::vector<int64_t>& values,
                       Signature& signature) -> bool {
  Checker& checker = sizes.checker;
  const auto instance = sizes.checker.context.get<types::SignatureOf>(
      names::instance_of(sizes.checker.table, sizes.call.item, values));
  for (size_t i = 0; i < signature.parameters.size() && i < instance->parameters.size(); ++i) {
    types::SignatureParameter& parameter = signature.parameters[i];
    parameter.bound = instance->parameters[i].bound;
    if (parameter.open_bound && !parameter.bound) {
      names::Draft draft = checker.report.add(
          DiagnosticCode::T2039, sizes.call.name.range(),
          fmt::format("`{}` is in {}..{}, where there is nothing{}",
                      checker.interner.text(parameter.name),
                      text(sizes, parameter.open_bound->lower),
                      text(sizes, parameter.open_bound->upper), sizes_here(sizes)));
      label_item(checker, draft, names::generic_of(checker.table, sizes.call.item),
                 "declared here");
      return false;
    }
    parameter.open_bound.reset();
  }
  return true;
}

/// Makes the callee's name mean the instance.
static void use_instance(CallSizes& sizes, const std::vector<int64_t>& values) {
  names::ItemTable& table = sizes.checker.table;
  mean_instance(
      sizes.checker, sizes.call.name,
      names::instance_with_functions(table, names::instance_of(table, sizes.call.item, values),
                                     sizes.functions.values));
}

static void mean_instance(Checker& checker, Node name, names::ItemId instance) {
  names::BodyNames& names = checker.resolved.names;
  const auto place = std::find(names.items.begin(), names.items.end(), instance);
  names.resolutions[name.index()] =
      names::Resolution(names::Meaning::Item, static_cast<uint32_t>(place - names.items.begin()));
  if (place == names.items.end()) {
    names.items.push_back(instance);
  }
}

auto instantiate(Checker& checker, GenericCall call, const Signature& generic)
    -> std::optional<Signature> {
  if (call.is_encoded) {
    names::Draft draft =
        checker.report.add(DiagnosticCode::T2042, call.name.range(),
                           fmt::format("an encoded call of `{}`, which has size or type parameters",
                                       call.name.text()));
    draft.note("write a device function of known sizes that calls it, and encode a call of that");
    label_item(checker, draft, call.item, "declared here");
    return std::nullopt;
  }
  const std::optional<PassedFunctions> functions = passed_functions(checker, call, generic);
  if (!functions) {
    return std::nullopt;
  }
  if (generic.type_parameters.empty()) {
    return with_known_types(checker, call, generic, *functions);
  }
  const std::optional<TypeArguments> types = type_arguments(checker, call, generic, *functions);
  if (!types) {
    return std::nullopt;
  }
  call.item = names::instance_with_types(checker.table, call.item, types->words);
  call.n_written_types = types->n_written;
  return with_known_types(checker, call, *checker.context.get<types::SignatureOf>(call.item),
                          *functions);
}

static auto with_known_types(Checker& checker, const GenericCall& call, const Signature& generic,
                             const PassedFunctions& functions) -> std::optional<Signature> {
  CallSizes sizes{checker, call, generic, functions, {generic.sizes, {}, {}}};
  sizes.solution.found.resize(generic.sizes.size());
  if (!generic.sizes.empty() && !written_sizes(sizes)) {
    return std::nullopt;
  }
  if (call.arguments.size() != generic.parameters.size()) {
    return generic;  // which is reported
  }
  collect(sizes);
  collect_from_functions(sizes);
  types::solve(checker.types, sizes.solution);
  const bool has_error = std::any_of(call.arguments.begin(), call.arguments.end(), [&](Term term) {
    return checker.inference.resolve(term).is_error() || checker.inference.is_open(term);
  });
  if (has_error && std::any_of(sizes.solution.found.begin(), sizes.solution.found.end(),
                               [](const auto& size) { return !size; })) {
    return std::nullopt;
  }
  if (!are_all_found(sizes) || !do_all_agree(sizes) || !are_met(sizes) || !is_bounded(sizes)) {
    return std::nullopt;
  }
  Signature instance = with_sizes(sizes);
  if (!do_functions_fit(checker, call, functions, instance)) {
    return std::nullopt;
  }
  if (const auto values = known_sizes(sizes)) {
    if (!use_bounds(sizes, *values, instance)) {
      return std::nullopt;
    }
    if (functions.are_known) {
      use_instance(sizes, *values);
    }
  }
  instance.functions.clear();
  return instance;
}

}  // namespace tacet::check
