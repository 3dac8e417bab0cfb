#pragma once

#include "compiler/he/lift/array_state.h"

/// Private to this folder.
namespace tacet::lift {

/// The same without unused statements, and with values in place of reads where that computes
/// nothing more often: of arrays that are read at one place alone, and of copies. The last of
/// `computed` stays the last.
auto with_single_reads_inlined(Terms& terms, std::vector<Computed> computed)
    -> std::vector<Computed>;

}  // namespace tacet::lift
