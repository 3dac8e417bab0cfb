#include "lsp/ide/analysis_host.h"

#include <utility>

#include "compiler/views/he/circuit_costs.h"
#include "linter/fixes_of_item.h"

namespace tacet::ide {

namespace {

/// Items whose fixes are kept when files change: those around the cursor are requested again.
constexpr size_t kKeptFixes = 256;
/// A circuit takes up to a megabyte; costs are made of it at once.
constexpr size_t kKeptCircuits = 16;

/// A copy of settings with a change, for analyses from now on.
template <class Change>
auto changed(const WorkspaceSettings& settings, const Change& change)
    -> std::shared_ptr<const WorkspaceSettings> {
  auto copy = std::make_shared<WorkspaceSettings>(settings);
  change(*copy);
  return copy;
}

}  // namespace

AnalysisHost::AnalysisHost(he::OperationTimes times, std::optional<cggi::BootstrapTimes> bootstraps)
    : plans_(std::move(times), bootstraps) {
  frontend_.add_library();
  frontend_.database().set_capacity<linter::FixesOfItem>(kKeptFixes);
  frontend_.database().set_capacity<he_views::CircuitOfItem>(kKeptCircuits);
  if (bootstraps) {
    frontend_.database().set<he_views::BootstrapTimesOfMachine>({}, *bootstraps);
  }
}

void AnalysisHost::apply(std::span<const FileChange> changes) {
  std::vector<std::pair<std::string, program::Frontend::SharedText>> others;
  for (const FileChange& change : changes) {
    if (names::is_library_path(change.path)) {
      continue;  // an editor may show it, but not change it
    }
    if (change.text == nullptr) {
      frontend_.remove_file(change.path);
    } else if (change.is_open) {
      frontend_.set_file(change.path, change.text);
    } else {
      others.emplace_back(change.path, change.text);
    }
  }
  if (!others.empty()) {
    frontend_.set_files(std::move(others));
  }
}

void AnalysisHost::set_source_folders(std::vector<std::string> folders) {
  frontend_.set_source_folders(std::move(folders));
}

void AnalysisHost::set_lint(std::string root, linter::Settings settings) {
  settings_ = changed(*settings_, [&](WorkspaceSettings& all) {
    all.lint.by_root[std::move(root)] = std::move(settings);
  });
}

void AnalysisHost::set_explored(std::string folder, project::ExploreFile file) {
  settings_ = changed(*settings_, [&](WorkspaceSettings& all) {
    all.explored[std::move(folder)] = std::make_shared<const project::ExploreFile>(std::move(file));
  });
}

void AnalysisHost::set_offers_imports(bool offers) {
  settings_ = changed(*settings_, [&](WorkspaceSettings& all) {
    all.imports = offers ? Imports::Offered : Imports::LeftOut;
  });
}

void AnalysisHost::set_background(std::function<void(BackgroundTask)> submit) {
  plans_.set_background(std::move(submit));
}

auto AnalysisHost::query_counts() -> std::vector<QueryCount> {
  std::vector<QueryCount> counts;
  for (const query::QueryStatistics& query : frontend_.database().statistics()) {
    counts.push_back({std::string(query.name), query.n_keys, query.n_executed, query.n_unchanged});
  }
  return counts;
}

auto AnalysisHost::analysis(CancellationToken token) -> std::unique_ptr<Analysis> {
  return std::make_unique<Analysis>(frontend_, frontend_.snapshot().with_token(std::move(token)),
                                    settings_, plans_);
}

}  // namespace tacet::ide
