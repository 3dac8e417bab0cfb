#include "engine/he_joint/message.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/he/object_envelope.h"
#include "engine/he/packed_rows.h"

// The body: the step (1 byte), the receiver's number or 255 (1), the digests of session and subject
// (32 each), participants and senders, a bit for each party (8 each), and the number of polynomials
// (4). Of each polynomial the number of its data primes, plus 128 if it is extended (1), and its
// rows.
namespace tacet::he::joint {
namespace {

constexpr size_t kFieldsSize = 1 + 1 + 32 + 32 + 8 + 8 + 4;
constexpr uint64_t kEveryone = 255;
constexpr uint64_t kExtended = 128;
static_assert(kMaxPrimes < kExtended && kMaxKeyHolders < kEveryone);

auto n_rows_of(const Context& context, Shape shape) -> size_t {
  return shape.n_primes + (shape.is_extended ? context.n_special() : 0);
}

auto moduli_of(const Context& context, Shape shape) -> std::vector<Modulus> {
  std::vector<Modulus> moduli;
  const size_t n_rows = n_rows_of(context, shape);
  for (size_t i = 0; i < n_rows; ++i) {
    moduli.push_back(context.modulus(context.prime_of_row(shape.n_primes, i)));
  }
  return moduli;
}

auto names_of(PartySet parties) -> std::string {
  const std::vector<unsigned> members = parties.members();
  return fmt::format("{} {}", members.size() == 1 ? "party" : "parties", fmt::join(members, ", "));
}

auto shapes_of(const Message& message) -> std::vector<Shape> {
  std::vector<Shape> shapes;
  for (const Polynomial& polynomial : message.polynomials) {
    shapes.push_back(polynomial.shape);
  }
  return shapes;
}

auto expected_like(const Message& message) -> Expected {
  return {.step = message.step,
          .subject = message.subject,
          .participants = message.participants,
          .shapes = shapes_of(message)};
}

auto check_belongs(const Digest& session, const Expected& expected, const Message& message)
    -> Status {
  const std::string from = names_of(message.senders);
  if (message.receiver) {
    return Error{fmt::format("the message of {} is for party {} alone and cannot be added", from,
                             *message.receiver)};
  }
  if (message.session != session) {
    return Error{
        fmt::format("the message of {} is of another session: parameters, number of "
                    "parties, threshold and seed must be the same",
                    from)};
  }
  if (message.step != expected.step) {
    return Error{fmt::format("the message of {} is of step '{}', expected '{}'", from,
                             step_name(message.step), step_name(expected.step))};
  }
  if (message.participants != expected.participants) {
    return Error{fmt::format("the message of {} is for a step of {}, expected one of {}", from,
                             names_of(message.participants), names_of(expected.participants))};
  }
  if (message.subject != expected.subject) {
    return Error{
        fmt::format("the message of {} in step '{}' is about something else: another "
                    "ciphertext, key, number or width of noise",
                    from, step_name(message.step))};
  }
  if (shapes_of(message) != expected.shapes) {
    return Error{fmt::format("the message of {} in step '{}' has polynomials of other sizes", from,
                             step_name(message.step))};
  }
  return std::monostate{};
}

void add_rows(const Context& context, const Polynomial& from, Polynomial& to) {
  context.for_each(to.rows.n_rows(), [&](size_t i) {
    context.kernels().add(to.rows.row(i), to.rows.row(i), from.rows.row(i), context.n(),
                          context.modulus(context.prime_of_row(to.shape.n_primes, i)));
  });
}

auto read_polynomial(const Context& context, FieldReader& reader) -> Result<Polynomial> {
  const uint64_t primes = reader.number(1);
  const Shape shape{.n_primes = primes % kExtended, .is_extended = primes >= kExtended};
  if (reader.is_short() || shape.n_primes < 1 || shape.n_primes > context.n_data() ||
      (shape.is_extended && context.n_special() == 0)) {
    return Error{"the joint share has a polynomial whose primes the parameters do not have"};
  }
  const std::vector<Modulus> moduli = moduli_of(context, shape);
  const size_t size = packed_size(context.n(), moduli);
  if (reader.n_left() < size) {
    return Error{"the joint share ends within a polynomial"};
  }
  Result<Rows> rows = unpack_rows(context, reader.take(size), moduli, "joint share", Wipe::Yes);
  if (!rows) {
    return rows.error();
  }
  return Polynomial{.shape = shape, .rows = std::move(*rows)};
}

}  // namespace

auto step_name(Step step) -> std::string_view {
  switch (step) {
    case Step::PublicKey:
      return "public key";
    case Step::RelinearisationFirst:
      return "relinearisation key, first round";
    case Step::RelinearisationSecond:
      return "relinearisation key, second round";
    case Step::RotationKeys:
      return "rotation keys";
    case Step::SecretShare:
      return "sharing of the secret";
    case Step::Decryption:
      return "decryption";
    case Step::KeySwitching:
      return "switching to another key";
    case Step::Refresh:
      return "refresh";
    case Step::ToShares:
      return "ciphertext to shares";
    case Step::FromShares:
      return "shares to ciphertext";
  }
  return {};
}

auto make_polynomial(const Context& context, Shape shape, Wipe wipe) -> Polynomial {
  return {.shape = shape, .rows = context.rows(n_rows_of(context, shape), wipe)};
}

auto serialise(const Context& context, const Message& message) -> Result<SecureBytes> {
  size_t size = kEnvelopeSize + kFieldsSize;
  for (const Polynomial& polynomial : message.polynomials) {
    const std::vector<Modulus> moduli = moduli_of(context, polynomial.shape);
    if (polynomial.rows.n_rows() != moduli.size() || polynomial.rows.n() != context.n()) {
      return Error{"the joint share is empty, or its size does not match the parameters"};
    }
    size += 1 + packed_size(context.n(), moduli);
  }
  SecureBytes object(size);
  FieldWriter writer = body_writer(object);
  writer.number(static_cast<uint64_t>(message.step), 1);
  writer.number(message.receiver ? *message.receiver : kEveryone, 1);
  writer.bytes(message.session);
  writer.bytes(message.subject);
  writer.number(message.participants.bits(), 8);
  writer.number(message.senders.bits(), 8);
  writer.number(message.polynomials.size(), 4);
  for (const Polynomial& polynomial : message.polynomials) {
    const std::vector<Modulus> moduli = moduli_of(context, polynomial.shape);
    writer.number(polynomial.shape.n_primes + (polynomial.shape.is_extended ? kExtended : 0), 1);
    pack_rows(context, polynomial.rows.row_pointers(), moduli,
              writer.take(packed_size(context.n(), moduli)));
  }
  seal_envelope(ObjectKind::JointShare, context.scheme(), context.parameters().digest(), object);
  return object;
}

auto deserialise_message(const Context& context, std::span<const std::byte> bytes)
    -> Result<Message> {
  const Result<std::span<const std::byte>> body =
      open_envelope(context, bytes, ObjectKind::JointShare);
  if (!body) {
    return body.error();
  }
  FieldReader reader(body.value());
  Message message;
  message.step = static_cast<Step>(reader.number(1));
  const uint64_t receiver = reader.number(1);
  reader.bytes(message.session);
  reader.bytes(message.subject);
  message.participants = PartySet(reader.number(8));
  message.senders = PartySet(reader.number(8));
  const uint64_t n_polynomials = reader.number(4);
  if (reader.is_short()) {
    return Error{fmt::format("the joint share has a body of {} bytes, which is too short",
                             body.value().size())};
  }
  if (step_name(message.step).empty()) {
    return Error{fmt::format("the joint share is of step {}, which this release does not know",
                             static_cast<unsigned>(message.step))};
  }
  const unsigned n_parties = context.parameters().n_key_holders();
  if (!message.participants.is_within(PartySet::first(n_parties)) ||
      message.senders == PartySet() || !message.senders.is_within(message.participants) ||
      (receiver != kEveryone && receiver >= n_parties)) {
    return Error{
        fmt::format("the joint share names parties that the key of {} does not have", n_parties)};
  }
  if (receiver != kEveryone) {
    message.receiver = static_cast<unsigned>(receiver);
  }
  for (uint64_t i = 0; i < n_polynomials; ++i) {
    Result<Polynomial> polynomial = read_polynomial(context, reader);
    if (!polynomial) {
      return polynomial.error();
    }
    message.polynomials.push_back(std::move(*polynomial));
  }
  if (reader.n_left() != 0) {
    return Error{fmt::format("the joint share has {} bytes too many", reader.n_left())};
  }
  return message;
}

auto merge(const Context& context, std::span<const Message> messages) -> Result<Message> {
  if (messages.empty()) {
    return Error{"there is no message to add"};
  }
  const Expected expected = expected_like(messages[0]);
  for (const Message& message : messages) {
    if (Status status = check_belongs(messages[0].session, expected, message); !status) {
      return status.error();
    }
  }
  Message sum = messages[0];
  for (const Message& message : messages.subspan(1)) {
    if (const PartySet twice = sum.senders & message.senders; twice != PartySet()) {
      return Error{fmt::format("there is more than one message of {} in step '{}'", names_of(twice),
                               step_name(sum.step))};
    }
    sum.senders = sum.senders | message.senders;
    for (size_t i = 0; i < sum.polynomials.size(); ++i) {
      add_rows(context, message.polynomials[i], sum.polynomials[i]);
    }
  }
  return sum;
}

auto sum_of(const Context& context, const Session& session, const Expected& expected,
            std::span<const Message> messages) -> Result<Message> {
  PartySet senders;
  for (const Message& message : messages) {
    if (Status status = check_belongs(session.digest(), expected, message); !status) {
      return status.error();
    }
    senders = senders | message.senders;
  }
  if (const PartySet missing = expected.participants - senders; missing != PartySet()) {
    return Error{fmt::format("missing messages of {} in step '{}'", names_of(missing),
                             step_name(expected.step))};
  }
  return merge(context, messages);
}

}  // namespace tacet::he::joint
