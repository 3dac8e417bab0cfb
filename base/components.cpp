#include "base/components.h"

#include <algorithm>

namespace tacet {

namespace {

class ComponentSearch {
 public:
  explicit ComponentSearch(std::span<const std::vector<uint32_t>> edges)
      : edges_(edges), states_(edges.size()) {}

  auto run() -> std::vector<std::vector<uint32_t>> {
    for (uint32_t root = 0; root < states_.size(); ++root) {
      if (states_[root].index == 0) {
        visit(root);
      }
    }
    return std::move(found_);
  }

 private:
  struct State {
    uint32_t index = 0;  ///< when it was met, from 1; 0 if it was not
    uint32_t lowest = 0;
    uint32_t next_edge = 0;
    bool is_open = false;
  };

  void open(uint32_t at) {
    states_[at].index = states_[at].lowest = ++n_met_;
    states_[at].is_open = true;
    open_.push_back(at);
    path_.push_back(at);
  }

  void visit(uint32_t root) {
    open(root);
    while (!path_.empty()) {
      const uint32_t at = path_.back();
      State& state = states_[at];
      if (state.next_edge < edges_[at].size()) {
        const uint32_t next = edges_[at][state.next_edge++];
        if (states_[next].index == 0) {
          open(next);
        } else if (states_[next].is_open) {
          state.lowest = std::min(state.lowest, states_[next].index);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        uint32_t& above = states_[path_.back()].lowest;
        above = std::min(above, state.lowest);
      }
      if (state.lowest == state.index) {
        close(at);
      }
    }
  }

  /// `root` is the first that was met of a component that is complete.
  void close(uint32_t root) {
    std::vector<uint32_t>& component = found_.emplace_back();
    do {
      component.push_back(open_.back());
      states_[open_.back()].is_open = false;
      open_.pop_back();
    } while (component.back() != root);
  }

  std::span<const std::vector<uint32_t>> edges_;
  std::vector<State> states_;
  std::vector<uint32_t> path_;
  std::vector<uint32_t> open_;
  uint32_t n_met_ = 0;
  std::vector<std::vector<uint32_t>> found_;
};

}  // namespace

auto strong_components(std::span<const std::vector<uint32_t>> edges)
    -> std::vector<std::vector<uint32_t>> {
  return ComponentSearch(edges).run();
}

auto is_cyclic(std::span<const std::vector<uint32_t>> edges, const std::vector<uint32_t>& component)
    -> bool {
  const std::vector<uint32_t>& next = edges[component.front()];
  return component.size() > 1 ||
         std::find(next.begin(), next.end(), component.front()) != next.end();
}

}  // namespace tacet
