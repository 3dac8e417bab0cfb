#include "engine/he_distributed/value_exchange.h"

#include <fmt/format.h>

#include "engine/he/bare_ciphertexts.h"

namespace tacet::engine {

ValueExchange::ValueExchange(RankSession& session, uint32_t part, const he::Context& context,
                             const PlanShare& share, const std::vector<uint32_t>& local)
    : session_(session), part_(part), context_(context) {
  for (const auto& [node, ranks] : share.sent) {
    receivers_[local[node]] = {node, ranks};
  }
  for (const uint32_t node : share.received) {
    awaited_[node] = local[node];
  }
}

void ValueExchange::start(Arrived arrived, Failed failed) {
  session_.listen(part_, {.on_value =
                              [this, arrived = std::move(arrived), failed](
                                  WireReader reader, std::shared_ptr<const void> holder) {
                                const uint64_t node = reader.number();
                                const double bound = reader.real();
                                const std::span<const std::byte> bytes = reader.rest();
                                const auto known = awaited_.find(node);
                                if (!reader.is_at_end() || known == awaited_.end()) {
                                  failed({"a rank sent a ciphertext that nobody waits for"});
                                  return;
                                }
                                const uint32_t local = known->second;
                                awaited_.erase(known);
                                {
                                  const std::lock_guard lock(mutex_);
                                  arrivals_[local] = {bound, bytes, std::move(holder)};
                                }
                                arrived(local);
                              },
                          .on_failure = failed});
}

void ValueExchange::stop() {
  session_.stop(part_);
}

auto ValueExchange::take(uint32_t node) -> Result<he::Ciphertext> {
  Arrival arrival;
  {
    const std::lock_guard lock(mutex_);
    arrival = std::move(arrivals_.extract(node).mapped());
  }
  Result<he::Ciphertext> ciphertext = he::read_bare(context_, arrival.bytes);
  if (ciphertext) {
    ciphertext->metadata.bound = arrival.bound;
  }
  return ciphertext;
}

auto ValueExchange::is_sent(uint32_t node) const -> bool {
  return receivers_.contains(node);
}

auto ValueExchange::send(uint32_t node, const he::Ciphertext& ciphertext) -> Status {
  const Receivers& receivers = receivers_.at(node);
  WireWriter note = start_note(RankWord::Value, receivers.ranks);
  note.number(part_);
  note.number(receivers.node);
  note.real(ciphertext.metadata.bound);
  if (Status status = he::append_bare(context_, ciphertext, note.written()); !status) {
    return status;
  }
  const uint64_t size = note.written().size();
  bytes_sent_ += size * session_.send_along_tree(receivers.ranks, std::move(note));
  return std::monostate{};
}

void ValueExchange::worked(double seconds) {
  nanoseconds_ += static_cast<uint64_t>(1e9 * seconds);
}

auto ValueExchange::seconds_worked() const -> double {
  return 1e-9 * static_cast<double>(nanoseconds_.load());
}

}  // namespace tacet::engine
