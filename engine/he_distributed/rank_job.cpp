#include "engine/he_distributed/rank_job.h"

#include <fmt/format.h>

namespace tacet::engine {
namespace {

void write_numbers(const std::vector<uint32_t>& numbers, WireWriter& writer) {
  writer.bytes(std::as_bytes(std::span(numbers)));
}

auto read_numbers(WireReader& reader) -> std::vector<uint32_t> {
  const std::span<const std::byte> bytes = reader.bytes();
  std::vector<uint32_t> numbers(bytes.size() / sizeof(uint32_t));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(uint32_t));
  }
  return numbers;
}

void write_values(const HeValues& values, WireWriter& writer) {
  writer.number(values.size());
  for (const auto& [name, numbers] : values) {
    writer.text(name);
    writer.bytes(std::as_bytes(std::span(numbers)));
  }
}

auto read_values(WireReader& reader) -> HeValues {
  HeValues values;
  const uint64_t n = reader.count(2 * sizeof(uint64_t));
  for (uint64_t i = 0; i < n; ++i) {
    std::vector<double>& numbers = values[reader.text()];
    const std::span<const std::byte> bytes = reader.bytes();
    numbers.resize(bytes.size() / sizeof(double));
    if (!numbers.empty()) {
      std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
    }
  }
  return values;
}

void write_share(const PlanShare& share, WireWriter& writer) {
  write_numbers(share.nodes, writer);
  write_numbers(share.received, writer);
  writer.number(share.sent.size());
  for (const auto& [node, ranks] : share.sent) {
    writer.number(node);
    write_numbers(ranks, writer);
  }
}

auto read_share(WireReader& reader) -> PlanShare {
  PlanShare share;
  share.nodes = read_numbers(reader);
  share.received = read_numbers(reader);
  const uint64_t n = reader.count(2 * sizeof(uint64_t));
  for (uint64_t i = 0; i < n; ++i) {
    const auto node = static_cast<uint32_t>(reader.number());
    share.sent.emplace_back(node, read_numbers(reader));
  }
  return share;
}

}  // namespace

void write_job(const RankJob& job, WireWriter& writer) {
  writer.text(job.version);
  writer.number(job.parts.size());
  for (const RankJobPart& part : job.parts) {
    writer.bytes(part.parameters);
    writer.text(part.program);
    write_values(part.values, writer);
    write_share(part.share, writer);
  }
  writer.number(job.keys.size());
  for (const RankJobKey& key : job.keys) {
    writer.number(key.key.part);
    writer.number(static_cast<uint64_t>(key.key.kind));
    writer.number(key.key.galois_element);
    writer.bytes(key.digest);
  }
}

auto read_job(WireReader reader, std::string_view version) -> Result<RankJob> {
  RankJob job;
  job.version = reader.text();
  if (job.version != version) {
    return Error{
        fmt::format("this rank runs Tacet {}, but rank 0 runs {}; install one version on "
                    "all machines",
                    version, job.version)};
  }
  const uint64_t n_parts = reader.count(6 * sizeof(uint64_t));
  for (uint64_t i = 0; i < n_parts; ++i) {
    RankJobPart& part = job.parts.emplace_back();
    const std::span<const std::byte> parameters = reader.bytes();
    part.parameters.assign(parameters.begin(), parameters.end());
    part.program = reader.text();
    part.values = read_values(reader);
    part.share = read_share(reader);
  }
  const uint64_t n_keys = reader.count(4 * sizeof(uint64_t));
  for (uint64_t i = 0; i < n_keys; ++i) {
    RankJobKey& key = job.keys.emplace_back();
    key.key.part = static_cast<uint32_t>(reader.number());
    key.key.kind = static_cast<RankKey::Kind>(reader.number());
    key.key.galois_element = reader.number();
    const std::span<const std::byte> digest = reader.bytes();
    if (digest.size() != key.digest.size() || key.key.part >= job.parts.size()) {
      return Error{"rank 0 sent a damaged job"};
    }
    std::copy(digest.begin(), digest.end(), key.digest.begin());
  }
  return reader.is_at_end() ? Result<RankJob>(std::move(job)) : Error{"rank 0 sent a damaged job"};
}

void write_report(const RankReport& report, WireWriter& writer) {
  writer.number(report.n_operations);
  writer.real(report.work_seconds);
  writer.real(report.seconds);
  writer.number(report.bytes_sent);
  writer.number(report.key_bytes);
  writer.number(report.n_keys);
  writer.number(report.n_cached_keys);
}

auto read_report(WireReader reader) -> RankReport {
  RankReport report;
  report.n_operations = reader.number();
  report.work_seconds = reader.real();
  report.seconds = reader.real();
  report.bytes_sent = reader.number();
  report.key_bytes = reader.number();
  report.n_keys = reader.number();
  report.n_cached_keys = reader.number();
  return report;
}

}  // namespace tacet::engine
