#pragma once

#include <cstdint>
#include <vector>

#include "compiler/core/syntax/views.h"

/// Private to this folder.
namespace tacet::check {

/// Which secrets decide whether the present place is reached: conditions and loop bounds around it,
/// and exits before it. A `continue` under a secret condition decides about the rest of the
/// iteration, a `break` about all of the loop's later iterations, a `return` about the rest of the
/// function; so a loop that a secret leaves is known to be one only in the next round over the
/// body.
///
/// A *level* counts these decisions. What is declared at a level is seen by nobody below it.
class SecretControl {
 public:
  using Node = syntax::Node;

  /// What a branch must restore for its other arm, and a loop behind it.
  struct State {
    Node condition;  ///< the outermost secret one around
    uint32_t n_conditions = 0;
    Node exit;  ///< the first secret one on the path here
    uint32_t n_exits = 0;
    Node returned;  ///< a secret `return` on the path here
  };

  void begin(size_t n_nodes) { left_by_.assign(n_nodes, Node()); }
  void begin_round() { state_ = {}; }

  [[nodiscard]] auto level() const -> uint32_t {
    return state_.n_conditions + state_.n_exits + (state_.returned ? 1U : 0U);
  }
  /// The secret that decides, null if none does.
  [[nodiscard]] auto cause() const -> Node {
    return state_.condition ? state_.condition : state_.exit ? state_.exit : state_.returned;
  }
  [[nodiscard]] auto state() const -> const State& { return state_; }
  void restore(const State& state) { state_ = state; }

  void enter(Node condition) {
    state_.condition = state_.condition ? state_.condition : condition;
    ++state_.n_conditions;
  }

  /// Behind a branch: what left in either arm may have left.
  void join(const State& before, const State& other) {
    state_.condition = before.condition;
    state_.n_conditions = before.n_conditions;
    state_.exit = state_.exit ? state_.exit : other.exit;
    state_.n_exits = state_.n_exits > other.n_exits ? state_.n_exits : other.n_exits;
    state_.returned = state_.returned ? state_.returned : other.returned;
  }

  /// Where the body of a loop starts. `end_loop` takes what it gives.
  auto begin_loop(Node loop) -> State {
    State before = state_;
    if (const Node exit = left_by_[loop.index()]) {
      enter(exit);
    }
    loops_.push_back({loop, level()});
    return before;
  }
  void end_loop(const State& before) {
    const Node returned = state_.returned;
    loops_.pop_back();
    state_ = before;
    state_.returned = state_.returned ? state_.returned : returned;
  }

  /// At a `break`, `continue` or `return`. True if it makes another round necessary.
  auto exits(Node exit) -> bool {
    bool is_new = false;
    const auto leave = [&](const Loop& loop) {
      if (level() > loop.level && !left_by_[loop.node.index()]) {
        left_by_[loop.node.index()] = exit;
        is_new = true;
      }
    };
    if (exit.is(syntax::NodeKind::ReturnStatement)) {
      for (const Loop& loop : loops_) {
        leave(loop);
      }
      state_.returned = level() > 0 ? exit : state_.returned;
      return is_new;
    }
    if (loops_.empty() || level() == loops_.back().level) {
      return false;
    }
    if (exit.is(syntax::NodeKind::BreakStatement)) {
      leave(loops_.back());
    }
    state_.exit = state_.exit ? state_.exit : exit;
    ++state_.n_exits;
    return is_new;
  }

 private:
  struct Loop {
    Node node;
    uint32_t level = 0;  ///< where its body starts
  };

  State state_;
  std::vector<Loop> loops_;
  std::vector<Node> left_by_;  ///< by node of a loop: the exit that a secret decides about
};

}  // namespace tacet::check
