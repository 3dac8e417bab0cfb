#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/device/kernel/evaluate.h"

/// From text to kernels and runs of them, for tests of what is done with kernels.
namespace tacet::oblivious {

/// The kernel of the last device function in `text`, which must have no errors; else the test
/// fails.
auto kernel_of(const std::string& text) -> kernel::Kernel;
/// The same; nothing if the text has errors.
auto find_kernel(const std::string& text) -> std::optional<kernel::Kernel>;

/// Values for the parameters of `kernel`: those with a bound within it, others small and of both
/// signs, so that they are good indices, counts and divisors, sometimes anything. Of equal seeds
/// they are equal; public parameters depend on `public_seed` alone.
auto random_inputs(const kernel::Kernel& kernel, uint64_t public_seed, uint64_t secret_seed)
    -> std::vector<kernel::Value>;

/// Where results of `rewritten` are others than those of `source`, which does not fail there; empty
/// if they are equal on `n` inputs. `n_compared` grows by the inputs on which `source` gives
/// results.
auto meaning_difference(const kernel::Kernel& source, const kernel::Kernel& rewritten, int n,
                        uint64_t& n_compared) -> std::string;

/// How `rewritten`, made of `source` to be oblivious, differs from what it should be; empty if it
/// does not. Runs both on `n` inputs:
///
///  * where the source does not fail, the results are equal; `n_compared` grows by these inputs;
///  * no event of the rewritten one depends on a secret, by taint;
///  * for other secrets and the same public values its events are the same, one by one, up to a
///    fault of a public operation, of which it has none if the source has none.
auto difference(const kernel::Kernel& source, const kernel::Kernel& rewritten, int n,
                uint64_t& n_compared) -> std::string;

/// The same of functions that give results on some of the inputs; that they do not is a difference.
auto meaning_difference(const kernel::Kernel& source, const kernel::Kernel& rewritten, int n)
    -> std::string;
auto difference(const kernel::Kernel& source, const kernel::Kernel& rewritten, int n)
    -> std::string;

}  // namespace tacet::oblivious
