#pragma once

#include <string>
#include <vector>

#include "engine/cggi_format/program.h"
#include "engine/he_format/bundle.h"

namespace tacet::cli {

/// A line about what a program costs.
struct CostRow {
  std::string name;   ///< for people: `ring dimension`
  std::string value;  ///< for people
  std::string json;   ///< the value in JSON
};

/// What a compiled program costs, before anybody has run it; of several parts one behind the other.
auto predicted_costs(const engine::HeBundle& bundle) -> std::vector<CostRow>;
auto predicted_costs(const engine::CggiProgram& program) -> std::vector<CostRow>;

/// A table for people.
auto cost_table(const std::vector<CostRow>& rows) -> std::string;

/// An object with a member for each row; what several parts have, as an array of theirs.
auto cost_json(const std::vector<CostRow>& rows) -> std::string;

}  // namespace tacet::cli
