#include <fmt/format.h>

#include <utility>

#include "compiler/core/query/revision.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/barrier.h"
#include "lsp/server/server.h"

namespace tacet::lsp {

using Views = std::vector<std::shared_ptr<const DocumentView>>;

/// Computes the diagnostics of `views` one after the other and hands each to `publish`.
/// Ends early when a newer revision makes them stale.
static void compute_diagnostics(const RequestContext& context, const Views& views,
                                const std::function<void(size_t, std::string)>& publish) {
  try {
    for (size_t i = 0; i < views.size(); ++i) {
      auto file = context.analysis->file(views[i]->path);
      if (file) {
        FileView view(*file, views[i], true, context.client->encoding);
        publish(i, encoded_diagnostics(context, view));
      }
    }
  } catch (const query::Cancelled&) {
  }
}

void Server::start_diagnostics() {
  if (client_ == nullptr || client_->capabilities.pulls_diagnostics || state_ != State::Running) {
    schedule_.run_ended();
    return;
  }
  diagnostics_token_ = CancellationToken();
  auto context = std::make_shared<const RequestContext>(make_context(diagnostics_token_));
  // Where somebody types comes first, then what else changed since it was last published.
  Views views;
  Views changed;
  Views others;
  for (Document* document : documents_.all()) {
    auto view = document->view();
    auto last = published_.find(document->uri());
    bool is_new = last == published_.end() || last->second.view.lock() != view;
    bool is_edited = is_new && document->uri() == edited_uri_;
    (is_edited ? views : is_new ? changed : others).push_back(std::move(view));
  }
  const size_t n_edited = views.empty() ? changed.size() : views.size();
  views.insert(views.end(), changed.begin(), changed.end());
  views.insert(views.end(), others.begin(), others.end());
  pool_.submit(Priority::Diagnostics, [this, context = std::move(context), views = std::move(views),
                                       n_edited]() mutable {
    std::string report = behind_barrier([&] {
      compute_diagnostics(*context, views, [&](size_t i, std::string diagnostics) {
        loop_.post([this, view = views[i], diagnostics = std::move(diagnostics),
                    is_last_edited = i + 1 == n_edited] {
          if (is_last_edited) {
            schedule_.answered();
          }
          publish(view, diagnostics);
        });
      });
    });
    context.reset();
    views.clear();
    loop_.post([this, report = std::move(report)] {
      if (!report.empty()) {
        outbox_.log(MessageType::Error, "diagnostics failed: internal error: " + report);
      }
      schedule_.run_ended();
    });
  });
}

void Server::publish(const std::shared_ptr<const DocumentView>& view, std::string diagnostics) {
  Document* document = documents_.find(view->uri);
  if (document == nullptr || !document->is_current(*view) || state_ != State::Running) {
    return;
  }
  Published& last = published_[view->uri];
  bool is_same = last.view.lock() == view && last.diagnostics == diagnostics;
  if (is_same) {
    return;
  }
  last = {view, std::move(diagnostics)};
  outbox_.notify("textDocument/publishDiagnostics",
                 encode_publish(view->uri, view->version, last.diagnostics));
}

void Server::clear_diagnostics(const std::string& uri) {
  published_.erase(uri);
  if (!client_->capabilities.pulls_diagnostics) {
    outbox_.notify("textDocument/publishDiagnostics", encode_publish(uri, std::nullopt, "[]"));
  }
}

}  // namespace tacet::lsp
