#include "engine/he_distributed/evaluate_on_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "engine/distribution/check_distribution.h"
#include "engine/he/serialisation.h"
#include "engine/program/he/text.h"

namespace tacet::engine {
namespace {

using distribution::Distribution;
using distribution::kNone;
using distribution::Sending;

/// The root of one run.
class Root {
 public:
  Root(RankSession& session, std::vector<RankPart>& parts, const RankOptions& options,
       const RankPhases& phases)
      : session_(session), parts_(parts), options_(options), phases_(phases) {}

  auto run() -> Result<RankRun> {
    plan();
    for (const auto& step : {&Root::send_jobs, &Root::send_keys, &Root::prepare, &Root::evaluate,
                             &Root::collect_reports}) {
      if (Status status = (this->*step)(); !status) {
        session_.fail(status.error().message);
        return status.error();
      }
    }
    for (uint32_t rank = 1; rank < n_ranks(); ++rank) {
      session_.send(rank, start_note(RankWord::End));
    }
    return std::move(result_);
  }

 private:
  auto n_ranks() const -> uint32_t { return session_.link().n_ranks(); }

  void plan() {
    std::vector<WorkOfProgram> works;
    for (const RankPart& part : parts_) {
      plans_.push_back(make_plan(*part.program));
      contexts_.push_back(part.context);
    }
    for (size_t i = 0; i < parts_.size(); ++i) {
      const he::Context& context = *contexts_[i];
      WorkOfProgram work{
          .program = parts_[i].program,
          .plan = &plans_[i],
          .scheme = context.scheme(),
          .data_prime_bits = {},
          .n_special = context.n_special(),
          .hides_results = parts_[i].hides_results && has_server_inputs(*parts_[i].program)};
      for (size_t prime = 0; prime < context.n_data(); ++prime) {
        work.data_prime_bits.push_back(
            static_cast<unsigned>(std::bit_width(context.modulus(prime).value)));
      }
      works.push_back(std::move(work));
    }
    work_ = work_of_plans(works, options_.times);
    distribution::Machines machines = options_.machines;
    machines.n_ranks = n_ranks();
    distribution_ = distribution::distribute(work_.graph, machines);
    result_.prediction = distribution::predict(work_.graph, distribution_, machines);
    result_.reports.resize(n_ranks());
  }

  /// What a rank does of a part.
  auto share_of(uint32_t rank, uint32_t part) const -> PlanShare {
    PlanShare share{.nodes = {}, .received = {}, .sent = {}, .is_root = rank == 0};
    const auto place = [&](uint32_t node) {
      return work_.places[node].first == part ? work_.places[node].second : kNone;
    };
    for (const uint32_t node : distribution_.shares[rank].nodes) {
      if (place(node) != kNone) {
        share.nodes.push_back(place(node));
      }
    }
    for (const auto& [node, to] : distribution_.shares[rank].sendings) {
      if (place(node) == kNone) {
        continue;
      }
      if (share.sent.empty() || share.sent.back().first != place(node)) {
        share.sent.emplace_back(place(node), std::vector<uint32_t>());
      }
      share.sent.back().second.push_back(to);
    }
    for (const distribution::Share& other : distribution_.shares) {
      for (const auto& [node, to] : other.sendings) {
        if (to == rank && place(node) != kNone) {
          share.received.push_back(place(node));
        }
      }
    }
    std::sort(share.received.begin(), share.received.end());
    return share;
  }

  auto keys_of(uint32_t rank) const -> std::vector<RankKey> {
    std::vector<WorkKeyPlace> places;
    for (const uint32_t key : distribution_.shares[rank].keys) {
      places.push_back(work_.keys[key]);
    }
    return rank_keys(places, contexts_);
  }

  auto bytes_of(const RankKey& key) const -> Result<he::Bytes> {
    return serialise_key(*contexts_[key.part], *parts_[key.part].keys, key);
  }

  auto send_jobs() -> Status {
    if (Status status = distribution::check_distribution(work_.graph, distribution_); !status) {
      return Error{"the work is distributed wrongly: " + status.error().message};
    }
    std::map<RankKey, KeyDigest> digests;
    for (uint32_t rank = 1; rank < n_ranks(); ++rank) {
      RankJob job{.version = options_.version, .parts = {}, .keys = {}};
      for (uint32_t part = 0; part < parts_.size(); ++part) {
        job.parts.push_back({.parameters = he::serialise(contexts_[part]->parameters()),
                             .program = to_text(*parts_[part].program),
                             .values = parts_[part].values,
                             .share = share_of(rank, part)});
      }
      for (const RankKey& key : keys_of(rank)) {
        auto known = digests.find(key);
        if (known == digests.end()) {
          const Result<he::Bytes> bytes = bytes_of(key);
          if (!bytes) {
            return bytes.error();
          }
          known = digests.emplace(key, digest_of_key(bytes.value())).first;
        }
        job.keys.push_back({key, known->second});
      }
      WireWriter note = start_note(RankWord::Job);
      write_job(job, note);
      session_.send(rank, std::move(note));
      jobs_.emplace(rank, std::move(job.keys));
    }
    return std::monostate{};
  }

  /// To all machines at once; of the ranks of one machine to the next one when the one before it
  /// has put its keys into the machine's cache.
  auto send_keys() -> Status {
    const HeProgress progress = phases_("sending keys");
    std::map<std::string, std::vector<uint32_t>> waiting;  // by host, last first
    for (uint32_t rank = n_ranks(); rank-- > 1;) {
      waiting[session_.link().host(rank)].push_back(rank);
    }
    const auto ask_next = [&](const std::string& host) {
      std::vector<uint32_t>& ranks = waiting[host];
      if (!ranks.empty()) {
        session_.send(ranks.back(), start_note(RankWord::AskKeys));
        ranks.pop_back();
      }
    };
    std::vector<std::string> hosts;
    for (const auto& [host, ranks] : waiting) {
      hosts.push_back(host);
    }
    for (const std::string& host : hosts) {
      ask_next(host);
    }
    size_t n_stored = 0;
    size_t n_unanswered = hosts.size();  // of the first ranks, whose keys go along trees together
    std::map<RankKey, std::vector<uint32_t>> lacking;
    while (n_stored + 1 < n_ranks()) {
      Result<RankNote> note = session_.next();
      if (!note) {
        return note.error();
      }
      if (note->word == RankWord::Stored) {
        ++n_stored;
        ask_next(session_.link().host(note->from));
        if (progress) {
          progress(n_stored, n_ranks() - 1);
        }
      } else if (note->word == RankWord::Done) {
        take_report(*note);  // of a rank that needs nothing of the others
      } else if (Status status = read_lacks(*note, lacking); !status) {
        return status;
      } else if (n_unanswered <= 1) {
        n_unanswered = 0;
        if (Status sent = send_lacking(std::exchange(lacking, {})); !sent) {
          return sent;
        }
      } else {
        --n_unanswered;
      }
    }
    return std::monostate{};
  }

  void take_report(const RankNote& note) {
    result_.reports[note.from] = read_report(note.reader());
    ++n_reports_;
  }

  /// Adds the keys that a rank lacks to those of others.
  auto read_lacks(const RankNote& note, std::map<RankKey, std::vector<uint32_t>>& lacking)
      -> Status {
    const Error unexpected{
        fmt::format("{} sent an unexpected message", name_of_rank(session_.link(), note.from))};
    if (note.word != RankWord::Lacks) {
      return unexpected;
    }
    WireReader reader = note.reader();
    const std::vector<RankJobKey>& keys = jobs_[note.from];
    const uint64_t n = reader.count(sizeof(uint64_t));
    for (uint64_t i = 0; i < n; ++i) {
      const uint64_t index = reader.number();
      if (index >= keys.size()) {
        return unexpected;
      }
      lacking[keys[index].key].push_back(note.from);
    }
    return std::monostate{};
  }

  /// Each key along a tree of the ranks that lack it.
  auto send_lacking(const std::map<RankKey, std::vector<uint32_t>>& lacking) -> Status {
    for (const auto& [key, ranks] : lacking) {
      const Result<he::Bytes> bytes = bytes_of(key);
      if (!bytes) {
        return bytes.error();
      }
      WireWriter note = start_note(RankWord::Key, ranks);
      note.bytes(bytes.value());
      session_.send_along_tree(ranks, std::move(note));
    }
    return std::monostate{};
  }

  auto prepare() -> Status {
    static_cast<void>(phases_("preparing the server's numbers"));
    for (uint32_t part = 0; part < parts_.size(); ++part) {
      RankPart& given = parts_[part];
      Result<ShareOfPart> share =
          make_share_of_part(session_, part, *given.program, plans_[part], given.context,
                             given.values, share_of(0, part), options_.most_plaintext_bytes);
      if (!share) {
        return share.error();
      }
      if (Status status = share->server.check_request(given.inputs, *given.keys); !status) {
        return status;
      }
      if (Status status = given.hides_results ? share->server.check_hiding(*given.keys)
                                              : Status(std::monostate{});
          !status) {
        return status;
      }
      share->keys = given.keys;
      share->inputs = std::move(given.inputs);
      result_.parts.push_back(std::move(*share));
    }
    return std::monostate{};
  }

  auto evaluate() -> Status {
    const HeProgress progress = phases_("evaluating");
    return run_shares(session_, result_.parts, parts_.size() == 1 ? progress : HeProgress());
  }

  auto collect_reports() -> Status {
    result_.reports[0] = report_of(result_.parts);
    while (n_reports_ + 1 < n_ranks()) {
      Result<RankNote> note = session_.next(RankWord::Done);
      if (!note) {
        return note.error();
      }
      take_report(*note);
    }
    for (uint32_t rank = 0; rank < n_ranks(); ++rank) {
      result_.reports[rank].host = session_.link().host(rank);
    }
    return std::monostate{};
  }

  RankSession& session_;
  std::vector<RankPart>& parts_;
  const RankOptions& options_;
  const RankPhases& phases_;
  std::vector<Plan> plans_;
  std::vector<he::ContextRef> contexts_;
  WorkOfPlans work_;
  Distribution distribution_;
  std::map<uint32_t, std::vector<RankJobKey>> jobs_;  ///< the keys of each rank
  size_t n_reports_ = 0;                              ///< of other ranks
  RankRun result_;
};

}  // namespace

auto evaluate_on_ranks(RankLink& link, std::vector<RankPart> parts, const RankOptions& options,
                       const RankPhases& phases) -> Result<RankRun> {
  RankSession session(link);
  try {
    return Root(session, parts, options, phases).run();
  } catch (...) {
    // No other rank may wait for this one.
    session.fail("it was interrupted, or has not enough memory");
    throw;
  }
}

}  // namespace tacet::engine
