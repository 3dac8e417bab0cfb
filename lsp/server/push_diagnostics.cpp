#include "lsp/server/push_diagnostics.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/core/query/revision.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/barrier.h"
#include "lsp/server/session.h"

namespace tacet::lsp {

using Views = std::vector<std::shared_ptr<const DocumentView>>;

/// Computes the diagnostics of `views` in sequence and passes each to `publish`. Ends early when a
/// newer revision makes them stale.
static void compute_diagnostics(const RequestContext& context, const Views& views,
                                const std::vector<Work>& works,
                                const std::function<void(size_t, std::string)>& publish) {
  try {
    for (size_t i = 0; i < views.size(); ++i) {
      auto file = context.analysis->file(views[i]->path);
      if (file) {
        FileView view(*file, views[i], true, context.client->encoding);
        publish(i, encoded_diagnostics(context, view, works[i]));
      }
    }
  } catch (const query::Cancelled&) {
  }
}

static void publish_diagnostics(Session& session, const std::shared_ptr<const DocumentView>& view,
                                std::string diagnostics) {
  Document* document = session.documents.find(view->uri);
  if (document == nullptr || !document->is_current(*view) ||
      session.state != SessionState::Running) {
    return;
  }
  PublishedDiagnostics& last = session.published[view->uri];
  bool is_same = last.view.lock() == view && last.diagnostics == diagnostics;
  if (is_same) {
    return;
  }
  last = {view, std::move(diagnostics)};
  session.outbox.notify("textDocument/publishDiagnostics",
                        encode_publish(view->uri, view->version, last.diagnostics));
}

void start_diagnostics(Session& session) {
  if (session.client == nullptr || session.client->capabilities.pulls_diagnostics ||
      session.state != SessionState::Running) {
    session.schedule.run_ended();
    return;
  }
  session.diagnostics_token = CancellationToken();
  auto context =
      std::make_shared<const RequestContext>(make_context(session, session.diagnostics_token));
  // Where somebody types comes first, then what else changed since it was last published.
  Views views;
  Views changed;
  Views others;
  for (Document* document : session.documents.all()) {
    auto view = document->view();
    auto last = session.published.find(document->uri());
    bool is_new = last == session.published.end() || last->second.view.lock() != view;
    bool is_edited = is_new && document->uri() == session.edited_uri;
    (is_edited ? views : is_new ? changed : others).push_back(std::move(view));
  }
  const size_t n_edited = views.empty() ? changed.size() : views.size();
  views.insert(views.end(), changed.begin(), changed.end());
  views.insert(views.end(), others.begin(), others.end());
  std::vector<Work> works;
  for (const auto& view : views) {
    works.push_back(session.published.contains(view->uri) ? Work::Alone : Work::Shared);
  }
  session.pool.submit(
      Priority::Diagnostics, [&session, context = std::move(context), views = std::move(views),
                              works = std::move(works), n_edited]() mutable {
        std::string report = behind_barrier([&] {
          compute_diagnostics(*context, views, works, [&](size_t i, std::string diagnostics) {
            session.loop.post([&session, view = views[i], diagnostics = std::move(diagnostics),
                               is_last_edited = i + 1 == n_edited] {
              if (is_last_edited) {
                session.schedule.answered();
              }
              publish_diagnostics(session, view, diagnostics);
            });
          });
        });
        context.reset();
        views.clear();
        session.loop.post([&session, report = std::move(report)] {
          if (!report.empty()) {
            session.outbox.log(MessageType::Error, "diagnostics failed: internal error: " + report);
          }
          session.schedule.run_ended();
        });
      });
}

void clear_diagnostics(Session& session, const std::string& uri) {
  session.published.erase(uri);
  if (!session.client->capabilities.pulls_diagnostics) {
    session.outbox.notify("textDocument/publishDiagnostics",
                          encode_publish(uri, std::nullopt, "[]"));
  }
}

}  // namespace tacet::lsp
