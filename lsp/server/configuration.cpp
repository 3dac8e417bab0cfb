// The user's settings: from the start of the session, from change notifications, or requested.

#include "lsp/server/configuration.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/encode.h"
#include "lsp/server/session.h"
#include "lsp/server/workspace.h"
#include "project/today.h"

namespace tacet::lsp {

static constexpr const char* kConfigurationRegistration =
    R"({"registrations":[{"id":"tacet-settings","method":"workspace/didChangeConfiguration",)"
    R"("registerOptions":{"section":"tacet"}}]})";

static constexpr const char* kConfigurationRequest = R"({"items":[{"section":"tacet"}]})";

void register_configuration(Session& session) {
  if (session.client->capabilities.registers_configuration) {
    session.outbox.request("client/registerCapability", kConfigurationRegistration);
  }
}

static void take_settings(Session& session, const Json& settings) {
  const Settings chosen = with_settings(session.client->settings, settings);
  if (chosen == session.client->settings) {
    return;
  }
  auto client = std::make_shared<Client>(*session.client);
  client->settings = chosen;
  const bool has_other_levels = chosen.lint_levels != session.client->settings.lint_levels ||
                                chosen.obliviousness != session.client->settings.obliviousness;
  session.client = std::move(client);
  if (has_other_levels) {
    apply_lint(session);
    refresh_pulled_diagnostics(session);
    input_drained(session);
  }
  refresh_decorations(session);
}

void ask_for_configuration(Session& session) {
  if (!session.client->capabilities.has_configuration) {
    return;
  }
  session.outbox.request("workspace/configuration", kConfigurationRequest,
                         [&session](const Response& answer) {
                           const Json& settings = *answer.result;
                           if (!answer.error && settings.is_array() && !settings.empty()) {
                             take_settings(session, settings.front());
                           }
                         });
}

void did_change_configuration(Session& session, const Json& params) {
  if (auto settings = params.find("settings"); params.is_object() && settings != params.end()) {
    take_settings(session, *settings);
  }
  ask_for_configuration(session);
}

void apply_lint(Session& session) {
  const Settings& chosen = session.client->settings;
  std::vector<std::string> problems;
  linter::Settings wished;
  session.lint.try_emplace("", linter::Settings{.today = project::today()});
  for (const auto& [root, settings] : session.lint) {
    problems.clear();
    wished = linter::with_levels(settings, chosen.lint_levels, chosen.obliviousness, problems);
    session.host.set_lint(root, wished);
  }
  for (const std::string& problem : problems) {
    session.outbox.notify("window/showMessage",
                          encode_log_message(MessageType::Warning, "editor settings: " + problem));
  }
  session.needs_diagnostics = true;
}

void refresh_decorations(Session& session) {
  if (session.client->capabilities.refreshes_hints) {
    session.outbox.request("workspace/inlayHint/refresh", "null");
  }
  if (session.client->capabilities.refreshes_tokens) {
    session.outbox.request("workspace/semanticTokens/refresh", "null");
  }
  if (session.client->capabilities.refreshes_lenses) {
    session.outbox.request("workspace/codeLens/refresh", "null");
  }
}

}  // namespace tacet::lsp
