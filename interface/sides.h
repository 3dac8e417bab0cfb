#pragma once

#include <fmt/format.h>

#include "cli/run/encrypted_kinds.h"
#include "interface/errors.h"
#include "interface/values.h"

/// What clients, servers and requests to services have in common.
namespace tacet::interface {

inline auto named(std::string name, const void* bytes, size_t size) -> cli::NamedBytes {
  return {std::move(name), {static_cast<const std::byte*>(bytes), size}};
}

/// Runs `body` with the compiled program of a function for `he`, whatever its kind.
template <class Body>
auto with_encrypted(const Program& program, const Body& body) -> tacet_error* {
  if (!program.encrypted) {
    return error_of(TACET_USAGE,
                    fmt::format("`{}` is compiled for `{}`; clients and servers are of device "
                                "functions for `he`",
                                program.name, program.device));
  }
  return std::visit(body, *program.encrypted);
}

/// The numbers that an owner gives.
template <class Kind, class Encrypted>
auto given_numbers(const Encrypted& encrypted, typename Kind::Owner owner,
                   const tacet_input* inputs, size_t n_inputs) -> decltype(Kind::given({}, {})) {
  auto parameters = Kind::parameters(encrypted, owner);
  if (!parameters) {
    return parameters.error();
  }
  Result<std::vector<interpret::Value>> values =
      values_of_inputs(*parameters, inputs, n_inputs, engine::draw_random_key);
  if (!values) {
    return values.error();
  }
  return Kind::given(*parameters, *values);
}

/// The numbers that were decrypted, for the caller; `statistics` has what was before.
template <class Kind, class Encrypted, class Outputs, class Costs>
auto decrypted_values(const Program& of, const Encrypted& encrypted, const Outputs& outputs,
                      const Costs& costs, cli::RunStatistics statistics = {}) -> tacet_values* {
  cli::set_encrypted_costs(costs, statistics);
  return values_for_caller(of.executable.results,
                           Kind::values(encrypted, of.executable.results, outputs),
                           std::move(statistics));
}

}  // namespace tacet::interface
