#pragma once

#include "engine/he_format/bundle.h"

namespace tacet::backends {

/// The compiled program with plaintext moduli for slots of any ring up to `ring_dimension`: each
/// the next prime that is one modulo twice that. Programs mean the same modulo larger primes unless
/// they have constants that were made for theirs, such as inverses: an error then, found by running
/// both in plaintext.
auto with_moduli_for_rings(const engine::HeBundle& bundle, size_t ring_dimension)
    -> Result<engine::HeBundle>;

}  // namespace tacet::backends
