#include "compiler/core/egraph/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tacet::egraph {
namespace {

class Checker {
 public:
  explicit Checker(const EGraph& graph) : graph_(graph) {}

  auto run() -> std::vector<std::string> {
    for (const ClassId id : graph_.classes()) {
      for (const ENode& node : graph_.nodes(id)) {
        check_node(id, node);
      }
    }
    check_index();
    if (graph_.classes().size() != graph_.n_classes()) {
      broken_.emplace_back("the number of classes is wrong");
    }
    return std::move(broken_);
  }

 private:
  void check_node(ClassId id, const ENode& node) {
    const auto children = graph_.children(node);
    const auto is_root = [&](ClassId child) { return graph_.is_class(child); };
    if (!std::all_of(children.begin(), children.end(), is_root)) {
      broken_.push_back(fmt::format("node {} is not canonical", node.id.index));
    }
    if (graph_.find(ClassId{node.id.index}) != id || graph_.lookup(node.op, children) != id) {
      broken_.push_back(fmt::format("node {} is not found in its class", node.id.index));
    }
    const std::vector<uint32_t> key = key_of(node);
    if (!seen_.insert({key, node.id}).second) {
      broken_.push_back(
          fmt::format("nodes {} and {} are congruent", node.id.index, seen_[key].index));
    }
    for (const ClassId child : children) {
      const std::vector<NodeId> users = graph_.users(child);
      if (std::count(users.begin(), users.end(), node.id) !=
          std::count(children.begin(), children.end(), child)) {
        broken_.push_back(
            fmt::format("class {} does not list its user {}", child.index, node.id.index));
      }
    }
    with_op_[node.op].push_back(id);
  }

  void check_index() {
    for (auto& [op, classes] : with_op_) {
      classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
      const auto indexed = graph_.classes_with(op);
      for (const ClassId id : classes) {
        if (std::count(indexed.begin(), indexed.end(), id) != 1) {
          broken_.push_back(fmt::format("class {} is not indexed exactly once under operator {}",
                                        id.index, op.index));
        }
      }
    }
  }

  auto key_of(const ENode& node) const -> std::vector<uint32_t> {
    std::vector<uint32_t> key{node.op.index};
    for (const ClassId child : graph_.children(node)) {
      key.push_back(graph_.find(child).index);
    }
    return key;
  }

  const EGraph& graph_;
  std::map<std::vector<uint32_t>, NodeId> seen_;
  std::map<OpId, std::vector<ClassId>> with_op_;
  std::vector<std::string> broken_;
};

}  // namespace

auto broken_invariants(const EGraph& graph) -> std::vector<std::string> {
  return Checker(graph).run();
}

}  // namespace tacet::egraph
