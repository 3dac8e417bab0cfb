#pragma once

#include "compiler/device/array/lower.h"
#include "engine/random/rng_state.h"

namespace tacet::he_lower {

/// The array program of an item without errors: of a `.tlhe` file or a `val` what `array::lower`
/// makes of it, likewise of a device function whose body is one expression. Of device functions
/// with comparisons, choices or statements the kernel is lifted (`lift::lift`), in its oblivious
/// form where secrets steer more than choices.
///
/// An array program has one result: `result` says which it is of a device function's.
///
/// Random draws are those of `key`, as constants.
///
/// Diagnostics are those of the lowering that fits the text.
auto program_of(const program::FrontendSnapshot& snapshot, names::ItemId item, size_t result = 0,
                const engine::PublicRandomKey& key = {}) -> array::Lowering;

/// How many results a device function has; 1 of other items.
auto n_results_of(const program::FrontendSnapshot& snapshot, names::ItemId item) -> size_t;

/// How far a result of a device function, counted like those of `program_of`, may be from its
/// real-valued meaning, if the text says so.
auto tolerance_of(const program::FrontendSnapshot& snapshot, names::ItemId item, size_t result)
    -> std::optional<double>;

}  // namespace tacet::he_lower
