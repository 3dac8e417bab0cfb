#include "cli/explore/drawn_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/run/compile_he.h"
#include "cli/run/run_report.h"
#include "cli/run/run_seed.h"
#include "cli/values/given_values.h"

namespace tacet::cli {

namespace {

using interpret::EntryParameter;

constexpr std::string_view kRandom = "@random";

/// The numbers that both bounds have; an error if there are none.
auto narrow(EntryParameter& parameter, const types::ValueBound& bound) -> Status {
  if (!parameter.bound) {
    parameter.bound = bound;
    return std::monostate{};
  }
  parameter.bound->lower = std::max(parameter.bound->lower, bound.lower);
  parameter.bound->upper = std::min(parameter.bound->upper, bound.upper);
  if (parameter.bound->lower >= parameter.bound->upper) {
    return Error{fmt::format(
        "no number is in the ranges of all candidates for `{}`; give it a value", parameter.name)};
  }
  return std::monostate{};
}

/// The parameters that candidates share, with what all of them allow.
auto shared_parameters(const program::FrontendSnapshot& snapshot, const LoadedProgram& program,
                       const Candidates& found, const std::vector<std::string>& ranges)
    -> Result<std::vector<EntryParameter>> {
  std::vector<EntryParameter> allowed;
  std::set<std::string> seen;
  for (const Candidate& candidate : found.candidates) {
    if (!seen.insert(candidate.implementation).second) {
      continue;
    }
    const interpret::Compilation compiled = interpret::compile(
        snapshot, snapshot.find(program.file, names::Namespace::Callable, candidate.implementation),
        {});
    if (!compiled.executable) {
      continue;  // it will be refused, or runs with functions of the host
    }
    Result<std::vector<EntryParameter>> own =
        bounded_parameters(compiled.executable->parameters, ranges);
    if (!own) {
      return own.error();
    }
    if (allowed.empty()) {
      allowed = std::move(*own);
      continue;
    }
    for (size_t i = 0; i < std::min(allowed.size(), own->size()); ++i) {
      if (own->at(i).bound) {
        if (Status narrowed = narrow(allowed[i], *own->at(i).bound); !narrowed) {
          return narrowed.error();
        }
      }
    }
  }
  return allowed;
}

}  // namespace

auto has_random_values(const ExploreOptions& options) -> bool {
  const auto is_random = [](const std::string& value) { return value.ends_with(kRandom); };
  return std::any_of(options.values.begin(), options.values.end(), is_random) ||
         std::any_of(options.inputs.begin(), options.inputs.end(), is_random);
}

auto drawn_values(const program::FrontendSnapshot& snapshot, const LoadedProgram& program,
                  const Candidates& found, const ExploreOptions& options, Invocation& invocation)
    -> Result<std::vector<std::string>> {
  Result<std::vector<EntryParameter>> parameters =
      shared_parameters(snapshot, program, found, options.ranges);
  if (!parameters) {
    return parameters.error();
  }
  RunSeed seed(invocation);
  if (!seed.take(options.seed.empty() ? "0" : options.seed)) {
    return Error{"`--seed` is no key"};
  }
  Result<std::vector<interpret::Value>> values = given_values(
      *parameters, options.values, options.inputs, [&] { return seed.key(); }, Secrets::OfNobody,
      invocation);
  if (!values) {
    return values.error();
  }
  std::vector<interpret::EntryResult> shown;
  for (const EntryParameter& parameter : *parameters) {
    shown.push_back({parameter.name, parameter.type, parameter.shape});
  }
  std::vector<std::string> words;
  const nlohmann::json report = nlohmann::json::parse(results_as_json(shown, *values, nullptr));
  for (const nlohmann::json& value : report.at("results")) {
    words.push_back(
        fmt::format("{}={}", value.at("name").get<std::string>(), value.at("value").dump()));
  }
  return words;
}

}  // namespace tacet::cli
