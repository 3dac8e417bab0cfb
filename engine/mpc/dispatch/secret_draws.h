#pragma once

#include "engine/mpc/dispatch/context.h"
#include "engine/mpc/dispatch/dispatch.h"

/// Draws of which nobody knows what they are.
///
/// A secret is a sum of parts, and each part of a share is held by some of the parties, by none all
/// of them. Who holds a part holds a key for it, and the part of a draw is a function of that key
/// and the draw's place: so holders agree without a message, in whatever order and however often
/// draws are made, and a draw is as unknown to a party as the parts that it does not hold. The keys
/// are fresh in every run and never shared; the generator differs from that of public draws
/// (`engine/random`).
///
/// * `rand_u64`: the parts are uniform words. Nothing is sent.
/// * `rand_int(n)`: each part is uniform below n, so their sum modulo n is, even to a party that
/// knows the other parts. It is found by comparing the sum with each multiple of n. `rand_bool` and
///   `rand_uniform` are made of it, and exact too.
/// * `rand_normal`: each part is normal, with a share of the variance, rounded to the format. So
///   the sum is normal, but for `normal_of_bits` and a last place for each part. To a party that
///   knows k of N parts what it does not know is normal too, with (N - k) / N of the variance.
/// * `rand_permutation`: a shuffle.
namespace tacet::mpc {

/// Makes the keys of a run. All parties alike, once, before the first secret draw; nothing is sent
/// where `Protocol::random_share` sends nothing.
auto make_draw_keys(Party& party) -> Task<DrawKeys>;

}  // namespace tacet::mpc
