#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "lsp/server/server.h"
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

/// Answers `tacet/serverStatus`: whether anything is being done, what the server holds, and what it
/// computed of each kind of query since it began.
void Server::tell_status(const Request& request) {
  Json queries = Json::array();
  std::vector<ide::QueryCount> counts = host_.query_counts();
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.n_executed > b.n_executed; });
  for (const ide::QueryCount& query : counts) {
    queries.push_back({{"name", query.name},
                       {"kept", query.n_keys},
                       {"executed", query.n_executed},
                       {"unchanged", query.n_unchanged}});
  }
  const bool is_quiet = pending_.empty() && background_.empty() && runs_.empty() &&
                        read_order_.n_under_way() == 0 && !is_indexing_;
  const Json status = {{"health", "ok"},
                       {"quiescent", is_quiet},
                       {"version", kVersion},
                       {"processId", getpid()},
                       {"memory", {{"resident", bytes_of("VmRSS:")}, {"peak", bytes_of("VmHWM:")}}},
                       {"files", host_.analysis({})->files().size()},
                       {"openDocuments", documents_.all().size()},
                       {"requests", {{"pending", pending_.size()}, {"received", n_requests_}}},
                       {"runs", runs_.size()},
                       {"background", background_.size()},
                       {"reads", read_order_.n_under_way()},
                       {"queries", std::move(queries)}};
  outbox_.result(request.id, to_text(status));
}

}  // namespace tacet::lsp
