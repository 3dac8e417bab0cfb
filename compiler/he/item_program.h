#pragma once

#include "compiler/array/lower.h"

namespace tacet::encrypted {

/// The array program of an item without errors: of a `.tlhe` file or a `val` what `array::lower`
/// makes of it, likewise of a device function whose body is one expression. Of device functions
/// with comparisons, choices or statements the kernel is lifted (`lift::lift`), in its oblivious
/// form where secrets steer more than choices.
///
/// Diagnostics are those of the way that fits the text.
auto program_of(const check::FrontendSnapshot& snapshot, names::ItemId item) -> array::Lowering;

}  // namespace tacet::encrypted
