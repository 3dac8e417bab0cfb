#pragma once

#include <functional>

#include "engine/random/public_random.h"
#include "interface/handles.h"

namespace tacet::interface {

/// The values of parameters, found among the inputs by their names; each is checked against its
/// parameter. `others` are parameters of the same program that are given elsewhere: their names are
/// known, but a value is an error. `key` gives the key of random values.
auto values_of_inputs(const std::vector<interpret::EntryParameter>& parameters,
                      const tacet_input* inputs, size_t n_inputs,
                      const std::function<engine::PublicRandomKey()>& key)
    -> Result<std::vector<interpret::Value>>;

/// Results for the caller.
auto values_for_caller(std::vector<interpret::EntryResult> results,
                       std::vector<interpret::Value> values, cli::RunStatistics statistics)
    -> tacet_values*;

}  // namespace tacet::interface
