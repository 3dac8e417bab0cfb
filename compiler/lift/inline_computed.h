#pragma once

#include "compiler/lift/array_state.h"

/// Private to this folder.
namespace tacet::lift {

/// The same without what nothing reads, and with values in place of reads where that computes
/// nothing more often: of arrays that are read at one place alone, and of copies. Arrays of the
/// program are numbered from 0, `computed` behind the inputs; the last of these stays the last.
auto with_single_reads_inlined(Terms& terms, size_t n_inputs, std::vector<Computed> computed)
    -> std::vector<Computed>;

}  // namespace tacet::lift
