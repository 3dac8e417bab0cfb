#pragma once

#include <memory>

#include "engine/mpc/protocol.h"

namespace tacet::mpc {

/// The protocol `rep4`: four parties, of which one may do anything. It learns nothing, and the
/// others get right results or end the run; they cannot be kept from ending it.
///
/// Replicated shares (Dalskov, Escudero, Keller, "Fantastic Four: Honest-Majority Four-Party Secure
/// Computation With Malicious Security", eprint 2020/1330): a secret is x0 + x1 + x2 + x3, or the
/// exclusive or, and party i holds all parts but x_i. So each part is known to three, and a product
/// x_i y_j + x_j y_i to the two others than i and j.
///
/// *Joint messages.* All that is ever sent to compute is known to two parties, the *sender* and the
/// *voucher*. The sender sends it; the voucher and the receiver hash it, under a key of theirs that
/// the sender does not know. `check` compares the hashes: with one liar, either the sender or the
/// voucher is honest, so that what was received is right, or the hashes differ. A value v that
/// parties k and l know is shared as v - r and r, with a mask r that i, k and l draw from a key
/// that j does not have, and v - r is sent to j: to each party that did not know v, this is
/// uniform. All of the following is made of this step, of local computation on parts, which three
/// parties do alike, and of nothing else:
///
///   * products, dot products, products of matrices, conjunctions: one step for each of the six
///     pairs;
///   * two of the parts of a number, a, are known to two parties, and the sum of the others, b, to
///     the other two: sums, tests for zero, bits as numbers and truncations share functions of a
///     and of b, and multiply these where they must (truncation.cpp);
///   * a permutation has four factors, each known to three parties; to apply one, each part but the
///     one that these three share is shared anew (permutation.cpp);
///   * of an input, the owner sends one part to two parties, which compare hashes: what it is, is
///     up to the owner, but it is one value.
///
/// *Openings.* What is opened comes from a sender with a hash of a voucher, and is compared at
/// once. Before that, one round of `check` says to every honest party whether any of them was lied
/// to, so that none of them shows a part of something that another one knows to be wrong.
///
/// *What an abort says.* Messages are checked long after they are sent, and a party that was lied
/// to has sent and vouched for others since, which are wrong by what it knows and the liar does
/// not. So hashes are not shown, nor the ones that differ: `check` shows the sum of all, blinded,
/// which is zero or random (joint_messages.cpp). Whether it is zero depends on what the liar sent
/// and saw alone. For the same reason the error does not name who lied; only where keys, openings
/// and contributions are compared, which no lie about messages reaches, it names a pair.
///
/// Nothing fails otherwise: exact truncation is never wrong, and the probabilistic one of other
/// protocols, where a liar who knows the masks could choose what becomes wrong, is exact here.
///
/// The hash is GMAC: a lie of n blocks of 16 bytes passes with a probability of n / 2^128, besides
/// the security of AES. Keys are of a pair and a direction; nonces are of a sender, or of openings,
/// and are counted, so that what was sent before is of no use. Everything between two checks is one
/// message, so that messages cannot change places.
///
/// Deviations from the paper: hashes are keyed, and their comparison says one bit; values of half
/// sums, truncations and bits are shared by pairs instead of by dealing random bits; the run always
/// ends with an abort, without a second run that would tolerate the liar.
auto make_rep4() -> std::unique_ptr<Protocol>;

}  // namespace tacet::mpc
