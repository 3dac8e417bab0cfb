#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/he/gates/graph.h"

namespace tacet::gates {

/// What every gate gives, for 64 sets of inputs at once: bit i of a word belongs to set i. `inputs`
/// has a word for each input bit, bus by bus, the lowest bits first. O(gates).
auto evaluate_gates(const Graph& graph, std::span<const uint64_t> inputs) -> std::vector<uint64_t>;

/// The same for the output bits, bus by bus.
auto evaluate(const Graph& graph, std::span<const uint64_t> inputs) -> std::vector<uint64_t>;

/// One set of inputs as numbers, one for each bus, of up to 64 bits each; what the outputs are.
auto evaluate_words(const Graph& graph, std::span<const uint64_t> inputs) -> std::vector<uint64_t>;

}  // namespace tacet::gates
