#pragma once

#include <string_view>

#include "engine/he_joint/flooding.h"
#include "engine/he_joint/joint_refresh.h"

/// Private to this folder: what a refresh and shares of messages have in common.
namespace tacet::he::joint {

/// Whose uniform polynomial it is.
auto fresh_subject(FreshNumber number) -> Digest;

/// What shares of an opened ciphertext are about.
auto opened_subject(const Context& context, std::string_view what, const Ciphertext& ciphertext,
                    unsigned bits, FreshNumber number) -> Digest;

/// BFV, BGV: a uniform message modulo t.
auto draw_share(const Context& context, SecureRandom& random) -> Plaintext;

/// s_i c_1 - message, with noise.
auto opened_share(const Context& context, const Rows& secret, const Ciphertext& ciphertext,
                  unsigned bits, const Plaintext& share, SecureRandom& random) -> Polynomial;

/// -s_i a + e_i over all data primes, to which the message is added.
auto fresh_share(const Context& context, const Session& session, const Rows& secret,
                 FreshNumber number, SecureRandom& random) -> Polynomial;

/// The ciphertext whose first part is `first`, and whose second belongs to the number.
auto fresh_ciphertext(const Context& context, const Session& session, FreshNumber number,
                      Rows first) -> Ciphertext;

}  // namespace tacet::he::joint
