// Both sides of a masked product: the factors of one and of the other, the keys, the masks.

#include "base/value.h"
#include "engine/masked_products/products.h"
#include "engine/secure_random/test_seed.h"
#include "tests/constant_time/secret.h"

namespace tacet::masked_products {
namespace {

using constant_time::is_secret;
using constant_time::make_public;
using constant_time::make_secret;

auto secret_generator(Isa isa) -> he::SecureRandom {
  secure_random::TestSeed seed = secure_random::TestSeed::of(1);
  make_secret(std::span(seed.entropy));
  return secure_random::seeded_random(seed, isa);
}

/// Numbers of one width, in slots and as coefficients.
template <class Word>
void multiply(const Keys& keys, const PublicKeys& public_keys, unsigned bits,
              he::SecureRandom& random, constant_time::Cases& cases) {
  const size_t n_primes = Setting::primes_for(bits, 2);
  std::vector<Word> theirs(keys.setting().n_slots(), Word{3});
  std::vector<Word> ours(keys.setting().n_slots(), static_cast<Word>(~Word{0}));
  make_secret(std::span(theirs));
  make_secret(std::span(ours));
  Bytes sent =
      value(encrypt(keys, n_primes, Packing::Slots, std::span<const Word>(theirs), random));
  make_public(std::span(sent));
  ProductSums<Word> sums(public_keys, n_primes, Packing::Slots);
  sums.add(value(read_factor(keys.setting(), n_primes, sent)), std::span<const Word>(ours));
  std::vector<Word> mask(100);
  Bytes reply = value(sums.hide(std::span<Word>(mask), random));
  cases.expect(is_secret(std::span(mask)), "mask");
  make_public(std::span(reply));
  std::vector<Word> opened(mask.size());
  static_cast<void>(value(open(keys, n_primes, reply, std::span<Word>(opened), random)));
  cases.expect(is_secret(std::span(opened)), "opened products");

  // Products of polynomials, of which some coefficients are wanted.
  sent =
      value(encrypt(keys, n_primes, Packing::Coefficients, std::span<const Word>(theirs), random));
  make_public(std::span(sent));
  ProductSums<Word> polynomials(public_keys, n_primes, Packing::Coefficients);
  polynomials.add(value(read_factor(keys.setting(), n_primes, sent)), std::span<const Word>(ours));
  const std::vector<uint32_t> wanted = {0, 7, 8191};
  mask.resize(wanted.size());
  opened.resize(wanted.size());
  reply = value(polynomials.hide_coefficients(wanted, std::span<Word>(mask), random));
  make_public(std::span(reply));
  static_cast<void>(
      value(open_coefficients(keys, n_primes, wanted, reply, std::span<Word>(opened), random)));
  cases.expect(is_secret(std::span(opened)), "opened coefficients");
}

void run(Isa isa, constant_time::Cases& cases) {
  he::SecureRandom random = secret_generator(isa);
  const SettingRef setting = value(Setting::make(isa));
  const Keys keys = value(Keys::generate(setting, random));
  Bytes bytes = keys.public_bytes();
  make_public(std::span(bytes));
  const PublicKeys public_keys = value(PublicKeys::read(setting, bytes));
  multiply<uint64_t>(keys, public_keys, 1, random, cases);
  multiply<uint64_t>(keys, public_keys, 32, random, cases);
}

}  // namespace
}  // namespace tacet::masked_products

auto main() -> int {
  tacet::constant_time::Cases cases;
  tacet::masked_products::run(tacet::best_isa(), cases);
  return cases.exit_code();
}
