#pragma once

#include "compiler/device/oblivious/secrecy.h"

/// Reports of what cannot be rewritten: where, why it is secret, and what would help.
namespace tacet::oblivious {

/// T5030: a `for` whose number of iterations nobody knows.
auto no_bound_of_for(const kernel::Kernel& kernel, const Secrecy& secrecy, kernel::StatementId id,
                     const kernel::For& loop) -> Diagnostic;
/// T5030: the same for a `while`.
auto no_bound_of_while(const kernel::Kernel& kernel, const Secrecy& secrecy, kernel::StatementId id,
                       const kernel::While& loop) -> Diagnostic;
/// T5031: `max` is a secret.
auto secret_max(const kernel::Kernel& kernel, const Secrecy& secrecy, CauseId cause,
                FileRange place) -> Diagnostic;
/// T5032: `reveal` where a secret decides whether.
auto secret_reveal(const kernel::Kernel& kernel, const Secrecy& secrecy, CauseId cause,
                   FileRange place) -> Diagnostic;
/// T5033: a call that does more than compute, where a secret decides whether.
auto secret_call(const kernel::Kernel& kernel, const Secrecy& secrecy, CauseId cause,
                 FileRange place, const std::string& callee) -> Diagnostic;
/// T5034: a `while` without `max` in the arm of a secret `if`.
auto endless_arm(const kernel::Kernel& kernel, const Secrecy& secrecy, CauseId cause,
                 FileRange place) -> Diagnostic;

/// Labels that show the path of the secret to the first of `causes`, step by step, and reasons that
/// show all of them, with the secrets that meet on the way.
void add_path(Diagnostic& diagnostic, const kernel::Kernel& kernel, const Secrecy& secrecy,
              const std::vector<CauseId>& causes);
void add_path(Diagnostic& diagnostic, const kernel::Kernel& kernel, const Secrecy& secrecy,
              CauseId cause);

}  // namespace tacet::oblivious
