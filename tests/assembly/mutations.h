#pragma once

#include <random>
#include <span>
#include <string_view>

#include "compiler/run/cps/assembly.h"

namespace tacet::cps {

/// Changes something at random that matters; false if there is nothing of the kind.
using Mutation = bool (*)(Program&, std::mt19937_64&);

struct NamedMutation {
  std::string_view name;
  Mutation mutate;
};

/// Changes that make wrong assemblies of right ones.
auto mutations() -> std::span<const NamedMutation>;

}  // namespace tacet::cps
