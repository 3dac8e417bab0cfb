#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.h"
#include "lsp/ide/analysis.h"
#include "lsp/protocol/frame.h"
#include "lsp/protocol/message.h"
#include "lsp/server/diagnostics_schedule.h"
#include "lsp/server/documents/document_store.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/outbox.h"
#include "lsp/server/parent_watch.h"
#include "lsp/server/progress.h"
#include "lsp/server/read_order.h"
#include "lsp/server/scratch_folder.h"
#include "lsp/server/session_bounds.h"
#include "lsp/server/source_files.h"
#include "lsp/server/worker_pool.h"

namespace tacet::lsp {

struct ChildOutput;

/// One session with one client: reads messages, applies edits in order, hands requests
/// to the workers and sends what they answer. Everything happens on the loop's thread
/// but the handlers themselves, which see one immutable revision each.
class Server {
 public:
  /// `ended` is called once, when the process should exit; see `exit_code`.
  /// `program` is the path of what `tacet.run` runs, if it can.
  Server(EventLoop& loop, WorkerPool& pool, ide::AnalysisHost& host, Outbox::Send send,
         std::function<void()> ended, std::string program = {}, SessionBounds bounds = {});
  ~Server();

  /// One piece of the client's input.
  void receive(const Frame& frame);

  /// The input so far is dealt with: time to start what can wait for the last edit.
  void input_drained();

  /// The client is gone without saying so.
  void input_closed();

  /// 0 after an orderly `shutdown`, else 1. Nothing while the session goes on.
  [[nodiscard]] auto exit_code() const -> std::optional<int> { return exit_code_; }

 private:
  enum class State : uint8_t { New, Running, ShutDown };
  using NotificationHandler = void (Server::*)(const Json& params);

  /// Whether diagnostics wait for files that are being read.
  enum class Gate : uint8_t { Open, Closed };

  /// Something long that a worker is at.
  struct BackgroundWork {
    explicit BackgroundWork(EventLoop& loop) : patience(loop) {}

    CancellationToken token;
    Timer patience;  ///< until the user is told of it
    std::shared_ptr<Progress> progress;
  };
  struct ProgramRun;

  /// A request that a worker has.
  struct Pending {
    RequestId id;
    const RequestHandler* handler = nullptr;
    Params params;
    CancellationToken token;
  };

  // Dispatch: server.cpp.
  void receive_body(std::string_view body);
  void receive_message(Request& request);
  void receive_message(Notification& notification);
  void receive_message(Response& response);
  void receive_message(Malformed& malformed);
  void start_request(const Request& request, const RequestHandler& handler);
  auto part_sender(uint64_t number, const Json& params) -> std::function<void(std::string)>;
  void run_request(uint64_t number);
  void finish_request(uint64_t number, const Answer& answer);
  auto refusal(std::string_view method) const -> std::optional<ResponseError>;
  auto make_context(CancellationToken token) -> RequestContext;
  void end(int code);

  // Beginning and end of the session: lifecycle.cpp.
  void initialize(const Request& request);
  void shutdown(const Request& request);
  void exit(const Json& params);
  void set_trace(const Json& params);
  void cancel_request(const Json& params);

  // How the server is: status.cpp.
  void tell_status(const Request& request);

  // What the user chooses: configuration.cpp.
  void did_change_configuration(const Json& params);
  void register_configuration();
  void ask_for_configuration();
  void take_settings(const Json& settings);
  /// Tells the analysis which findings are wanted: what `tacet.toml` says with the client's wishes
  /// over it.
  void apply_lint();
  /// Tells the client to ask anew for what it shows beside the text.
  void refresh_decorations();

  // Text: text_sync.cpp.
  void did_open(const Json& params);
  void did_change(const Json& params);
  void did_save(const Json& params);
  void did_close(const Json& params);
  void close_document(const std::string& uri);
  void edited();
  void supersede_requests();
  /// Tells the analysis of every edit since the last time.
  void flush();

  // Files that are not open: workspace.cpp.
  void initialized(const Json& params);
  [[nodiscard]] auto workspace_folders() const -> std::vector<std::string>;
  [[nodiscard]] auto is_in_workspace(const std::string& path) const -> bool;
  /// Do the sources of this folder belong to the workspace, or lie beside an opened document?
  [[nodiscard]] auto is_looked_at(const std::string& folder) const -> bool;
  /// Reads what an opened document may import: the sources of its folder.
  void load_neighbours(const Document& document, std::string_view text);
  /// Would a file of this path have been read with its workspace, or beside an opened document?
  [[nodiscard]] auto is_source(const std::string& path) const -> bool;
  void load_folder(std::string folder, Depth depth, Gate gate);
  void load_file(std::string path);
  void take_folder(LoadedFolder folder, ReadOrder::Ticket ticket);
  void take_source_folders(const LoadedFolder& folder);
  void take_lint(const LoadedFolder& folder);
  /// Finds out in the background what files declare that were read, part by part.
  void index_more();
  void take_protocol(const LoadedFolder& folder);
  void take_files(std::vector<SourceFileText> files, ReadOrder::Ticket ticket);
  void refresh_pulled_diagnostics();

  // How they come, change and go: workspace_changes.cpp.
  void did_change_watched_files(const Json& params);
  void did_change_workspace_folders(const Json& params);
  /// What is below a folder that is no part of the workspace any more, and not open, is gone.
  void forget_folder(const std::string& folder);
  /// Files, manifests and folders of such paths are no more, but for open documents.
  void forget(const std::function<bool(const std::string& path)>& is_gone);
  /// Reads folders that are there although they were told to be gone.
  void reload_folders(std::set<std::string, std::less<>> gone);
  /// Takes back what the `tacet.toml` of a folder said.
  void forget_manifest(const std::string& folder);

  // What takes long and no answer waits for: background.cpp.
  void start_background(ide::BackgroundTask task);
  void report_background(uint64_t number, const std::string& message);
  void end_background(uint64_t number, const std::string& failure);
  void cancel_background();

  // The command that runs a program: run_command.cpp.
  auto is_run(const Request& request) const -> bool;
  void run_program(const Request& request);
  void ask_for_inputs(const std::shared_ptr<ProgramRun>& run);
  void start_program(const std::shared_ptr<ProgramRun>& run);
  void tell_run(const ProgramRun& run, const ChildOutput& child);
  void show_timeline(const ProgramRun& run, const std::string& timeline);
  auto end_run(const ProgramRun& run) -> bool;
  void fail_run(const ProgramRun& run, const ResponseError& error);
  void stop_run(const std::shared_ptr<const ProgramRun>& run);
  void cancel_run(const RequestId& id);
  void cancel_runs();
  void cancel_progress(const Json& params);

  // Pushed diagnostics: push_diagnostics.cpp.
  void start_diagnostics();
  void publish(const std::shared_ptr<const DocumentView>& view, std::string diagnostics);
  void clear_diagnostics(const std::string& uri);

  static auto find_notification(std::string_view method) -> NotificationHandler;

  EventLoop& loop_;
  WorkerPool& pool_;
  ide::AnalysisHost& host_;
  Outbox outbox_;
  std::function<void()> ended_;
  const SessionBounds bounds_;
  std::optional<int> exit_code_;

  State state_ = State::New;
  std::shared_ptr<const Client> client_;
  std::unique_ptr<ParentWatch> parent_;

  DocumentStore documents_;
  std::shared_ptr<TokenCache> token_cache_ = std::make_shared<TokenCache>();
  /// Documents whose out-of-range edits were reported.
  std::map<std::string, bool, std::less<>> reported_;

  /// By a number of our own: a client may use an id twice.
  std::map<uint64_t, Pending> pending_;
  uint64_t n_requests_ = 0;

  std::vector<std::string> workspace_uris_;
  ReadOrder read_order_;
  /// Folders whose sources were read for the sake of imports.
  std::set<std::string> folders_;
  /// Where modules are looked for, by the root of the workspace that says so.
  std::map<std::string, std::vector<std::string>> source_folders_;
  /// By root of a workspace, as its `tacet.toml` says; the empty root is of files in none.
  std::map<std::string, linter::Settings> lint_;
  std::map<std::string, std::string> protocols_;  ///< likewise
  uint64_t n_progresses_ = 0;
  /// Of the files of the analysis, how many were indexed; whether a worker is at the next.
  size_t n_indexed_ = 0;
  bool is_indexing_ = false;
  std::shared_ptr<Progress> index_progress_;
  /// Reads under way that diagnostics wait for, until `gate_limit_`.
  int n_gates_ = 0;
  Timer gate_limit_;
  /// Raised when the session ends.
  CancellationToken end_token_;
  std::map<uint64_t, std::shared_ptr<ProgramRun>> runs_;  ///< those not answered yet
  uint64_t n_runs_ = 0;
  /// Of traced runs, until the session ends.
  std::shared_ptr<ScratchFolder> traces_;
  std::map<uint64_t, std::unique_ptr<BackgroundWork>> background_;
  uint64_t n_background_ = 0;
  std::string program_;

  DiagnosticsSchedule schedule_;
  bool needs_diagnostics_ = false;
  /// The document that was last opened or changed.
  std::string edited_uri_;
  CancellationToken diagnostics_token_;
  /// What was last published, by URI.
  struct Published {
    std::weak_ptr<const DocumentView> view;
    std::string diagnostics;
  };
  std::map<std::string, Published, std::less<>> published_;
};

}  // namespace tacet::lsp
