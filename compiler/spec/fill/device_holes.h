#pragma once

#include <string>
#include <vector>

#include "compiler/spec/fill/form.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::fill {

/// A hole of a device function.
struct DeviceHole {
  TextRange place;  ///< in the file
  /// What may be written for it, cheapest first: guesses, none of which was checked.
  std::vector<Form> forms;
  /// It is a part of what is revealed. A person decides what others see, so that there
  /// are no forms.
  bool is_revealed = false;
};

/// The holes of a device function in the order of the text. Forms are parts of its specification,
/// written with the function's names; variables, elements and literals, and what one operator makes
/// of two of them; of `???;` definitions of names that are used behind it and declared nowhere,
/// else assignments.
auto device_holes(const program::FrontendSnapshot& snapshot, names::ItemId function)
    -> std::vector<DeviceHole>;

}  // namespace tacet::fill
