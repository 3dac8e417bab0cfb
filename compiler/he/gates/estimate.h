#pragma once

#include "compiler/he/gates/compile.h"

/// How long circuits take.
namespace tacet::gates {

/// What evaluating takes, without keys and encryption, on `n_threads` cores of 3 GHz that do
/// nothing else: levels in sequence, whose gates the threads share.
auto estimated_milliseconds(const Compiled& compiled, unsigned n_threads) -> double;

}  // namespace tacet::gates
