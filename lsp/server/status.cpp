#include "lsp/server/status.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "lsp/server/session.h"
#include "lsp/server/version.h"

namespace tacet::lsp {

/// Bytes, from a line of the kernel's account of this process in units of 1024; 0 if it keeps none.
static auto bytes_of(std::string_view wanted) -> uint64_t {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == wanted) {
      constexpr uint64_t kUnit = 1024;
      uint64_t n = 0;
      status >> n;
      return n * kUnit;
    }
  }
  return 0;
}

void report_status(Session& session, const Request& request) {
  Json queries = Json::array();
  std::vector<ide::QueryCount> counts = session.host.query_counts();
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.n_executed > b.n_executed; });
  for (const ide::QueryCount& query : counts) {
    queries.push_back({{"name", query.name},
                       {"kept", query.n_keys},
                       {"executed", query.n_executed},
                       {"unchanged", query.n_unchanged}});
  }
  const bool is_quiet = session.pending.empty() && session.background.empty() &&
                        session.runs.empty() && session.read_order.n_in_flight() == 0 &&
                        !session.is_indexing;
  const Json status = {
      {"health", "ok"},
      {"quiescent", is_quiet},
      {"version", kVersion},
      {"processId", getpid()},
      {"memory", {{"resident", bytes_of("VmRSS:")}, {"peak", bytes_of("VmHWM:")}}},
      {"files", session.host.analysis({})->files().size()},
      {"openDocuments", session.documents.all().size()},
      {"requests", {{"pending", session.pending.size()}, {"received", session.n_requests}}},
      {"runs", session.runs.size()},
      {"background", session.background.size()},
      {"reads", session.read_order.n_in_flight()},
      {"queries", std::move(queries)}};
  session.outbox.result(request.id, to_text(status));
}

}  // namespace tacet::lsp
