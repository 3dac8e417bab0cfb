// The side with the secret: see server.cpp for the other one.
//
//   client prepare HOME SHARED   makes keys and encrypts numbers: the secret key goes to the folder
//                                HOME, all that the server needs to SHARED
//   client finish HOME SHARED    decrypts what the server answered, and verifies it

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/cpu.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"
#include "engine/he/serialisation.h"

namespace fs = std::filesystem;
namespace he = tacet::he;

template <class T>
auto or_exit(tacet::Result<T> result) -> T {
  if (!result) {
    fmt::print(stderr, "client: {}\n", result.error().message);
    std::exit(1);
  }
  return std::move(result).value();
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file) {
    fmt::print(stderr, "client: cannot write {}\n", path.string());
    std::exit(1);
  }
  fmt::print("{}: {} bytes\n", path.filename().string(), bytes.size());
}

auto read_file(const fs::path& path) -> he::Bytes {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fmt::print(stderr, "client: cannot read {}\n", path.string());
    std::exit(1);
  }
  const std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(chars));
  return {bytes.begin(), bytes.end()};
}

/// The numbers that the server must not see.
auto secret_numbers(const he::Context& context) -> std::vector<int64_t> {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < context.n(); ++i) {
    numbers.push_back(static_cast<int64_t>(i * i % 200) - 100);
  }
  return numbers;
}

void prepare(const fs::path& home, const fs::path& shared) {
  const auto context =
      he::Context::make(or_exit(he::make_parameters(he::default_request(he::Scheme::Bgv, 8192))));
  auto random = or_exit(tacet::secure_random::SecureRandom::from_system(tacet::best_isa()));
  const he::SecretKey key = he::generate_secret_key(*context, random);
  // Who can write to HOME can replace the key, who can read it can decrypt: nobody else should.
  fs::create_directories(home);
  fs::permissions(home, fs::perms::owner_all);
  fs::create_directories(shared);
  write_file(home / "secret_key", or_exit(he::serialise(*context, key)));

  write_file(shared / "parameters", he::serialise(context->parameters()));
  write_file(shared / "relinearisation_key",
             or_exit(he::serialise(
                 *context, or_exit(he::generate_relinearisation_key(*context, key, random)))));
  const uint64_t by_one[] = {he::galois_element_of(*context, 1)};
  write_file(shared / "rotation_keys",
             or_exit(he::serialise(
                 *context, or_exit(he::generate_rotation_keys(*context, key, by_one, random)))));
  // Encrypted with the secret key, a ciphertext is stored in half the bytes.
  const auto numbers = or_exit(he::IntegerEncoder(*context).encode(secret_numbers(*context)));
  write_file(
      shared / "numbers",
      or_exit(he::serialise(*context, or_exit(he::encrypt(*context, key, numbers, random)))));
}

void finish(const fs::path& home, const fs::path& shared) {
  const auto context =
      he::Context::make(or_exit(he::deserialise_parameters(read_file(shared / "parameters"))));
  auto random = or_exit(tacet::secure_random::SecureRandom::from_system(tacet::best_isa()));
  const auto key = or_exit(he::deserialise_secret_key(*context, read_file(home / "secret_key")));
  const auto answer = or_exit(he::deserialise_ciphertext(*context, read_file(shared / "answer")));
  const auto result = or_exit(
      he::IntegerEncoder(*context).decode(or_exit(he::decrypt(*context, key, answer, random))));

  const std::vector<int64_t> numbers = secret_numbers(*context);
  const size_t half = context->n() / 2;
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t next = i / half * half + (i + 1) % half;
    const int64_t weight = static_cast<int64_t>(i % 9) - 4;
    if (result[i] != weight * numbers[i] * numbers[i] + numbers[next]) {
      fmt::print(stderr, "client: slot {} is {}\n", i, result[i]);
      std::exit(1);
    }
  }
  fmt::print("the server's answer is right in all {} slots\n", result.size());
}

auto main(int argc, char** argv) -> int {
  const std::string_view command = argc == 4 ? argv[1] : "";
  if (command == "prepare") {
    prepare(argv[2], argv[3]);
  } else if (command == "finish") {
    finish(argv[2], argv[3]);
  } else {
    fmt::print(stderr, "usage: client prepare|finish HOME SHARED\n");
    return 2;
  }
  return 0;
}
