#pragma once

#include "engine/he_distributed/rank_keys.h"
#include "engine/he_distributed/rank_plan.h"
#include "engine/he_distributed/wire.h"
#include "engine/program/he/gather.h"

namespace tacet::engine {

/// One part of a bundle for a rank.
struct RankJobPart {
  he::Bytes parameters;
  std::string program;
  HeValues values;  ///< the server's numbers
  PlanShare share;
};

/// A key that a rank needs, and how it is known.
struct RankJobKey {
  RankKey key;
  KeyDigest digest{};
};

/// What the root says to each rank at the beginning.
struct RankJob {
  std::string version;  ///< of Tacet: ranks of others do not understand each other
  std::vector<RankJobPart> parts;
  std::vector<RankJobKey> keys;
};

void write_job(const RankJob& job, WireWriter& writer);
/// An error if it is not of this version, or is damaged.
auto read_job(WireReader reader, std::string_view version) -> Result<RankJob>;

/// What a rank did.
struct RankReport {
  std::string host;
  uint64_t n_operations = 0;  ///< on ciphertexts
  double work_seconds = 0;    ///< of its threads that computed, by their own clocks
  double seconds = 0;         ///< from its first operation to its last
  uint64_t bytes_sent = 0;    ///< of ciphertexts
  uint64_t key_bytes = 0;     ///< of keys that it was sent
  uint64_t n_keys = 0;
  uint64_t n_cached_keys = 0;  ///< that were in its machine's cache
};

void write_report(const RankReport& report, WireWriter& writer);
/// All fields but the host.
auto read_report(WireReader reader) -> RankReport;

}  // namespace tacet::engine
