#include "cli/service/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/version_info.h"

namespace tacet::service {

void Histogram::add(double seconds) {
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  ++counts_[static_cast<size_t>(bound - kBounds.begin())];
  sum_ += seconds;
}

auto Histogram::text(std::string_view name, std::string_view labels) const -> std::string {
  const std::string_view comma = labels.empty() ? "" : ",";
  const std::string all = labels.empty() ? std::string() : fmt::format("{{{}}}", labels);
  std::string text;
  uint64_t n_below = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    n_below += counts_[i];
    text += fmt::format("{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels, comma,
                        i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf", n_below);
  }
  return text + fmt::format("{0}_sum{1} {2}\n{0}_count{1} {3}\n", name, all, sum_, n_below);
}

/// A label's value.
static auto metric_label(std::string_view text) -> std::string {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '\\' ? "\\\\" : c == '"' ? "\\\"" : c == '\n' ? "\\n" : std::string(1, c);
  }
  return escaped;
}

static auto metric_head(std::string_view name, std::string_view type, std::string_view help)
    -> std::string {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

static auto metric(std::string_view name, std::string_view type, std::string_view help,
                   uint64_t value) -> std::string {
  return metric_head(name, type, help) + fmt::format("{} {}\n", name, value);
}

static auto labels_of(const ProgramMetrics& program) -> std::string {
  return fmt::format("program=\"{}\",digest=\"{}\"", metric_label(program.name), program.digest);
}

auto metrics_text(const Metrics& metrics) -> std::string {
  constexpr std::string_view kCounter = "counter";
  constexpr std::string_view kGauge = "gauge";
  std::string text = metric_head("tacet_build_info", kGauge, "The version of the service.");
  text += fmt::format("tacet_build_info{{version=\"{}\"}} 1\n", metric_label(cli::kVersion));
  text += metric("tacet_connections_total", kCounter, "Connections that were accepted.",
                 metrics.n_connections);
  text += metric("tacet_handshakes_failed_total", kCounter,
                 "Connections that did not authenticate as a client.", metrics.n_handshakes_failed);
  text += metric("tacet_received_bytes_total", kCounter, "Bytes of messages from clients.",
                 metrics.n_bytes_received);
  text += metric("tacet_sent_bytes_total", kCounter, "Bytes of messages to clients.",
                 metrics.n_bytes_sent);
  text += metric("tacet_keys_stored_total", kCounter, "Sets of evaluation keys that were stored.",
                 metrics.n_keys_stored);
  text += metric("tacet_keys_evicted_total", kCounter, "Sets of evaluation keys that were evicted.",
                 metrics.n_keys_evicted);
  text += metric_head("tacet_refusals_total", kCounter, "Messages that were refused, by reason.");
  for (size_t i = 0; i < kRefusalReasons; ++i) {
    text += fmt::format("tacet_refusals_total{{reason=\"{}\"}} {}\n",
                        reason_name(static_cast<RefusalReason>(i + 1)), metrics.n_refusals[i]);
  }
  text += metric_head("tacet_requests_total", kCounter, "Requests that were evaluated.");
  for (const ProgramMetrics& program : metrics.programs) {
    const std::string labels = labels_of(program);
    text += fmt::format("tacet_requests_total{{{},outcome=\"answered\"}} {}\n", labels,
                        program.n_answered);
    text +=
        fmt::format("tacet_requests_total{{{},outcome=\"failed\"}} {}\n", labels, program.n_failed);
  }
  text += metric_head("tacet_evaluation_seconds", "histogram", "Time to evaluate a request.");
  for (const ProgramMetrics& program : metrics.programs) {
    text += program.evaluation_seconds.text("tacet_evaluation_seconds", labels_of(program));
  }
  text += metric_head("tacet_wait_seconds", "histogram",
                      "Time from the arrival of a request to the start of its evaluation.");
  text += metrics.wait_seconds.text("tacet_wait_seconds", "");
  text += metric("tacet_connections", kGauge, "Open connections.", metrics.n_open_connections);
  text += metric("tacet_requests", kGauge, "Requests and keys accepted and not answered yet.",
                 metrics.n_requests);
  text += metric("tacet_waiting", kGauge, "Connections whose message is not accepted yet.",
                 metrics.n_waiting);
  text += metric("tacet_keys", kGauge, "Sets of evaluation keys held.", metrics.n_keys);
  text += metric("tacet_key_bytes", kGauge, "Memory of evaluation keys.", metrics.key_bytes);
  text += metric("tacet_message_bytes", kGauge, "Memory of messages.", metrics.message_bytes);
  text += metric("tacet_clients", kGauge, "Clients that may connect.", metrics.n_clients);
  text +=
      metric("tacet_draining", kGauge, "1 while the service ends.", metrics.is_draining ? 1 : 0);
  return text;
}

}  // namespace tacet::service
