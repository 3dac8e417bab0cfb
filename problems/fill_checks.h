#pragma once

#include "compiler/spec/fill/trial.h"

namespace tacet::problems {

/// What decides about texts for holes: everything that `find` finds, devices included, and of
/// device functions whether they were proved to compute what they implement, or agree at random
/// points.
auto fill_checks() -> fill::Checks;

}  // namespace tacet::problems
