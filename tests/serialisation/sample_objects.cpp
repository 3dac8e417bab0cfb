#include "tests/serialisation/sample_objects.h"

#include <algorithm>

#include "base/check.h"
#include "base/value.h"
#include "engine/he/bootstrapping/bootstrapper.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"
#include "engine/he/object_envelope.h"
#include "engine/he_joint/message.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::he {
namespace {

void add_sample(SampleWorld& world, std::string name, std::span<const std::byte> bytes) {
  world.samples.push_back({std::move(name), {bytes.begin(), bytes.end()}});
}

auto encode_sample(const Context& context) -> Plaintext {
  if (context.scheme() == Scheme::Ckks) {
    const std::vector<double> numbers = {1.5, -2, 3};
    return value(ComplexEncoder(context).encode(numbers, 0x1p+20, 0, 4));
  }
  const std::vector<int64_t> numbers = {1, -2, 3};
  return value(IntegerEncoder(context).encode(numbers));
}

/// Polynomials of both shapes.
auto joint_share(const Ciphertext& ciphertext) -> joint::Message {
  joint::Message message{.step = joint::Step::Refresh,
                         .session = joint::subject_of("session"),
                         .subject = joint::subject_of("ciphertext"),
                         .participants = joint::PartySet::first(1),
                         .senders = joint::PartySet::first(1),
                         .receiver = {},
                         .polynomials = {}};
  message.polynomials.push_back(
      {.shape = {.n_primes = ciphertext.n_primes()}, .rows = ciphertext.parts[0]});
  Rows extended = ciphertext.parts[1];
  extended.keep(2);
  for (size_t i = 0; i < extended.n(); ++i) {
    extended.row(1)[i] = i;  // less than any modulus
  }
  message.polynomials.push_back(
      {.shape = {.n_primes = 1, .is_extended = true}, .rows = std::move(extended)});
  return message;
}

auto make_world(Scheme scheme) -> SampleWorld {
  SampleWorld world;
  world.context = Context::make(
      value(insecure_test_parameters({.scheme = scheme,
                                      .ring_dimension = 64,
                                      .data_prime_bits = {30, 25, 20},
                                      .special_prime_bits = {31},
                                      .plain_modulus = scheme == Scheme::Ckks ? 0U : 257U})));
  const Context& context = *world.context;
  SecureRandom random = secure_random::seeded_random(secure_random::TestSeed::of(4), best_isa());
  const SecretKey secret = generate_secret_key(context, random);
  const PublicKey public_key = value(generate_public_key(context, secret, random));
  const uint64_t elements[] = {galois_element_of(context, 1), galois_element_of_swap(context)};
  const Plaintext plaintext = encode_sample(context);
  const Ciphertext ciphertext = value(encrypt(context, public_key, plaintext, random));
  add_sample(world, "parameters", serialise(context.parameters()));
  add_sample(world, "secret_key", value(serialise(context, secret)));
  add_sample(world, "public_key", value(serialise(context, public_key)));
  for (const size_t n_primes : {1U, 3U}) {
    const std::string suffix = "_" + std::to_string(n_primes);
    add_sample(world, "relinearisation_key" + suffix,
               value(serialise(context, value(generate_relinearisation_key(context, secret, random,
                                                                           n_primes)))));
    add_sample(world, "rotation_keys" + suffix,
               value(serialise(context, value(generate_rotation_keys(context, secret, elements,
                                                                     random, n_primes)))));
  }
  // As joint keys are.
  RelinearisationKey unseeded = value(generate_relinearisation_key(context, secret, random, 2));
  unseeded.key.seed.reset();
  add_sample(world, "relinearisation_key_unseeded", value(serialise(context, unseeded)));
  if (scheme == Scheme::Ckks) {
    add_sample(
        world, "bootstrapping_keys",
        value(serialise(context, value(generate_bootstrapping_keys(context, secret, random)))));
  }
  add_sample(world, "plaintext", value(serialise(context, plaintext)));
  add_sample(world, "ciphertext", value(serialise(context, ciphertext)));
  add_sample(world, "seeded_ciphertext",
             value(serialise(context, value(encrypt(context, secret, plaintext, random)))));
  add_sample(world, "product",
             value(serialise(context, value(multiply(context, ciphertext, ciphertext)))));
  add_sample(world, "dropped", value(serialise(context, value(drop_prime(context, ciphertext)))));
  add_sample(world, "joint_share", value(serialise(context, joint_share(ciphertext))));
  return world;
}

/// Where the header has the kind.
constexpr size_t kKindPlace = 10;

auto is_same(std::span<const std::byte> a, std::span<const std::byte> b) -> bool {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

template <class T>
auto accepted(const SampleWorld& world, std::span<const std::byte> bytes, const Result<T>& object)
    -> bool {
  if (!object) {
    TACET_CHECK(!object.error().message.empty(), "an error without a reason");
    return false;
  }
  const auto again = serialise(*world.context, object.value());
  TACET_CHECK(again && is_same(again.value(), bytes), "an object has two forms");
  return true;
}

}  // namespace

auto make_sample_worlds() -> std::vector<SampleWorld> {
  std::vector<SampleWorld> worlds;
  for (const Scheme scheme : {Scheme::Bfv, Scheme::Bgv, Scheme::Ckks}) {
    worlds.push_back(make_world(scheme));
  }
  return worlds;
}

void repair(const SampleWorld& world, std::span<std::byte> object) {
  if (object.size() < kEnvelopeSize) {
    return;
  }
  const auto kind = static_cast<ObjectKind>(object[kKindPlace]);
  if (!object_kind_name(kind).empty()) {
    seal_envelope(kind, world.context->scheme(), world.context->parameters().digest(), object);
  }
}

auto load(const SampleWorld& world, std::span<const std::byte> bytes) -> bool {
  const Context& context = *world.context;
  const Result<ObjectHeader> header = read_object_header(bytes);
  if (!header) {
    // All kinds must reject it.
    TACET_CHECK(!deserialise_parameters(bytes, InsecureParameters::Accept), "not by its header");
    return accepted(world, bytes, deserialise_secret_key(context, bytes)) ||
           accepted(world, bytes, deserialise_public_key(context, bytes)) ||
           accepted(world, bytes, deserialise_relinearisation_key(context, bytes)) ||
           accepted(world, bytes, deserialise_rotation_keys(context, bytes)) ||
           accepted(world, bytes, deserialise_bootstrapping_keys(context, bytes)) ||
           accepted(world, bytes, deserialise_plaintext(context, bytes)) ||
           accepted(world, bytes, deserialise_ciphertext(context, bytes)) ||
           accepted(world, bytes, joint::deserialise_message(context, bytes));
  }
  switch (header.value().kind) {
    case ObjectKind::Parameters: {
      const Result<Parameters> parameters =
          deserialise_parameters(bytes, InsecureParameters::Accept);
      TACET_CHECK(!parameters || is_same(serialise(parameters.value()), bytes),
                  "parameters have two forms");
      return parameters.has_value();
    }
    case ObjectKind::SecretKey:
      return accepted(world, bytes, deserialise_secret_key(context, bytes));
    case ObjectKind::PublicKey:
      return accepted(world, bytes, deserialise_public_key(context, bytes));
    case ObjectKind::RelinearisationKey:
      return accepted(world, bytes, deserialise_relinearisation_key(context, bytes));
    case ObjectKind::RotationKeys:
      return accepted(world, bytes, deserialise_rotation_keys(context, bytes));
    case ObjectKind::BootstrappingKeys:
      return accepted(world, bytes, deserialise_bootstrapping_keys(context, bytes));
    case ObjectKind::Plaintext:
      return accepted(world, bytes, deserialise_plaintext(context, bytes));
    case ObjectKind::Ciphertext:
      return accepted(world, bytes, deserialise_ciphertext(context, bytes));
    case ObjectKind::JointShare:
      return accepted(world, bytes, joint::deserialise_message(context, bytes));
  }
  return false;
}

}  // namespace tacet::he
