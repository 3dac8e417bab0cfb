// Every operation of the schemes, as a table: `he_bench [SCHEME] [N] [THREADS]…`. Prints the median
// of many runs in microseconds, a line an operation, for `compare.mjs` to set beside other
// libraries' lines; see README.md.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"

namespace tacet::he {
namespace {

using Clock = std::chrono::steady_clock;

template <class T>
auto value(Result<T> result) -> T {
  if (!result) {
    fmt::print(stderr, "he_bench: {}\n", result.error().message);
    std::exit(1);
  }
  return std::move(result).value();
}

class Table {
 public:
  Table(std::string_view scheme, size_t n, unsigned n_threads)
      : prefix_(fmt::format("tacet,{},{},{}", scheme, n, n_threads)) {}

  /// Runs `body` for about a quarter of a second, at least seven times.
  template <class Body>
  void measure(std::string_view operation, const Body& body) {
    body();
    std::vector<double> times;
    const auto start = Clock::now();
    while (times.size() < 7 ||
           (Clock::now() - start < std::chrono::milliseconds(250) && times.size() < 2000)) {
      const auto before = Clock::now();
      body();
      times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
    }
    std::sort(times.begin(), times.end());
    fmt::print("{},{},{:.2f},{:.2f}\n", prefix_, operation, times[times.size() / 2], times[0]);
  }

 private:
  std::string prefix_;
};

/// The moduli that the other libraries take by default, within the 2024 table.
auto request_for(Scheme scheme, size_t n) -> ParameterRequest {
  return default_request(scheme, n, 20);
}

void run(Scheme scheme, size_t n, unsigned n_threads) {
  Result<SecureRandom> system = SecureRandom::from_system(best_isa());
  SecureRandom random = value(std::move(system));
  const ContextRef context_ref =
      Context::make(value(make_parameters(request_for(scheme, n))), {.n_threads = n_threads});
  const Context& context = *context_ref;
  Table table(scheme_name(scheme), n, n_threads);

  const SecretKey secret = generate_secret_key(context, random);
  const PublicKey public_key = generate_public_key(context, secret, random);
  const RelinearisationKey relinearisation_key =
      value(generate_relinearisation_key(context, secret, random));
  const uint64_t element = galois_element_of(context, 1);
  const RotationKeys rotation_keys =
      value(generate_rotation_keys(context, secret, std::span(&element, 1), random));

  Rows row = context.rows(1);
  row.clear();
  table.measure("forward NTT", [&] { context.transform(row.row(0), 0); });
  table.measure("inverse NTT", [&] { context.transform_back(row.row(0), 0); });

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
  table.measure("encode", encode);
  const Plaintext plaintext = encode();
  table.measure("encrypt, public key",
                [&] { return value(encrypt(context, public_key, plaintext, random)); });
  table.measure("encrypt, secret key",
                [&] { return value(encrypt(context, secret, plaintext, random)); });
  const Ciphertext a = value(encrypt(context, public_key, plaintext, random));
  const Ciphertext b = value(encrypt(context, public_key, plaintext, random));
  const CkksAudience audience{.kind = CkksAudience::Kind::KeyHolder};
  table.measure("decrypt", [&] { return value(decrypt(context, secret, a, random, audience)); });
  Ciphertext sum = a;
  table.measure("ct + ct", [&] { sum = value(add(context, std::move(sum), b)); });
  table.measure("ct + pt", [&] { return value(add_plain(context, a, plaintext)); });
  table.measure("ct x pt", [&] {
    return value(multiply_plain(context, a, value(prepare_factor(context, plaintext))));
  });
  const PlainFactor factor = value(prepare_factor(context, plaintext));
  Ciphertext product_plain = a;
  table.measure("ct x pt, both transformed", [&] {
    product_plain = value(multiply_plain(context, std::move(product_plain), factor));
  });
  table.measure("ct x ct", [&] { return value(multiply(context, a, b)); });
  const Ciphertext product = value(multiply(context, a, b));
  table.measure("relinearise",
                [&] { return value(relinearise(context, product, relinearisation_key)); });
  table.measure("ct x ct, relinearised", [&] {
    return value(relinearise(context, value(multiply(context, a, b)), relinearisation_key));
  });
  table.measure("rotate", [&] { return value(rotate(context, a, 1, rotation_keys)); });
  table.measure("hoist", [&] { return value(hoist(context, a)); });
  const HoistedCiphertext hoisted = value(hoist(context, a));
  table.measure("rotate, hoisted",
                [&] { return value(rotate(context, hoisted, 1, rotation_keys)); });
  if (context.n_data() > 1) {
    table.measure(scheme == Scheme::Ckks ? "rescale" : "modulus switch",
                  [&] { return value(drop_prime(context, a)); });
  }
  table.measure("one rotation key", [&] {
    return value(generate_rotation_keys(context, secret, std::span(&element, 1), random));
  });
}

}  // namespace
}  // namespace tacet::he

auto main(int argc, char** argv) -> int {
  using tacet::he::Scheme;
  const std::string_view only = argc > 1 ? argv[1] : "all";
  const size_t only_n = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
  const auto n_threads = argc > 3 ? static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)) : 1;
  for (const Scheme scheme : {Scheme::Bfv, Scheme::Bgv, Scheme::Ckks}) {
    for (const size_t n : {4096, 8192, 16384, 32768}) {
      if ((only == "all" || only == scheme_name(scheme)) && (only_n == 0 || only_n == n)) {
        tacet::he::run(scheme, n, n_threads);
      }
    }
  }
}
