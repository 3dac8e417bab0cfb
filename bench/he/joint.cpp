// measure_joint [PARTIES [N [ROUNDS]]]: keys of several parties in one process, BFV with 128 bits
// of security. Prints milliseconds of processor time of all parties together, with what combines
// their messages, on one thread, and bytes of a party's messages; medians.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "base/value.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he_joint/joint_keys.h"
#include "engine/he_joint/joint_refresh.h"

namespace tacet::he::joint {
namespace {

auto argument(int argc, char** argv, int at, size_t missing) -> size_t {
  return argc > at ? std::strtoull(argv[at], nullptr, 10) : missing;
}

class Measurement {
 public:
  Measurement(unsigned n_parties, size_t n, size_t n_rounds) : n_rounds_(n_rounds) {
    ParameterRequest request = default_request(Scheme::Bfv, n);
    request.n_key_holders = n_parties;
    context_ = Context::make(value(make_parameters(request)));
    random_ = std::make_unique<SecureRandom>(value(SecureRandom::from_system(best_isa())));
  }

  void run() {
    fmt::print("{} parties, N = {}, {} data primes, {:.0f} bits\n",
               context_->parameters().n_key_holders(), context_->n(), context_->n_data(),
               context_->parameters().modulus_bits());
    measure("public key", [&] { make_public_key(); });
    measure("relinearisation key, two rounds", [&] { make_relinearisation_key(); });
    measure("a rotation key", [&] { make_rotation_key(); });
    start_session();
    make_public_key();
    const IntegerEncoder encoder(*context_);
    const Plaintext message = value(encoder.encode(std::vector<int64_t>(context_->n(), 12345)));
    a_ = value(encrypt(*context_, key_, message, *random_));
    measure("decryption", [&] { decrypt_together(); });
    measure("switching to a receiver", [&] { switch_keys(); });
    measure("refresh", [&] { refresh(); });
    a_ = value(drop_to(*context_, std::move(a_), std::max<size_t>(context_->n_data() - 1, 1)));
    measure("refresh with a prime dropped", [&] { refresh(); });
  }

 private:
  /// Of the processor: other programs do not count.
  struct Clock {
    using duration = std::chrono::duration<double>;
    static auto now() -> duration {
      return duration(static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    }
  };

  void measure(std::string_view what, const std::function<void()>& body) {
    std::vector<double> milliseconds;
    for (size_t round = 0; round < n_rounds_; ++round) {
      bytes_ = 0;
      excluded_ = {};
      const Clock::duration start = Clock::now();
      body();
      const auto taken = Clock::now() - start - excluded_;
      milliseconds.push_back(std::chrono::duration<double, std::milli>(taken).count());
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    fmt::print("{:<34} {:>9.2f} ms {:>9.3f} MB a party\n", what,
               milliseconds[milliseconds.size() / 2], static_cast<double>(bytes_) / 1e6);
  }

  /// Draws keys, which is not measured.
  void start_session() {
    const Clock::duration start = Clock::now();
    session_ =
        std::make_unique<Session>(value(Session::make(*context_, PublicSeed::draw(*random_))));
    parties_.clear();
    for (unsigned i = 0; i < session_->n_parties(); ++i) {
      parties_.push_back(value(Party::make(*context_, *session_, i, *random_)));
    }
    excluded_ += Clock::now() - start;
  }

  /// As bytes, and back.
  template <class Make>
  auto exchanged(Make make) -> std::vector<Message> {
    std::vector<Message> messages;
    size_t size = 0;
    for (Party& party : parties_) {
      const SecureBytes bytes = value(serialise(*context_, make(party)));
      size = bytes.size();
      messages.push_back(value(deserialise_message(*context_, bytes)));
    }
    bytes_ += size;
    return messages;
  }

  void make_public_key() {
    start_session();
    key_ = value(combine_public_key(*context_, *session_, exchanged([&](Party& p) {
      return value(share_public_key(*context_, p, *random_));
    })));
  }
  void make_relinearisation_key() {
    start_session();
    std::vector<EphemeralSecret> ephemeral;
    const std::vector<Message> first = exchanged([&](Party& p) {
      RelinearisationFirst made = value(share_relinearisation_first(*context_, p, *random_));
      ephemeral.push_back(std::move(made.ephemeral));
      return std::move(made.message);
    });
    const std::vector<Message> second = exchanged([&](Party& p) {
      return value(share_relinearisation_second(*context_, p, std::move(ephemeral[p.number()]),
                                                first, *random_));
    });
    value(combine_relinearisation_key(*context_, *session_, first, second));
  }
  void make_rotation_key() {
    start_session();
    const std::vector<RotationKeyRequest> requests = {{5, 0}};
    value(combine_rotation_keys(*context_, *session_, requests, exchanged([&](Party& p) {
      return value(share_rotation_keys(*context_, p, requests, *random_));
    })));
  }
  void decrypt_together() {
    value(combine_decryption(*context_, *session_, a_, {}, exchanged([&](Party& p) {
      return value(share_decryption(*context_, p, a_, {}, *random_));
    })));
  }
  void switch_keys() {
    value(combine_key_switching(*context_, *session_, a_, key_, {}, exchanged([&](Party& p) {
      return value(share_key_switching(*context_, p, a_, key_, {}, *random_));
    })));
  }
  void refresh() {
    const FreshNumber number = n_fresh_++;
    value(combine_refresh(*context_, *session_, a_, number, {}, exchanged([&](Party& p) {
      return value(share_refresh(*context_, p, a_, number, {}, *random_));
    })));
  }

  size_t n_rounds_;
  ContextRef context_;
  std::unique_ptr<SecureRandom> random_;
  std::unique_ptr<Session> session_;
  std::vector<Party> parties_;
  PublicKey key_;
  Ciphertext a_;
  FreshNumber n_fresh_ = 0;
  size_t bytes_ = 0;
  Clock::duration excluded_{};
};

}  // namespace
}  // namespace tacet::he::joint

auto main(int argc, char** argv) -> int {
  using tacet::he::joint::argument;
  const auto n_parties = static_cast<unsigned>(argument(argc, argv, 1, 3));
  tacet::he::joint::Measurement(n_parties, argument(argc, argv, 2, 8192),
                                std::max<size_t>(argument(argc, argv, 3, 21), 1))
      .run();
  return 0;
}
