#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "cli/run/arithmetic_client.h"
#include "cli/run/arithmetic_server.h"
#include "cli/run/bitwise_client.h"
#include "cli/run/bitwise_server.h"
#include "cli/values/cggi_values.h"
#include "cli/values/he_values.h"

/// The two kinds of compiled programs with what belongs to each, for code that is the same for
/// both.
namespace tacet::cli {

/// Programs for the arithmetic schemes.
struct Arithmetic {
  using Program = engine::HeBundle;
  using Values = engine::HeIntegers;
  using Owner = engine::HeOwner;
  using Costs = HeCosts;
  using Client = ArithmeticClient;
  using Server = ArithmeticServer;

  static auto parameters(const Program& program, std::optional<Owner> owner)
      -> Result<std::vector<interpret::EntryParameter>> {
    return parameters_of(program, owner);
  }
  static auto given(const std::vector<interpret::EntryParameter>& parameters,
                    const std::vector<interpret::Value>& values) -> Result<Values> {
    return integers_of(parameters, values);
  }
  static auto results(const Program& program) -> Result<std::vector<interpret::EntryResult>> {
    return results_of(program);
  }
  static auto values(const Program& /*program*/, const std::vector<interpret::EntryResult>& results,
                     const Values& outputs) -> std::vector<interpret::Value> {
    return values_of(results, outputs);
  }
  static auto open(const Program& program, const NamedBytes& secret, const Costs& costs)
      -> Result<Client> {
    return Client::open(program, secret, costs.n_threads);
  }
};

/// Programs for CGGI.
struct BitByBit {
  using Program = engine::CggiProgram;
  using Values = engine::CggiValues;
  using Owner = engine::CggiOwner;
  using Costs = CggiCosts;
  using Client = BitwiseClient;
  using Server = BitwiseServer;

  static auto parameters(const Program& program, std::optional<Owner> owner)
      -> Result<std::vector<interpret::EntryParameter>> {
    return parameters_of(program, owner);
  }
  static auto given(const std::vector<interpret::EntryParameter>& parameters,
                    const std::vector<interpret::Value>& values) -> Result<Values> {
    return cells_of(parameters, values);
  }
  static auto results(const Program& program) -> Result<std::vector<interpret::EntryResult>> {
    return results_of(program);
  }
  static auto values(const Program& program, const std::vector<interpret::EntryResult>& /*results*/,
                     const Values& outputs) -> std::vector<interpret::Value> {
    return values_of(program, outputs);
  }
  static auto open(const Program& program, const NamedBytes& secret, const Costs& /*costs*/)
      -> Result<Client> {
    return Client::open(program, secret);
  }
};

/// The kind of a program, or of what has one as its `Program`.
template <class Program>
using KindOf = std::conditional_t<std::is_same_v<std::remove_cvref_t<Program>, BitByBit::Program>,
                                  BitByBit, Arithmetic>;

}  // namespace tacet::cli
