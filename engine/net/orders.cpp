#include "engine/net/orders.h"

#include "engine/net/little_endian.h"

namespace tacet::net {

namespace {

class Writer {
 public:
  void number(uint64_t value) { append_little<uint64_t>(bytes_, value); }
  void text(const std::string& value) {
    number(value.size());
    std::span<const std::byte> bytes = bytes_of(value);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] auto take() const -> std::string { return text_of(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

auto read_text(PayloadReader& reader) -> std::string {
  return reader.text(reader.number<uint64_t>());
}

auto read_milliseconds(PayloadReader& reader) -> std::chrono::milliseconds {
  return std::chrono::milliseconds(reader.number<uint64_t>());
}

auto number_of(std::chrono::milliseconds time) -> uint64_t {
  return static_cast<uint64_t>(time.count());
}

}  // namespace

auto encode_orders(const Orders& orders) -> std::string {
  const MeetingPlan& plan = orders.plan;
  Writer writer;
  writer.number(static_cast<uint64_t>(orders.parent));
  writer.number(plan.rank);
  writer.number(plan.parties.size());
  for (const PartyAddress& party : plan.parties) {
    writer.text(party.name);
    writer.text(party.host);
    writer.number(party.port);
    writer.text(party.certificate);
  }
  writer.number(plan.encryption == Encryption::Tls ? 1 : 0);
  writer.text(plan.credentials.private_key);
  writer.text(plan.credentials.certificate);
  writer.number(plan.agreement.size());
  for (const auto& [name, value] : plan.agreement) {
    writer.text(name);
    writer.text(value);
  }
  writer.number(number_of(plan.times.connect));
  writer.number(number_of(plan.times.silence));
  writer.number(number_of(plan.times.patience));
  writer.number(plan.buffers.unsent);
  writer.number(plan.buffers.unread);
  writer.text(orders.work);
  return writer.take();
}

auto decode_orders(const std::string& bytes) -> Result<Orders> {
  PayloadReader reader(bytes_of(bytes));
  Orders orders;
  MeetingPlan& plan = orders.plan;
  orders.parent = static_cast<int64_t>(reader.number<uint64_t>());
  plan.rank = static_cast<Rank>(reader.number<uint64_t>());
  auto n_parties = reader.number<uint64_t>();
  for (uint64_t i = 0; i < n_parties && !reader.failed(); ++i) {
    PartyAddress& party = plan.parties.emplace_back();
    party.name = read_text(reader);
    party.host = read_text(reader);
    party.port = static_cast<uint16_t>(reader.number<uint64_t>());
    party.certificate = read_text(reader);
  }
  plan.encryption = reader.number<uint64_t>() == 1 ? Encryption::Tls : Encryption::None;
  plan.credentials.private_key = read_text(reader);
  plan.credentials.certificate = read_text(reader);
  auto n_agreed = reader.number<uint64_t>();
  for (uint64_t i = 0; i < n_agreed && !reader.failed(); ++i) {
    std::string name = read_text(reader);
    plan.agreement.emplace_back(std::move(name), read_text(reader));
  }
  plan.times.connect = read_milliseconds(reader);
  plan.times.silence = read_milliseconds(reader);
  plan.times.patience = read_milliseconds(reader);
  plan.buffers.unsent = reader.number<uint64_t>();
  plan.buffers.unread = reader.number<uint64_t>();
  orders.work = read_text(reader);
  if (!reader.at_end() || plan.rank >= plan.parties.size()) {
    return Error{"cannot read the orders of a party"};
  }
  return orders;
}

auto encode_report(const PartyReport& report) -> std::string {
  Writer writer;
  writer.number(report.failure ? 1 : 0);
  writer.number(report.failure ? report.failure->party : 0);
  writer.text(report.failure ? report.failure->reason : report.result);
  return writer.take();
}

auto decode_report(const std::string& bytes) -> Result<PartyReport> {
  PayloadReader reader(bytes_of(bytes));
  bool failed = reader.number<uint64_t>() != 0;
  auto party = static_cast<Rank>(reader.number<uint64_t>());
  std::string text = read_text(reader);
  if (!reader.at_end()) {
    return Error{"exited before its report was complete"};
  }
  PartyReport report;
  if (failed) {
    report.failure = LinkError{party, std::move(text)};
  } else {
    report.result = std::move(text);
  }
  return report;
}

}  // namespace tacet::net
