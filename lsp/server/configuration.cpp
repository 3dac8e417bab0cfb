// What the user chooses: told when the session begins, told of changes, or asked for.

#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/encode.h"
#include "lsp/server/server.h"
#include "project/today.h"

namespace tacet::lsp {

static constexpr const char* kConfigurationRegistration =
    R"({"registrations":[{"id":"tacet-settings","method":"workspace/didChangeConfiguration",)"
    R"("registerOptions":{"section":"tacet"}}]})";

static constexpr const char* kConfigurationRequest = R"({"items":[{"section":"tacet"}]})";

void Server::register_configuration() {
  if (client_->capabilities.registers_configuration) {
    outbox_.request("client/registerCapability", kConfigurationRegistration);
  }
}

void Server::ask_for_configuration() {
  if (!client_->capabilities.has_configuration) {
    return;
  }
  outbox_.request("workspace/configuration", kConfigurationRequest, [this](const Response& answer) {
    const Json& settings = *answer.result;
    if (!answer.error && settings.is_array() && !settings.empty()) {
      take_settings(settings.front());
    }
  });
}

/// Clients that answer `workspace/configuration` often send nothing here.
void Server::did_change_configuration(const Json& params) {
  if (auto settings = params.find("settings"); params.is_object() && settings != params.end()) {
    take_settings(*settings);
  }
  ask_for_configuration();
}

void Server::take_settings(const Json& settings) {
  const Settings chosen = with_settings(client_->settings, settings);
  if (chosen == client_->settings) {
    return;
  }
  auto client = std::make_shared<Client>(*client_);
  client->settings = chosen;
  const bool has_other_levels = chosen.lint_levels != client_->settings.lint_levels ||
                                chosen.obliviousness != client_->settings.obliviousness;
  client_ = std::move(client);
  if (has_other_levels) {
    apply_lint();
    refresh_pulled_diagnostics();
    input_drained();
  }
  refresh_decorations();
}

void Server::apply_lint() {
  const Settings& chosen = client_->settings;
  std::vector<std::string> problems;
  linter::Settings wished;
  lint_.try_emplace("", linter::Settings{.today = project::today()});
  for (const auto& [root, settings] : lint_) {
    problems.clear();
    wished = linter::with_levels(settings, chosen.lint_levels, chosen.obliviousness, problems);
    host_.set_lint(root, wished);
  }
  for (const std::string& problem : problems) {
    outbox_.notify("window/showMessage",
                   encode_log_message(MessageType::Warning, "editor settings: " + problem));
  }
  needs_diagnostics_ = true;
}

void Server::refresh_decorations() {
  if (client_->capabilities.refreshes_hints) {
    outbox_.request("workspace/inlayHint/refresh", "null");
  }
  if (client_->capabilities.refreshes_tokens) {
    outbox_.request("workspace/semanticTokens/refresh", "null");
  }
  if (client_->capabilities.refreshes_lenses) {
    outbox_.request("workspace/codeLens/refresh", "null");
  }
}

}  // namespace tacet::lsp
