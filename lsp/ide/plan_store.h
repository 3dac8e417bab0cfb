#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "compiler/front/names/item.h"
#include "compiler/views/he/item_program.h"
#include "compiler/views/he/plan.h"
#include "engine/cggi_model/bootstrap_times.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// How array programs would be encrypted: found in the background, and kept by the programs' own
/// text, so that an edit elsewhere searches for nothing again. Any thread.
class PlanStore {
 public:
  explicit PlanStore(he::OperationTimes times,
                     std::optional<cggi::BootstrapTimes> bootstraps = std::nullopt);

  /// Of this machine, if they were measured.
  [[nodiscard]] auto bootstrap_times() const -> const std::optional<cggi::BootstrapTimes>& {
    return bootstraps_;
  }

  /// Without, nothing is ever found.
  void set_background(std::function<void(BackgroundTask)> submit);

  /// Whether the clause of the text is obeyed, if there is one that can be.
  enum class Clause : uint8_t { Obeyed, Ignored };

  /// The plan of an item's program, or null while it is not known; then it is being found from now
  /// on. What was begun for the same item when it was another program is given up.
  auto find(const program::FrontendSnapshot& snapshot, names::ItemId item,
            const he_views::ItemProgram& program, Clause clause)
      -> std::shared_ptr<const he_views::Plan>;

 private:
  struct Entry {
    std::shared_ptr<const he_views::Plan> plan;
    CancellationToken token;  ///< of finding it
    uint64_t used = 0;
  };
  struct State {
    std::mutex mutex;
    he::OperationTimes times;
    std::map<std::string, Entry> plans;  ///< by what makes them the same
    /// What each item wanted last.
    std::map<std::pair<uint32_t, Clause>, std::string> wanted;
    uint64_t n_uses = 0;
  };

  static void give_up(State& state, const std::string& key);
  static void drop_oldest(State& state);
  static auto make_task(std::shared_ptr<State> state, std::string key, std::string title,
                        std::vector<array::Program> programs, he_views::PlanOptions options)
      -> BackgroundTask;

  std::optional<cggi::BootstrapTimes> bootstraps_;
  std::shared_ptr<State> state_;  ///< tasks may end after the store
  std::function<void(BackgroundTask)> submit_;
};

}  // namespace tacet::ide
