#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "lsp/ide/analysis_host.h"
#include "lsp/server/event_loop.h"
#include "playground/limits.h"

namespace tacet::playground {

class LanguageSession;

/// The language server over WebSockets: a session, with documents and threads of its own, for each
/// connection; a message of JSON in each message. Sessions read no files and run no programs. The
/// loop's thread only.
class LanguageSessions {
 public:
  LanguageSessions(lsp::EventLoop& loop, const Limits& limits,
                   std::function<std::unique_ptr<ide::AnalysisHost>()> make_host);
  ~LanguageSessions();
  LanguageSessions(const LanguageSessions&) = delete;
  auto operator=(const LanguageSessions&) -> LanguageSessions& = delete;

  /// Takes over the connected socket `fd`, on which the handshake `received` has come. If there are
  /// too many sessions, it gets an error and is closed.
  void start(int fd, std::string received);

 private:
  friend class LanguageSession;

  lsp::EventLoop& loop_;
  const Limits& limits_;
  std::function<std::unique_ptr<ide::AnalysisHost>()> make_host_;
  std::set<std::shared_ptr<LanguageSession>> sessions_;
};

}  // namespace tacet::playground
