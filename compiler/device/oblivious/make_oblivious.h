#pragma once

#include "compiler/device/oblivious/rewrite.h"
#include "compiler/device/oblivious/secrecy.h"

/// Takes secrets out of a kernel's control: the one face for compiling, the editor and the linter.
namespace tacet::oblivious {

/// What became of a kernel.
struct ObliviousForm {
  kernel::Kernel kernel;
  std::vector<Rewrite> rewrites;        ///< by place
  std::vector<Diagnostic> diagnostics;  ///< T5030 to T5059: what could not be rewritten, and why
  bool is_oblivious = false;            ///< no secret steers `kernel` any more
};

/// What becomes of accesses at secret indices, and of rotations by secret distances.
enum class Accesses : uint8_t {
  Scan,   ///< all elements are read or written
  Leave,  ///< the caller selects among the elements
};

/// Rewrites all that is not oblivious: exits, accesses, loops, branches, operations that could
/// fail. The result means the same where the source does not fail; it never fails because of a
/// secret. What cannot be rewritten stays as it is, with a diagnostic. A kernel that is oblivious
/// already stays as it is, without rewrites.
///
/// Passes, each with its own page of documentation in its header: `exits_to_flags`,
/// `bound_for_loops`, `scan_accesses`, `bound_while_loops`, `branches_to_selects`,
/// `guard_operands`.
///
/// O(passes · analysis); a nest of loops takes as many rounds as secrets need to get through it.
auto make_oblivious(const kernel::Kernel& kernel, Accesses accesses = Accesses::Scan)
    -> ObliviousForm;

/// Could `make_oblivious` report a diagnostic about the kernel, whose secrets are `secrecy`? If
/// not, its result need not be made to know that there is none. May say yes where the answer is no:
/// of kernels with `while`, `reveal`, calls or exits that a secret decides. O(size).
auto may_have_problems(const kernel::Kernel& kernel, const Secrecy& secrecy) -> bool;

/// Rewrites only what stands at a place within `place`, for a fix of one finding. Secrets may steer
/// the rest still, and whether the result is oblivious is not found out. O(size of the kernel)
/// where no pass finds anything to do by form alone.
auto make_oblivious_at(const kernel::Kernel& kernel, FileRange place) -> ObliviousForm;

/// Does no secret decide what is done, where, or whether it fails?
auto is_oblivious(const kernel::Kernel& kernel) -> bool;

}  // namespace tacet::oblivious
