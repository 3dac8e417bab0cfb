#pragma once

#include <vector>

#include "engine/mpc/testing/attacks.h"

/// What is attacked.
namespace tacet::mpc {

/// Small programs, which together send everything that a protocol can send.
auto small_programs() -> std::vector<AttackedProgram>;
/// Some that send more.
auto larger_programs() -> std::vector<AttackedProgram>;

}  // namespace tacet::mpc
