#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/wipe.h"
#include "engine/he/serialisation.h"
#include "engine/he_joint/session.h"

namespace tacet::he::joint {

/// The steps in which parties send something. The numbers are part of the format.
enum class Step : uint8_t {
  PublicKey = 1,
  RelinearisationFirst = 2,
  RelinearisationSecond = 3,
  RotationKeys = 4,
  SecretShare = 5,
  Decryption = 6,
  KeySwitching = 7,
  Refresh = 8,
  ToShares = 9,
  FromShares = 10,
};

/// As errors call it; empty for a number that is no step.
auto step_name(Step step) -> std::string_view;

/// What primes a polynomial is over: the first data primes, and the special ones if it is extended.
struct Shape {
  size_t n_primes = 0;
  bool is_extended = false;

  friend auto operator==(Shape, Shape) -> bool = default;
};

/// A transformed polynomial.
struct Polynomial {
  Shape shape;
  Rows rows;
};

/// A polynomial of any content.
auto make_polynomial(const Context& context, Shape shape, Wipe wipe = Wipe::No) -> Polynomial;

/// What a party sends in a step, or a sum of what several sent.
struct Message {
  Step step{};
  /// The session, what it is about, and who takes part: shares that differ in any of them are not
  /// added.
  Digest session{};
  Digest subject{};
  PartySet participants;
  /// Whose shares it is the sum of.
  PartySet senders;
  /// The only party that may see it, for shares of secrets.
  std::optional<unsigned> receiver;
  std::vector<Polynomial> polynomials;
};

/// As an object of the engine (docs/subsystems/he_joint.md has the format). The result is wiped if
/// it is for one receiver alone.
auto serialise(const Context& context, const Message& message) -> Result<SecureBytes>;
/// Every byte is checked before it is used, as those of all objects are.
auto deserialise_message(const Context& context, std::span<const std::byte> bytes)
    -> Result<Message>;

/// What the messages of a step must have in common.
struct Expected {
  Step step{};
  Digest subject{};
  PartySet participants;
  std::vector<Shape> shapes;
};

/// The sum of messages of different parties about the same: what a helper may send on in their
/// place. An error if they do not go together.
auto merge(const Context& context, std::span<const Message> messages) -> Result<Message>;

/// The sum of the messages of all participants. An error names what does not belong, and the
/// parties whose message is missing or there twice.
auto sum_of(const Context& context, const Session& session, const Expected& expected,
            std::span<const Message> messages) -> Result<Message>;

}  // namespace tacet::he::joint
