#include "cli/run/sized_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/report.h"
#include "cli/run/given_texts.h"
#include "cli/run/typed_target.h"
#include "cli/values/value_shape.h"
#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/instance_name.h"
#include "compiler/front/types/size_proof.h"
#include "compiler/front/types/solve_sizes.h"

namespace tacet::cli {

using names::ItemId;
using types::Signature;
using types::SizeForm;

namespace {

constexpr int64_t kLargestSize = int64_t{1} << 30;
/// The source of sizes that an option gives; others are the numbers of parameters.
constexpr uint32_t kFromOption = 0xffffffff;

/// The sizes of one function for one command line.
class EntrySizes {
 public:
  EntrySizes(const program::FrontendSnapshot& snapshot, ItemId generic, ItemId item,
             const RunTarget& target)
      : snapshot_(snapshot),
        generic_(generic),
        item_(item),
        target_(target),
        signature_(snapshot.signature(item)),
        name_(snapshot.interner().text(snapshot.item_key(item).name)) {
    sizes_.names = signature_->sizes;
    sizes_.found.resize(sizes_.names.size());
  }

  auto find() -> Result<ItemId> {
    if (Status read = read_options(); !read) {
      return read.error();
    }
    if (Status read = read_values(); !read) {
      return read.error();
    }
    types::solve(snapshot_.types(), sizes_);
    for (const auto& check : {&EntrySizes::check_all_found, &EntrySizes::check_agreement,
                              &EntrySizes::check_limits, &EntrySizes::check_constraints}) {
      if (Status is_right = (this->*check)(); !is_right) {
        return is_right.error();
      }
    }
    std::vector<int64_t> values;
    if (sizes_.found.empty()) {
      return item_;
    }
    for (const auto& found : sizes_.found) {
      values.push_back(found->value.constant);
    }
    return snapshot_.instance(item_, values);
  }

 private:
  auto text(Name name) const -> std::string_view { return snapshot_.interner().text(name); }
  auto text(const SizeForm& form) const -> std::string {
    return types::form_text(snapshot_.types(), snapshot_.interner(), form);
  }

  /// Where a size is from: `a`, or the option.
  auto source_text(uint32_t source) const -> std::string {
    return source == kFromOption ? "`--size`"
                                 : fmt::format("`{}`", text(signature_->parameters[source].name));
  }

  auto read_options() -> Status {
    for (const std::string& option : target_.sizes) {
      if (gives_type(snapshot_, *snapshot_.signature(generic_), option)) {
        continue;
      }
      const size_t equals = option.find('=');
      const std::string name = option.substr(0, equals);
      std::vector<std::string_view> known;
      for (const Name size : sizes_.names) {
        known.push_back(text(size));
      }
      const auto place = std::find(known.begin(), known.end(), name);
      if (place == known.end()) {
        const auto meant = closest_name(name, known);
        return Error{fmt::format("`{}` has no size parameter `{}`{}", name_, name,
                                 meant ? fmt::format("; did you mean `{}`?", *meant) : "")};
      }
      int64_t value = 0;
      const char* begin = option.data() + std::min(option.size(), equals + 1);
      const char* end = option.data() + option.size();
      const auto [behind, error] = std::from_chars(begin, end, value);
      if (equals == std::string::npos || error != std::errc() || behind != end) {
        return Error{fmt::format("`--size {}`: expected NAME=NUMBER", option)};
      }
      auto& found = sizes_.found[static_cast<size_t>(place - known.begin())];
      if (found && found->value != SizeForm{value}) {
        return Error{fmt::format("the size `{}` is given twice: {} and {}", name,
                                 text(found->value), value)};
      }
      found = types::FoundSize{SizeForm{value}, kFromOption};
    }
    return std::monostate();
  }

  auto read_values() -> Status {
    const std::vector<types::ParameterColumn> columns =
        types::parameter_columns(snapshot_.types(), snapshot_.interner(), *signature_);
    Result<std::vector<std::string>> read = given_texts(columns, target_);
    if (!read) {
      // Among parties a value without a name may be for another parameter: who reads it knows.
      const bool are_all_given = std::all_of(sizes_.found.begin(), sizes_.found.end(),
                                             [](const auto& found) { return found.has_value(); });
      return are_all_given ? Status(std::monostate()) : read.error();
    }
    const std::vector<std::string>& given = *read;
    for (size_t i = 0; i < given.size(); ++i) {
      const types::TypeId type = columns[i].type;
      const auto source = static_cast<uint32_t>(columns[i].parameter);
      if (given[i].empty() || !types::has_symbolic_size(snapshot_.types(), type)) {
        continue;
      }
      const std::vector<int64_t>& pattern =
          snapshot_.types().extents(snapshot_.types()[type].shape);
      Result<std::optional<std::vector<int64_t>>> shape = shape_of_value(given[i], pattern);
      if (!shape) {
        return Error{fmt::format("parameter {}: {}", source_text(source), shape.error().message)};
      }
      if (!*shape) {
        continue;
      }
      if ((*shape)->size() != pattern.size()) {
        return Error{fmt::format(
            "parameter {}: expected `{}`, found {}", source_text(source),
            types::type_text(snapshot_.types(), snapshot_.interner(), type),
            (*shape)->empty()
                ? "a single value"
                : fmt::format("an array of {}", counted((*shape)->size(), "dimension")))};
      }
      types::add_equations(snapshot_.types(), type, **shape, source, sizes_);
    }
    return std::monostate();
  }

  auto check_all_found() -> Status {
    for (size_t i = 0; i < sizes_.found.size(); ++i) {
      if (sizes_.found[i]) {
        continue;
      }
      const Name size = sizes_.names[i];
      for (const types::SizeEquation& equation : sizes_.equations) {
        const bool is_about =
            std::any_of(equation.pattern.terms.begin(), equation.pattern.terms.end(),
                        [&](const auto& term) { return term.atom.name == size; });
        if (is_about) {
          return Error{fmt::format("parameter {}: no `{}` makes the length `{}` equal to {}",
                                   source_text(equation.source), text(size), text(equation.pattern),
                                   text(equation.actual))};
        }
      }
      return Error{fmt::format("the size `{0}` of `{1}` is not known; give it with `--size {0}=N`",
                               text(size), name_)};
    }
    return std::monostate();
  }

  auto check_agreement() -> Status {
    const types::SizeEquation* conflict = types::find_conflict(snapshot_.types(), sizes_);
    if (conflict == nullptr) {
      return std::monostate();
    }
    const SizeForm& pattern = conflict->pattern;
    const SizeForm value = *types::substitute(
        snapshot_.types(), pattern,
        [&](const types::SizeAtom& atom) { return types::value_of(sizes_, atom); });
    const auto first = types::place_of(sizes_, pattern.terms[0].atom.name);
    const std::string there = first ? source_text(sizes_.found[*first]->source) : "the others";
    const bool is_size = pattern == types::size_parameter(pattern.terms[0].atom.name);
    return Error{
        is_size
            ? fmt::format("`{}` is {} in {} and {} in {}", text(pattern), text(conflict->actual),
                          source_text(conflict->source), text(value), there)
            : fmt::format("parameter {}: the length is {}, expected `{}`, which is {} by {}",
                          source_text(conflict->source), text(conflict->actual), text(pattern),
                          text(value), there)};
  }

  auto check_limits() -> Status {
    for (size_t i = 0; i < sizes_.found.size(); ++i) {
      const int64_t value = sizes_.found[i]->value.constant;
      if (value < 1 || value > kLargestSize) {
        return Error{fmt::format("the size `{}` is {} by {}; sizes are from 1 to {}",
                                 text(sizes_.names[i]), value, source_text(sizes_.found[i]->source),
                                 kLargestSize)};
      }
    }
    return std::monostate();
  }

  auto check_constraints() -> Status {
    for (const types::SizeConstraint& constraint : signature_->constraints) {
      const types::MaybeForm form = types::substitute(
          snapshot_.types(), constraint.form,
          [&](const types::SizeAtom& atom) { return types::value_of(sizes_, atom); });
      if (form && types::holds({*form, constraint.relation})) {
        continue;
      }
      std::string here;
      for (size_t i = 0; i < sizes_.found.size(); ++i) {
        here += fmt::format("{}`{}` is {} by {}", i == 0 ? "" : ", ", text(sizes_.names[i]),
                            text(sizes_.found[i]->value), source_text(sizes_.found[i]->source));
      }
      return Error{fmt::format(
          "`{}` needs `{}`; {}", name_,
          types::constraint_text(snapshot_.types(), snapshot_.interner(), constraint), here)};
    }
    return std::monostate();
  }

  const program::FrontendSnapshot& snapshot_;
  ItemId generic_;
  ItemId item_;  ///< with types
  const RunTarget& target_;
  std::shared_ptr<const Signature> signature_;
  std::string_view name_;
  types::SizeSolution sizes_;
};

}  // namespace

/// An instance is checked as a function of its own.
static auto without_errors(const program::FrontendSnapshot& snapshot, ItemId instance)
    -> Result<ItemId> {
  if (const auto found = snapshot.get<check::DiagnosticsOfItem>(instance)) {
    for (const names::ItemDiagnostic& entry : *found) {
      if (entry.diagnostic.severity == Severity::Error) {
        return Error{
            fmt::format("`{}` is wrong: {}",
                        names::instance_name(snapshot.interner(), snapshot.item_key(instance)),
                        entry.diagnostic.message)};
      }
    }
  }
  return instance;
}

auto sized_target(const program::FrontendSnapshot& snapshot, ItemId item, const RunTarget& target)
    -> Result<ItemId> {
  const names::ItemKind kind = snapshot.item_key(item).kind;
  const bool may_have_sizes = kind == names::ItemKind::Fn || kind == names::ItemKind::Program;
  const auto signature = may_have_sizes ? snapshot.signature(item) : nullptr;
  if (signature == nullptr || !signature->is_generic()) {
    if (!target.sizes.empty()) {
      return Error{fmt::format("`{}` has no size or type parameters; remove `--size`",
                               snapshot.interner().text(snapshot.item_key(item).name))};
    }
    return item;
  }
  if (!signature->functions.empty()) {
    const std::string_view name = snapshot.interner().text(snapshot.item_key(item).name);
    return Error{
        fmt::format("`{}` takes the function `{}`; choose a function that calls `{}` with one",
                    name, snapshot.interner().text(signature->functions.front().name), name)};
  }
  Result<ItemId> typed = typed_target(snapshot, item, target);
  Result<ItemId> instance =
      typed ? EntrySizes(snapshot, item, *typed, target).find() : typed.error();
  return instance ? without_errors(snapshot, *instance) : instance;
}

}  // namespace tacet::cli
