#pragma once

#include <memory>
#include <vector>

#include "cli/run/client_record.h"
#include "cli/run/he_device.h"

namespace tacet::cli {

/// The client of a program for the arithmetic schemes: has the secret keys of its parts, encrypts
/// and decrypts. For use by several threads. What is exchanged has the objects of
/// `engine/he/serialisation.h`, part by part of the bundle: of keys, the public one if the server
/// has numbers to hide, the one for relinearisation and the set for rotations, where the program
/// needs them; ciphertexts in the order of `input_elements` and `output_elements`.
class ArithmeticClient {
 public:
  /// Makes new keys. The bundle lives longer than the client. An error if no server would answer.
  static auto make(const engine::HeBundle& bundle, HeCosts& costs, PhaseLine& line)
      -> Result<ArithmeticClient>;
  /// The client whose secret key was stored; its evaluation keys are elsewhere.
  static auto open(const engine::HeBundle& bundle, const NamedBytes& secret, unsigned n_threads)
      -> Result<ArithmeticClient>;

  /// Empty if the client was opened.
  [[nodiscard]] auto keys() const -> const he::Bytes& { return keys_; }
  /// To be stored.
  [[nodiscard]] auto secret() const -> Result<SecureBytes>;
  /// The client's inputs, encrypted.
  [[nodiscard]] auto encrypt(const engine::HeIntegers& values, HeCosts& costs) const
      -> Result<he::Bytes>;
  [[nodiscard]] auto decrypt(const NamedBytes& results, HeCosts& costs) const
      -> Result<engine::HeIntegers>;

 private:
  struct Part {
    const engine::HeBundlePart* part;
    he::ContextRef context;
    he::SecretKey secret;
  };

  explicit ArithmeticClient(const engine::HeBundle& bundle) : bundle_(&bundle) {}

  const engine::HeBundle* bundle_;
  std::string name_ = "client";
  std::vector<Part> parts_;
  he::Bytes keys_;
  std::unique_ptr<ClientRecord> record_;
};

/// The ciphertexts of the next `n` objects. Their bytes are added to `file`, if there is one, while
/// they are checked.
auto read_ciphertexts(const he::Context& context, ObjectRow& row, size_t n,
                      he::Digester* file = nullptr) -> Result<std::vector<he::Ciphertext>>;

/// Puts the keys of a part that its program needs behind others.
void append_evaluation_keys(const he::Context& context, const engine::HeFacts& facts,
                            const engine::HeEvaluationKeys& keys, HeCosts& costs, he::Bytes& bytes);

/// Puts an object that was serialised behind others.
template <class T>
void append_object(const Result<T>& object, he::Bytes& bytes) {
  bytes.insert(bytes.end(), object.value().begin(), object.value().end());
}

}  // namespace tacet::cli
