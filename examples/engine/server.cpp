// The side without the secret: loads parameters, keys and numbers that client.cpp encrypted,
// computes w x^2 + (x of the next slot) with weights w of its own, and writes the answer.
//
//   server SHARED
//
// All that it loads comes from somebody else; what is malformed, insecure or does not go together
// is an error that says so.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/he/encoding.h"
#include "engine/he/evaluation.h"
#include "engine/he/noise.h"
#include "engine/he/serialisation.h"

namespace fs = std::filesystem;
namespace he = tacet::he;

template <class T>
auto or_exit(tacet::Result<T> result) -> T {
  if (!result) {
    fmt::print(stderr, "server: {}\n", result.error().message);
    std::exit(1);
  }
  return std::move(result).value();
}

auto read_file(const fs::path& path) -> he::Bytes {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fmt::print(stderr, "server: cannot read {}\n", path.string());
    std::exit(1);
  }
  const std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(chars));
  return {bytes.begin(), bytes.end()};
}

auto weights(const he::Context& context) -> he::PlainFactor {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < context.n(); ++i) {
    numbers.push_back(static_cast<int64_t>(i % 9) - 4);
  }
  return or_exit(he::prepare_factor(context, or_exit(he::IntegerEncoder(context).encode(numbers))));
}

auto main(int argc, char** argv) -> int {
  if (argc != 2) {
    fmt::print(stderr, "usage: server SHARED\n");
    return 2;
  }
  const fs::path shared = argv[1];
  const auto context_ref = he::Context::make(
      or_exit(he::deserialise_parameters(read_file(shared / "parameters"))), {.n_threads = 2});
  const he::Context& context = *context_ref;
  const auto relinearisation_key = or_exit(
      he::deserialise_relinearisation_key(context, read_file(shared / "relinearisation_key")));
  const auto rotation_keys =
      or_exit(he::deserialise_rotation_keys(context, read_file(shared / "rotation_keys")));
  const auto x = or_exit(he::deserialise_ciphertext(context, read_file(shared / "numbers")));

  const he::Ciphertext next = or_exit(he::rotate(context, x, 1, rotation_keys));
  he::Ciphertext answer = or_exit(he::multiply(context, x, x));
  answer = or_exit(he::relinearise(context, std::move(answer), relinearisation_key));
  answer = or_exit(he::multiply_plain(context, std::move(answer), weights(context)));
  answer = or_exit(he::add(context, std::move(answer), next));
  // Every prime dropped makes the answer shorter; the first one is large enough for the message.
  while (answer.n_primes() > 1) {
    he::Ciphertext smaller = or_exit(he::drop_prime(context, answer));
    if (he::estimated_budget(context, smaller) < 1) {
      break;
    }
    answer = std::move(smaller);
  }
  const he::Bytes bytes = or_exit(he::serialise(context, answer));
  std::ofstream file(shared / "answer", std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file) {
    fmt::print(stderr, "server: cannot write the answer\n");
    return 1;
  }
  fmt::print("answer: {} bytes, {} of {} primes\n", bytes.size(), answer.n_primes(),
             context.n_data());
  return 0;
}
