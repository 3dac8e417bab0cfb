#include "engine/mpc_model/protocol_costs.h"

namespace tacet::mpc_model {

namespace {

/// Only inputs are sent, to everybody.
class RefCosts final : public ProtocolCosts {
 public:
  explicit RefCosts(uint32_t n_parties) : n_parties_(n_parties) {}

  auto n_parties() const -> uint32_t override { return n_parties_; }
  auto share(uint64_t n, unsigned ring) const -> Cost override {
    return {.rounds = 1, .bytes = (n_parties_ - 1) * cut_bytes(n, ring)};
  }
  auto share_bits(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 1, .bytes = (n_parties_ - 1) * plane_bytes(width, n)};
  }
  auto open(uint64_t, unsigned) const -> Cost override { return {}; }
  auto open_to_one(uint64_t, unsigned) const -> Cost override { return {}; }
  auto open_bits(unsigned, uint64_t) const -> Cost override { return {}; }
  auto open_bits_to_one(unsigned, uint64_t) const -> Cost override { return {}; }
  auto multiply(uint64_t, unsigned) const -> Cost override { return {}; }
  auto square(uint64_t, unsigned) const -> Cost override { return {}; }
  auto dot(uint64_t, uint64_t, unsigned) const -> Cost override { return {}; }
  auto multiply_matrices(uint64_t, uint64_t, uint64_t, unsigned) const -> Cost override {
    return {};
  }
  auto conjunction(unsigned, uint64_t) const -> Cost override { return {}; }
  auto half_sum(unsigned, uint64_t) const -> Cost override { return {}; }
  auto zero_planes(unsigned, uint64_t) const -> Cost override { return {}; }
  auto bits_to_arithmetic(unsigned, uint64_t, unsigned) const -> Cost override { return {}; }
  auto truncate(uint64_t, unsigned, unsigned) const -> Cost override { return {}; }
  auto truncate_probabilistic(uint64_t, unsigned, unsigned) const -> Cost override { return {}; }
  auto random_permutation(uint64_t) const -> Cost override { return {}; }
  auto permute(uint64_t, unsigned, uint64_t) const -> Cost override { return {}; }

 private:
  uint32_t n_parties_;
};

}  // namespace

auto ref_costs(uint32_t n_parties) -> std::unique_ptr<ProtocolCosts> {
  return std::make_unique<RefCosts>(n_parties);
}

}  // namespace tacet::mpc_model
