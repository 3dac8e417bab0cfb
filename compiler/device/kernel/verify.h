#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// What lowering and passes promise about kernels.
namespace tacet::kernel {

/// Everything wrong with a kernel, a line each; nothing if it is as it should be:
///
///  * ids exist, names of variables differ;
///  * the type of each expression is what its parts give, and operators take the types they get;
///  * assignments, results, arguments of operators and results of the function agree in type;
///  * parameters are those of kind `Parameter`, counters and indices are what one loop or one `for`
///    has, are read inside of it only and never assigned to, as parameters are not either;
///  * a variable that is assigned to in several places is mutable;
///  * `break` and `continue` are in a loop, no secret region holds a jump, a return or a call;
///  * every path through the body ends with a `Return` of all results. A loop that only a `break`
///    could end, and has none, does not end.
///
/// O(size of the expressions as trees).
auto verify(const Kernel& kernel) -> std::vector<std::string>;

/// Ends with an internal error that names `pass` if what it gives is wrong. Does nothing unless
/// `verifies_passes()`.
void expect_verified(const Kernel& kernel, std::string_view pass);

}  // namespace tacet::kernel
