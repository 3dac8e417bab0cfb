#pragma once

#include <cstddef>
#include <vector>

#include "engine/mpc/bits.h"
#include "engine/mpc/rep4/joint_messages.h"
#include "engine/mpc/share.h"

/// Private to this folder.
namespace tacet::mpc {

/// How a value that two parties know is shared: part `keyed` of it is a mask of that part's key,
/// which the receiver lacks, and part `sent` is the rest, which the sender sends to the receiver.
/// The party without part `sent` draws the mask, too, and gets nothing.
struct JointStep {
  Rank sent = 0;   ///< and the party that lacks it
  Rank keyed = 0;  ///< and the party that lacks it: the receiver
  Rank sender = 0;
  Rank voucher = 0;

  friend auto operator==(const JointStep&, const JointStep&) -> bool = default;
  [[nodiscard]] auto knows(Rank party) const -> bool { return party == sender || party == voucher; }
  [[nodiscard]] auto message() const -> JointMessage {
    return {.sender = sender, .voucher = voucher, .receiver = keyed};
  }
};

/// Of words that are shared, how many low bits count, and by how much these are shifted to the
/// left once they are shared.
struct WordsForm {
  using Array = RingArray;
  using Shared = Share;

  Ring ring;
  size_t n;
  unsigned n_bits;
  unsigned shift;

  static auto of(Ring ring, size_t n) -> WordsForm {
    return {.ring = ring, .n = n, .n_bits = mpc::n_bits(ring), .shift = 0};
  }
  [[nodiscard]] auto n_bytes() const -> size_t;
  [[nodiscard]] auto zeros(const Party& party) const -> Share;
  [[nodiscard]] auto draw(const Party& party, secure_random::AesCtr& key) const -> RingArray;
  [[nodiscard]] auto minus(const RingArray& x, const RingArray& mask) const -> RingArray;
  static void accumulate(RingArray& sum, const RingArray& x);
  [[nodiscard]] auto placed(const RingArray& x) const -> RingArray;
  void write(const RingArray& x, std::span<std::byte> out) const;
  [[nodiscard]] auto read(const Party& party, std::span<const std::byte> bytes) const -> RingArray;
};

/// Of planes that are shared.
struct PlanesForm {
  using Array = BitPlanes;
  using Shared = Bits;

  unsigned width;
  size_t n;

  [[nodiscard]] auto n_bytes() const -> size_t;
  [[nodiscard]] auto zeros(const Party& party) const -> Bits;
  [[nodiscard]] auto draw(const Party& party, secure_random::AesCtr& key) const -> BitPlanes;
  [[nodiscard]] static auto minus(const BitPlanes& x, const BitPlanes& mask) -> BitPlanes;
  static void accumulate(BitPlanes& sum, const BitPlanes& x);
  [[nodiscard]] static auto placed(const BitPlanes& x) -> BitPlanes { return x; }
  void write(const BitPlanes& x, std::span<std::byte> out) const;
  [[nodiscard]] auto read(const Party& party, std::span<const std::byte> bytes) const -> BitPlanes;
};

/// Values that are shared jointly in one round, and what they are added to.
template <class Form>
class JointSharing {
 public:
  using Array = typename Form::Array;
  using Shared = typename Form::Shared;

  JointSharing(Party& party, JointMessages& messages) : party_(party), messages_(messages) {}

  /// Something to add to; the number of the result.
  auto begin(Shared sum) -> size_t {
    results_.push_back(std::move(sum));
    return results_.size() - 1;
  }
  /// Adds a value that is shared by `step`; only those who know it read it. All sends of a kernel
  /// come before its only wait.
  void add(size_t result, const JointStep& step, const Array& value, const Form& form);
  /// One round. The results, in order.
  auto finish() -> Task<std::vector<Shared>>;

 private:
  struct Item {
    size_t result;
    JointStep step;
    Form form;
    std::vector<std::byte> bytes;  ///< of the message, at the voucher and the receiver
  };

  Party& party_;
  JointMessages& messages_;
  std::vector<Shared> results_;
  std::vector<Item> items_;
};

template <class Form>
void JointSharing<Form>::add(size_t result, const JointStep& step, const Array& value,
                             const Form& form) {
  const Rank own = party_.rank();
  Shared& sum = results_[result];
  std::vector<std::byte> bytes;
  if (own == step.keyed) {
    bytes.resize(form.n_bytes());
  } else {
    const Array mask = form.draw(party_, messages_.key(step.keyed));
    form.accumulate(sum.parts[slot_of(own, step.keyed)], form.placed(mask));
    if (step.knows(own)) {
      const Array rest = form.minus(value, mask);
      form.accumulate(sum.parts[slot_of(own, step.sent)], form.placed(rest));
      bytes.resize(form.n_bytes());
      form.write(rest, bytes);
    }
  }
  if (own == step.sender) {
    party_.send(step.keyed, bytes);
  } else if (!bytes.empty()) {
    items_.push_back({.result = result, .step = step, .form = form, .bytes = std::move(bytes)});
  }
}

template <class Form>
auto JointSharing<Form>::finish() -> Task<std::vector<Shared>> {
  std::vector<Receipt> receipts;
  for (Item& item : items_) {
    if (item.step.keyed == party_.rank()) {
      receipts.push_back({.from = item.step.sender, .into = item.bytes});
    }
  }
  co_await party_.receive(std::move(receipts));
  for (const Item& item : items_) {
    messages_.note(item.step.message(), item.bytes);
    if (item.step.keyed == party_.rank()) {
      Array& part = results_[item.result].parts[slot_of(party_.rank(), item.step.sent)];
      item.form.accumulate(part, item.form.placed(item.form.read(party_, item.bytes)));
    }
  }
  co_return std::move(results_);
}

}  // namespace tacet::mpc
