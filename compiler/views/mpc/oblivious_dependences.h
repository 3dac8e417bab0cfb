#pragma once

#include "compiler/device/dependences/dependences.h"
#include "compiler/device/kernel/kernel.h"

namespace tacet::mpc_views {

enum class DependenceKinds : uint8_t { All, FlowAlone };

/// The dependences of a function as it runs, in its oblivious form, by the places of its text.
/// Accesses at secret indices are doubted: they access all elements, and use one.
auto oblivious_dependences(const kernel::Kernel& kernel,
                           DependenceKinds kinds = DependenceKinds::All)
    -> dependences::Dependences;

}  // namespace tacet::mpc_views
