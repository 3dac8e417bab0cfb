#pragma once

#include <string>

#include "cli/run/run_statistics.h"

/// Private to this folder: tables in the statistics of a run, as text behind an empty line, or as
/// arrays of JSON. Texts are empty where there is nothing to show.
namespace tacet::cli {

/// By operation of a program of parties.
auto operation_table(const MpcCosts& costs) -> std::string;
auto operations_as_json(const MpcCosts& costs) -> std::string;

/// What went over the links of one party.
auto mpc_link_table(const MpcCosts& costs) -> std::string;
auto mpc_links_as_json(const MpcCosts& costs) -> std::string;

/// What each instruction sent, in the order in which they first sent something.
auto instruction_table(const MpcCosts& costs) -> std::string;
auto lines_as_json(const MpcCosts& costs) -> std::string;

/// What each of several processes of a server did.
auto rank_table(const HeCosts& costs) -> std::string;
auto ranks_as_json(const HeCosts& costs) -> std::string;

}  // namespace tacet::cli
