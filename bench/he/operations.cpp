// Times of the schemes' operations: `measure_he SCHEME N THREADS` prints a line with the name of
// every operation, then an empty one, and then for every operation named on the standard input the
// median and the least time of a run in microseconds. `compare.py` alternates between several such
// programs; see README.md of the folder above.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string_view>

#include "base/value.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"

namespace tacet::he {
namespace {

using Clock = std::chrono::steady_clock;

class Operations {
 public:
  template <class Body>
  void add(std::string_view name, Body body) {
    operations_.emplace_back(name, [body = std::move(body)] { static_cast<void>(body()); });
  }

  void serve(std::istream& requests) const {
    for (const auto& [name, body] : operations_) {
      fmt::print("{}\n", name);
    }
    fmt::print("\n");
    std::fflush(stdout);
    for (std::string wanted; std::getline(requests, wanted);) {
      for (const auto& [name, body] : operations_) {
        if (name == wanted) {
          measure(body);
        }
      }
    }
  }

 private:
  /// Runs `body` for 60 ms, at least three times.
  static void measure(const std::function<void()>& body) {
    body();
    std::vector<double> times;
    const auto start = Clock::now();
    while (times.size() < 3 || Clock::now() - start < std::chrono::milliseconds(60)) {
      const auto before = Clock::now();
      body();
      times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
    }
    std::sort(times.begin(), times.end());
    fmt::print("{:.2f} {:.2f}\n", times[times.size() / 2], times[0]);
    std::fflush(stdout);
  }

  std::vector<std::pair<std::string, std::function<void()>>> operations_;
};

void run(Scheme scheme, size_t n, unsigned n_threads) {
  Result<SecureRandom> system = SecureRandom::from_system(best_isa());
  SecureRandom random = value(std::move(system));
  const ContextRef context_ref = Context::make(
      value(make_parameters(default_request(scheme, n, 20))), {.n_threads = n_threads});
  const Context& context = *context_ref;
  Operations operations;

  const SecretKey secret = generate_secret_key(context, random);
  const PublicKey public_key = value(generate_public_key(context, secret, random));
  const RelinearisationKey relinearisation_key =
      value(generate_relinearisation_key(context, secret, random));
  const uint64_t element = galois_element_of(context, 1);
  const RotationKeys rotation_keys =
      value(generate_rotation_keys(context, secret, std::span(&element, 1), random));

  Rows row = context.rows(1);
  row.clear();
  operations.add("forward NTT", [&] { context.transform(row.row(0), 0); });
  operations.add("inverse NTT", [&] { context.transform_back(row.row(0), 0); });

  std::vector<int64_t> numbers(n);
  for (size_t i = 0; i < n; ++i) {
    numbers[i] = static_cast<int64_t>(i % 1000);
  }
  std::vector<double> reals(numbers.begin(), numbers.begin() + static_cast<ptrdiff_t>(n / 2));
  std::optional<IntegerEncoder> integers;
  std::optional<ComplexEncoder> reals_encoder;
  if (scheme == Scheme::Ckks) {
    reals_encoder.emplace(context);
  } else {
    integers.emplace(context);
  }
  const auto encode = [&] {
    return scheme == Scheme::Ckks ? value(reals_encoder->encode(reals, 0x1p30, 0, 1000))
                                  : value(integers->encode(numbers));
  };
  operations.add("encode", encode);
  const Plaintext plaintext = encode();
  operations.add("encrypt, public key",
                 [&] { return value(encrypt(context, public_key, plaintext, random)); });
  operations.add("encrypt, secret key",
                 [&] { return value(encrypt(context, secret, plaintext, random)); });
  const Ciphertext a = value(encrypt(context, public_key, plaintext, random));
  const Ciphertext b = value(encrypt(context, public_key, plaintext, random));
  const CkksAudience audience{.kind = CkksAudience::Kind::KeyHolder};
  operations.add("decrypt", [&] { return value(decrypt(context, secret, a, random, audience)); });
  Ciphertext sum = a;
  operations.add("ct + ct", [&] { sum = value(add(context, std::move(sum), b)); });
  operations.add("ct + pt", [&] { return value(add_plain(context, a, plaintext)); });
  operations.add("ct x pt", [&] {
    return value(multiply_plain(context, a, value(prepare_factor(context, plaintext))));
  });
  const PlainFactor factor = value(prepare_factor(context, plaintext));
  Ciphertext product_plain = a;
  operations.add("ct x pt, both transformed", [&] {
    product_plain.metadata.scale = a.metadata.scale;  // which would grow without end
    product_plain = value(multiply_plain(context, std::move(product_plain), factor));
  });
  operations.add("ct x ct", [&] { return value(multiply(context, a, b)); });
  const Ciphertext product = value(multiply(context, a, b));
  operations.add("relinearise",
                 [&] { return value(relinearise(context, product, relinearisation_key)); });
  operations.add("ct x ct, relinearised", [&] {
    return value(relinearise(context, value(multiply(context, a, b)), relinearisation_key));
  });
  operations.add("rotate", [&] { return value(rotate(context, a, 1, rotation_keys)); });
  operations.add("hoist", [&] { return value(hoist(context, a)); });
  const HoistedCiphertext hoisted = value(hoist(context, a));
  operations.add("rotate, hoisted",
                 [&] { return value(rotate(context, hoisted, 1, rotation_keys)); });
  if (context.n_data() > 1) {
    operations.add(scheme == Scheme::Ckks ? "rescale" : "modulus switch",
                   [&] { return value(drop_prime(context, a)); });
  }
  operations.add("one rotation key", [&] {
    return value(generate_rotation_keys(context, secret, std::span(&element, 1), random));
  });

  operations.serve(std::cin);
}

}  // namespace
}  // namespace tacet::he

auto main(int argc, char** argv) -> int {
  using tacet::he::Scheme;
  if (argc != 4) {
    fmt::print(stderr, "usage: measure_he bfv|bgv|ckks N THREADS\n");
    return 2;
  }
  for (const Scheme scheme : {Scheme::Bfv, Scheme::Bgv, Scheme::Ckks}) {
    std::string name(tacet::he::scheme_name(scheme));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name == argv[1]) {
      tacet::he::run(scheme, std::strtoul(argv[2], nullptr, 10),
                     static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)));
    }
  }
}
