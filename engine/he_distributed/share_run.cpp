#include "engine/he_distributed/share_run.h"

#include <algorithm>
#include <exception>
#include <new>
#include <thread>

namespace tacet::engine {

auto make_share_of_part(RankSession& session, uint32_t part, const HeProgram& program,
                        const Plan& plan, const he::ContextRef& context, const HeValues& values,
                        const PlanShare& share, uint64_t most_plaintext_bytes)
    -> Result<ShareOfPart> {
  RankPlan own = rank_plan(program, plan, share);
  auto exchange = std::make_unique<ValueExchange>(session, part, *context, share, own.local);
  Result<HeServer> server =
      HeServer::make_share(program, context, values, std::move(own.plan), {}, most_plaintext_bytes);
  return server ? Result<ShareOfPart>(ShareOfPart{.server = std::move(*server),
                                                  .exchange = std::move(exchange),
                                                  .keys = nullptr,
                                                  .inputs = {}})
                : Result<ShareOfPart>(server.error());
}

namespace {

/// Runs one share; what is thrown is kept for the thread that waits.
class ShareThread {
 public:
  ShareThread(RankSession& session, ShareOfPart& share, const HeProgress& progress)
      : token_(thread_cancellation()), thread_([this, &session, &share, &progress] {
          const CancellationScope scope(token_);
          try {
            run(session, share, progress);
          } catch (const std::bad_alloc&) {
            thrown_ = std::current_exception();
            session.fail("there is not enough memory");
          } catch (...) {
            thrown_ = std::current_exception();
            session.fail("the run was interrupted");
          }
        }) {}

  void join() { thread_.join(); }
  [[nodiscard]] auto status() const -> const Status& { return status_; }
  [[nodiscard]] auto thrown() const -> std::exception_ptr { return thrown_; }

 private:
  void run(RankSession& session, ShareOfPart& share, const HeProgress& progress) {
    Result<std::vector<he::Ciphertext>> results = share.server.evaluate_share(
        std::move(share.inputs), *share.keys, *share.exchange, share.statistics, progress);
    if (results) {
      share.results = std::move(*results);
    } else {
      status_ = results.error();
      session.fail(results.error().message);
    }
  }

  const CancellationToken* token_;
  Status status_ = std::monostate{};
  std::exception_ptr thrown_;
  std::thread thread_;  ///< last: it uses the others
};

}  // namespace

auto run_shares(RankSession& session, std::vector<ShareOfPart>& shares, const HeProgress& progress)
    -> Status {
  std::vector<std::unique_ptr<ShareThread>> threads;
  for (ShareOfPart& share : shares) {
    threads.push_back(std::make_unique<ShareThread>(session, share, progress));
  }
  for (const auto& thread : threads) {
    thread->join();
  }
  for (const auto& thread : threads) {
    if (thread->thrown()) {
      std::rethrow_exception(thread->thrown());
    }
  }
  for (const auto& thread : threads) {
    if (!thread->status()) {
      return thread->status();
    }
  }
  return std::monostate{};
}

auto report_of(const std::vector<ShareOfPart>& shares) -> RankReport {
  RankReport report;
  for (const ShareOfPart& share : shares) {
    const HeStatistics& done = share.server.preparation();
    for (const HeOperationKind kind : {HeOperationKind::Cipher, HeOperationKind::CipherPlain}) {
      for (size_t opcode = 0; opcode <= static_cast<size_t>(HeOpcode::End); ++opcode) {
        report.n_operations += done.counts.of(static_cast<HeOpcode>(opcode), kind);
      }
    }
    report.work_seconds += share.exchange->seconds_worked();
    report.bytes_sent += share.exchange->bytes_sent();
    report.seconds = std::max(report.seconds, share.statistics.compute_seconds);
  }
  return report;
}

}  // namespace tacet::engine
