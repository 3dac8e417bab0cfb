#pragma once

#include <string>

#include "compiler/device/kernel/kernel.h"

/// Kernels as text.
namespace tacet::kernel {

/// The kernel as the source of a device function that means the same: checked and lowered again it
/// gives the same results and faults, and has the same secrets. What is in the text only:
///
///  * a secret region is a block behind a comment `// secret region: …`, a separator a comment;
///  * `Select`s print as `a if c else b`, oblivious or not; logical operators that may branch too;
///  * a variable that is first assigned to in an inner block is declared with 0 in front of that;
///    types are written down where a literal or a secret variable needs it, and nowhere else.
///
/// It is laid out as the formatter does, but for lines that are too long, which the formatter
/// breaks. Calls keep their names: the text belongs beside the file that the kernel is from.
auto print(const Kernel& kernel) -> std::string;

/// One expression.
auto print(const Kernel& kernel, ExprId expr) -> std::string;

/// `[fxp; 2, 16]`.
auto type_text(const Type& type) -> std::string;

}  // namespace tacet::kernel
