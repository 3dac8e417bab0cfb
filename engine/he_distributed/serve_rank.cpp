#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <set>

#include "engine/he_distributed/evaluate_on_ranks.h"
#include "engine/program/he/text.h"

namespace tacet::engine {
namespace {

/// A rank other than the root.
class ServingRank {
 public:
  ServingRank(RankSession& session, const RankOptions& options)
      : session_(session), options_(options) {}

  auto run() -> Status {
    for (const auto& step : {&ServingRank::read_programs, &ServingRank::get_keys,
                             &ServingRank::prepare, &ServingRank::evaluate}) {
      if (Status status = (this->*step)(); !status) {
        session_.fail(status.error().message);
        return status;
      }
    }
    const Result<RankNote> end = session_.next(RankWord::End);
    return end ? Status(std::monostate{}) : Status(end.error());
  }

 private:
  auto read_programs() -> Status {
    Result<RankNote> note = session_.next(RankWord::Job);
    if (!note) {
      return note.error();
    }
    Result<RankJob> job = read_job(note->reader(), options_.version);
    if (!job) {
      return job.error();
    }
    job_ = std::move(*job);
    for (const RankJobPart& part : job_.parts) {
      Result<he::Parameters> parameters =
          he::deserialise_parameters(part.parameters, options_.insecure);
      Result<HeProgram> program = parse_he_program(part.program);
      if (!parameters || !program) {
        return parameters ? program.error() : parameters.error();
      }
      contexts_.push_back(he::Context::make(std::move(*parameters),
                                            {.isa = best_isa(), .n_threads = options_.n_threads}));
      programs_.push_back(std::move(*program));
    }
    keys_.resize(job_.parts.size());
    return std::monostate{};
  }

  auto get_keys() -> Status {
    if (Result<RankNote> asked = session_.next(RankWord::AskKeys); !asked) {
      return asked.error();
    }
    std::vector<uint64_t> missing;
    for (uint64_t i = 0; i < job_.keys.size(); ++i) {
      const std::optional<he::Bytes> known = options_.cache.find(job_.keys[i].digest);
      if (!known) {
        missing.push_back(i);
      } else if (Status status = use(job_.keys[i].key, *known); !status) {
        return status;
      }
    }
    WireWriter lacks = start_note(RankWord::Lacks);
    lacks.number(missing.size());
    for (const uint64_t index : missing) {
      lacks.number(index);
    }
    session_.send(0, std::move(lacks));
    report_.n_keys = job_.keys.size();
    report_.n_cached_keys = job_.keys.size() - missing.size();
    // In any order: they come from several ranks.
    for (std::set<uint64_t> awaited(missing.begin(), missing.end()); !awaited.empty();) {
      if (Status status = receive_key(awaited); !status) {
        return status;
      }
    }
    options_.cache.trim();
    session_.send(0, start_note(RankWord::Stored));
    return std::monostate{};
  }

  auto receive_key(std::set<uint64_t>& awaited) -> Status {
    Result<RankNote> note = session_.next(RankWord::Key);
    if (!note) {
      return note.error();
    }
    WireReader reader = note->reader();
    const std::span<const std::byte> bytes = reader.bytes();
    const KeyDigest digest = digest_of_key(bytes);
    const auto found = std::find_if(awaited.begin(), awaited.end(), [&](uint64_t index) {
      return job_.keys[index].digest == digest;
    });
    if (!reader.is_at_end() || found == awaited.end()) {
      return Error{fmt::format("{} sent a damaged key", name_of_rank(session_.link(), note->from))};
    }
    const uint64_t index = *found;
    awaited.erase(found);
    report_.key_bytes += bytes.size();
    options_.cache.store(job_.keys[index].digest, bytes);
    return use(job_.keys[index].key, bytes);
  }

  auto use(const RankKey& key, std::span<const std::byte> bytes) -> Status {
    return add_key(*contexts_[key.part], key, bytes, keys_[key.part]);
  }

  auto prepare() -> Status {
    for (uint32_t part = 0; part < job_.parts.size(); ++part) {
      const Plan plan = make_plan(programs_[part]);
      const PlanShare& share = job_.parts[part].share;
      if (Status status = check_share(plan, share); !status) {
        return status;
      }
      Result<ShareOfPart> made =
          make_share_of_part(session_, part, programs_[part], plan, contexts_[part],
                             job_.parts[part].values, share, options_.most_plaintext_bytes);
      if (!made) {
        return made.error();
      }
      made->keys = &keys_[part];
      shares_.push_back(std::move(*made));
    }
    return std::monostate{};
  }

  /// Whether the share is one of this plan.
  static auto check_share(const Plan& plan, const PlanShare& share) -> Status {
    bool is_good = true;
    const auto check = [&](uint32_t node) {
      is_good = is_good && node < plan.nodes.size() && !is_clear(plan.nodes[node]);
    };
    std::for_each(share.nodes.begin(), share.nodes.end(), check);
    std::for_each(share.received.begin(), share.received.end(), check);
    for (const auto& [node, ranks] : share.sent) {
      check(node);
    }
    return is_good ? Status(std::monostate{})
                   : Status(Error{"this rank plans the program in another way than rank 0"});
  }

  auto evaluate() -> Status {
    if (Status status = run_shares(session_, shares_, {}); !status) {
      return status;
    }
    const RankReport report = report_of(shares_);
    report_.n_operations = report.n_operations;
    report_.work_seconds = report.work_seconds;
    report_.seconds = report.seconds;
    report_.bytes_sent = report.bytes_sent;
    WireWriter done = start_note(RankWord::Done);
    write_report(report_, done);
    session_.send(0, std::move(done));
    return std::monostate{};
  }

  RankSession& session_;
  const RankOptions& options_;
  RankJob job_;
  std::vector<he::ContextRef> contexts_;
  std::vector<HeProgram> programs_;
  std::vector<HeEvaluationKeys> keys_;
  std::vector<ShareOfPart> shares_;
  RankReport report_;
};

}  // namespace

auto serve_rank(RankLink& link, const RankOptions& options) -> Status {
  RankSession session(link);
  try {
    return ServingRank(session, options).run();
  } catch (const std::bad_alloc&) {
    const Error error{"there is not enough memory"};
    session.fail(error.message);
    return error;
  } catch (...) {
    session.fail("the run was interrupted");
    throw;
  }
}

}  // namespace tacet::engine
