#pragma once

#include "compiler/device/oblivious/rewrite.h"

/// Private to this folder: could a pass have anything to do? Answered by form and place alone,
/// before it is found out what is secret, which takes most of a pass's time. True where the form
/// does not decide; where the answer is false, the pass would change and report nothing. Each is
/// O(size of the kernel).
namespace tacet::oblivious {

/// For `exits_to_flags`: is there an exit inside of anything?
auto may_have_exits(const Rewriting& rewriting) -> bool;
/// For `bound_for_loops`: is there a `for` whose ends, step or `max` are not all literals?
auto may_bound_for_loops(const Rewriting& rewriting) -> bool;
/// For `bound_while_loops`: is there a `while`?
auto may_bound_while_loops(const Rewriting& rewriting) -> bool;
/// For `scan_accesses`: is there an index or distance that is no literal?
auto may_scan_accesses(const Rewriting& rewriting) -> bool;
/// For `branches_to_selects`: is there an `if`?
auto may_have_branches(const Rewriting& rewriting) -> bool;
/// For `guard_operands`: is there a choice, `&&` or `||` that may branch, a division or a shift?
auto may_guard_operands(const Rewriting& rewriting) -> bool;

}  // namespace tacet::oblivious
