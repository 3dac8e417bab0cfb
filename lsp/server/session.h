#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/protocol/message.h"
#include "lsp/server/diagnostics_schedule.h"
#include "lsp/server/documents/document_store.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/outbox.h"
#include "lsp/server/parent_watch.h"
#include "lsp/server/pool_executor.h"
#include "lsp/server/progress.h"
#include "lsp/server/read_order.h"
#include "lsp/server/scratch_folder.h"
#include "lsp/server/session_options.h"
#include "lsp/server/source_files.h"
#include "lsp/server/worker_pool.h"

namespace tacet::lsp {

enum class SessionState : uint8_t { New, Running, ShutDown };

/// A request that a worker has.
struct PendingRequest {
  RequestId id;
  const RequestHandler* handler = nullptr;
  Params params;
  CancellationToken token;
};

/// Something long that a worker is at.
struct BackgroundWork {
  explicit BackgroundWork(EventLoop& loop) : patience(loop) {}

  CancellationToken token;
  Timer patience;  ///< until it is reported to the user
  std::shared_ptr<Progress> progress;
};

/// What was published of a document.
struct PublishedDiagnostics {
  std::weak_ptr<const DocumentView> view;
  std::string diagnostics;
};

struct ProgramRun;

/// All that one session knows: state alone. What happens with it is in free functions by topic, on
/// the loop's thread: `requests.h`, `lifecycle.h`, `text_sync.h`, `workspace.h`, ….
struct Session {
  /// `start_diagnostics` is called when diagnostics are due.
  Session(EventLoop& event_loop, WorkerPool& workers, ide::AnalysisHost& analysis_host,
          Outbox::Send send, std::function<void()> on_end, SessionOptions chosen,
          std::function<void()> start_diagnostics)
      : loop(event_loop),
        pool(workers),
        host(analysis_host),
        outbox(std::move(send)),
        ended(std::move(on_end)),
        options(std::move(chosen)),
        gate_limit(event_loop),
        typing_pause(event_loop),
        contents_pause(event_loop),
        schedule(event_loop, std::move(start_diagnostics)) {}

  EventLoop& loop;
  WorkerPool& pool;
  ide::AnalysisHost& host;
  Outbox outbox;
  std::function<void()> ended;
  const SessionOptions options;
  std::optional<int> exit_code;

  SessionState state = SessionState::New;
  std::shared_ptr<const Client> client;
  std::unique_ptr<ParentWatch> parent;

  DocumentStore documents;
  std::shared_ptr<TokenCache> token_cache = std::make_shared<TokenCache>();
  std::shared_ptr<PoolExecutor> executor =
      std::make_shared<PoolExecutor>(pool, Priority::Diagnostics);
  /// Documents whose out-of-range edits were reported.
  std::map<std::string, bool, std::less<>> reported;

  /// By a number of our own: a client may use an id twice.
  std::map<uint64_t, PendingRequest> pending;
  uint64_t n_requests = 0;

  std::vector<std::string> workspace_uris;
  ReadOrder read_order;
  /// Folders whose sources were read for the sake of imports.
  std::set<std::string> folders;
  /// Where modules are looked for, by the root of the workspace that says so.
  std::map<std::string, std::vector<std::string>> source_folders;
  /// By root of a workspace, as its `tacet.toml` says; the empty root is of files in none.
  std::map<std::string, linter::Settings> lint;
  std::map<std::string, project::ExploreFile> explored;  ///< by folder
  uint64_t n_progresses = 0;
  /// Of the files of the analysis, how many were indexed; whether a worker is at the next.
  size_t n_indexed = 0;
  bool is_indexing = false;
  std::shared_ptr<Progress> index_progress;
  /// Pending reads that diagnostics wait for, until `gate_limit`.
  int n_gates = 0;
  Timer gate_limit;
  /// Raised when the session ends.
  CancellationToken end_token;
  std::map<uint64_t, std::shared_ptr<ProgramRun>> runs;  ///< those not answered yet
  uint64_t n_runs = 0;
  /// Of traced runs, until the session ends.
  std::shared_ptr<ScratchFolder> traces;
  std::map<uint64_t, std::unique_ptr<BackgroundWork>> background;
  uint64_t n_background = 0;

  /// The word of the last edit, as long as it is being typed.
  std::shared_ptr<TypedWord> typed;
  Timer typing_pause;  ///< until it is no more
  /// Virtual documents that the client has the content of, by URI.
  std::set<std::string> contents;
  Timer contents_pause;  ///< until the client is notified that they may have changed
  DiagnosticsSchedule schedule;
  bool needs_diagnostics = false;
  /// The document that was last opened or changed.
  std::string edited_uri;
  CancellationToken diagnostics_token;
  /// What was last published, by URI.
  std::map<std::string, PublishedDiagnostics, std::less<>> published;
};

/// All that a request sees, with every edit so far.
auto make_context(Session& session, CancellationToken token) -> RequestContext;

/// The input so far is dealt with: time to start what can wait for the last edit.
void input_drained(Session& session);

/// Ends everything in progress. Once; later calls change nothing.
void end_session(Session& session, int code);

/// What the notification `method` says; if it cannot be read, the client's log says why.
template <class Decode>
auto read_params(Session& session, std::string_view method, const Json& params,
                 const Decode& decode, MessageType type = MessageType::Error) {
  auto decoded = decode(params);
  if (!decoded) {
    session.outbox.log(type, fmt::format("{}: {}", method, decoded.error().message));
  }
  return decoded;
}

}  // namespace tacet::lsp
