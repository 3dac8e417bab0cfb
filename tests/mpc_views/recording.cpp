#include "tests/mpc_views/recording.h"

namespace tacet::mpc {

namespace {

class RecordingLinks final : public net::Links {
 public:
  RecordingLinks(net::Links& links, View& view) : links_(links), view_(view) {}

  auto rank() const -> Rank override { return links_.rank(); }
  auto n_parties() const -> Rank override { return links_.n_parties(); }
  auto name(Rank party) const -> std::string override { return links_.name(party); }
  void send(Rank to, std::span<const std::byte> bytes) override {
    view_.note(view_.sent, bytes);
    links_.send(to, bytes);
  }
  auto flush() -> net::LinkStatus override { return links_.flush(); }
  auto receive(Rank from, std::span<std::byte> into) -> net::LinkStatus override {
    net::LinkStatus status = links_.receive(from, into);
    view_.note(view_.received, into);
    view_.awaited.emplace_back(from, into.size());
    return status;
  }
  auto finish() -> net::LinkStatus override { return links_.finish(); }
  void abort(std::string reason) override { links_.abort(std::move(reason)); }
  auto counters(Rank peer) const -> net::LinkCounters override { return links_.counters(peer); }

 private:
  net::Links& links_;
  View& view_;
};

class RecordingProtocol final : public Protocol {
 public:
  RecordingProtocol(Protocol& protocol, View& view) : protocol_(protocol), view_(view) {}

  auto name() const -> std::string_view override { return protocol_.name(); }
  auto n_parts() const -> uint8_t override { return protocol_.n_parts(); }
  auto start(Party& party) -> Task<> override { return protocol_.start(party); }
  auto share(Party& party, Rank owner, RingArray values, Ring ring, size_t n)
      -> Task<Share> override {
    return protocol_.share(party, owner, std::move(values), ring, n);
  }
  auto share_bits(Party& party, Rank owner, BitPlanes values, unsigned width, size_t n)
      -> Task<Bits> override {
    return protocol_.share_bits(party, owner, std::move(values), width, n);
  }
  auto constant_part(const Party& party) const -> std::optional<size_t> override {
    return protocol_.constant_part(party);
  }
  auto random_share(Party& party, Ring ring, size_t n) -> Task<Share> override {
    return protocol_.random_share(party, ring, n);
  }
  auto random_bits(Party& party, unsigned width, size_t n) -> Task<Bits> override {
    return protocol_.random_bits(party, width, n);
  }
  auto open_checked(Party& party, Checked /*checked*/, Share x, unsigned n_bits,
                    std::optional<Rank> receiver) -> Task<RingArray> override {
    RingArray shown = co_await protocol_.open(party, std::move(x), n_bits, receiver);
    view_.note(view_.shown, shown.bytes());
    co_return shown;
  }
  auto open_bits_checked(Party& party, Checked /*checked*/, Bits x, std::optional<Rank> receiver)
      -> Task<BitPlanes> override {
    BitPlanes shown = co_await protocol_.open_bits(party, std::move(x), receiver);
    std::vector<std::byte> bytes(shown.n_packed_bytes());
    pack(shown, bytes);
    view_.note(view_.shown, bytes);
    co_return shown;
  }
  auto multiply(Party& party, Share x, Share y) -> Task<Share> override {
    return protocol_.multiply(party, std::move(x), std::move(y));
  }
  auto square(Party& party, Share x) -> Task<Share> override {
    return protocol_.square(party, std::move(x));
  }
  auto dot(Party& party, Share x, Share y, size_t length) -> Task<Share> override {
    return protocol_.dot(party, std::move(x), std::move(y), length);
  }
  auto multiply_matrices(Party& party, Share x, Share y, MatrixShape shape)
      -> Task<Share> override {
    return protocol_.multiply_matrices(party, std::move(x), std::move(y), shape);
  }
  auto conjunction(Party& party, Bits x, Bits y) -> Task<Bits> override {
    return protocol_.conjunction(party, std::move(x), std::move(y));
  }
  auto summands(Party& party, Share x, unsigned width) -> Task<std::vector<Bits>> override {
    return protocol_.summands(party, std::move(x), width);
  }
  auto half_sum(Party& party, Share x, unsigned width) -> Task<HalfSum> override {
    return protocol_.half_sum(party, std::move(x), width);
  }
  auto zero_planes(Party& party, Share x, unsigned width) -> Task<Bits> override {
    return protocol_.zero_planes(party, std::move(x), width);
  }
  auto bits_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> override {
    return protocol_.bits_to_arithmetic(party, std::move(x), ring);
  }
  auto each_bit_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> override {
    return protocol_.each_bit_to_arithmetic(party, std::move(x), ring);
  }
  auto truncate(Party& party, Share x, unsigned f, Truncation how) -> Task<Share> override {
    return protocol_.truncate(party, std::move(x), f, how);
  }
  auto multiply_truncate(Party& party, Share x, Share y, unsigned f, Truncation how)
      -> Task<Share> override {
    return protocol_.multiply_truncate(party, std::move(x), std::move(y), f, how);
  }
  auto dot_truncate(Party& party, Share x, Share y, size_t length, unsigned f, Truncation how)
      -> Task<Share> override {
    return protocol_.dot_truncate(party, std::move(x), std::move(y), length, f, how);
  }
  auto multiply_matrices_truncate(Party& party, Share x, Share y, MatrixShape shape, unsigned f,
                                  Truncation how) -> Task<Share> override {
    return protocol_.multiply_matrices_truncate(party, std::move(x), std::move(y), shape, f, how);
  }
  auto random_permutation(Party& party, size_t n) -> Task<SecretPermutation> override {
    return protocol_.random_permutation(party, n);
  }
  auto permute(Party& party, SecretPermutation permutation, std::vector<Share> arrays,
               Direction direction) -> Task<std::vector<Share>> override {
    return protocol_.permute(party, std::move(permutation), std::move(arrays), direction);
  }

 private:
  Protocol& protocol_;
  View& view_;
};

}  // namespace

auto record(net::Links& links, View& view) -> std::unique_ptr<net::Links> {
  return std::make_unique<RecordingLinks>(links, view);
}

auto record(Protocol& protocol, View& view) -> std::unique_ptr<Protocol> {
  return std::make_unique<RecordingProtocol>(protocol, view);
}

}  // namespace tacet::mpc
