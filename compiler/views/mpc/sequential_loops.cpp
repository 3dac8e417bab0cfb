#include "compiler/views/mpc/sequential_loops.h"

#include <algorithm>
#include <bit>
#include <set>

#include "compiler/device/dependences/dependences.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/front/names/queries.h"
#include "compiler/views/mpc/oblivious_dependences.h"

namespace tacet::mpc_views {

namespace {

using dependences::Dependence;
using dependences::Dependences;
using dependences::Loop;

constexpr size_t kMostStatementsAtOnce = 300;
constexpr uint64_t kMostInstructionsAtOnce = 50'000;
/// Less is not worth a word: on a link of 20 ms they are two seconds.
constexpr uint64_t kFewRounds = 100;

auto is_around(const Loop& outer, const Loop& inner) -> bool {
  return outer.depth < inner.depth && outer.place.file == inner.place.file &&
         outer.place.range.begin <= inner.place.range.begin &&
         inner.place.range.end <= outer.place.range.end;
}

/// By loop: whether iterations read what earlier ones wrote.
auto waiting_loops(const Dependences& all) -> std::vector<bool> {
  std::vector<bool> result(all.loops.size());
  for (const Dependence& each : all.found) {
    result[each.loop] = result[each.loop] || each.kind == dependences::Kind::Flow;
  }
  return result;
}

/// A loop that may be combined as a tree, if it costs much.
struct Candidate {
  TextRange range;
  SequentialLoop loop;  ///< whose costs are not known yet
};

/// Finds the loops that may be combined as a tree.
class Finder {
 public:
  /// `kernel` is as it was before it was made oblivious.
  Finder(names::ItemId item, std::string_view text, const ItemProgram& program,
         const kernel::Kernel& kernel, const Dependences& all)
      : item_(item), text_(text), program_(program), all_(all), waits_(waiting_loops(all)) {
    for (const kernel::Variable& variable : kernel.variables.values()) {
      names_.insert(variable.name);
    }
  }

  auto run() const -> std::vector<Candidate> {
    std::vector<Candidate> result;
    for (size_t i = 0; i < all_.loops.size(); ++i) {
      if (is_candidate(i)) {
        result.push_back({all_.loops[i].place.range, described(i)});
      }
    }
    return result;
  }

 private:
  /// What is inlined from elsewhere has no keyword here.
  auto keyword_of(const Loop& loop) const -> std::string_view {
    if (loop.place.file.index != item_.index) {
      return {};
    }
    const std::string_view begin = text_.substr(loop.place.range.begin);
    return begin.starts_with("for") ? "for" : std::string_view();
  }

  auto is_candidate(size_t i) const -> bool {
    const Loop& loop = all_.loops[i];
    const std::vector<TextRange>& sequential = program_.sequential_loops;
    const bool is_sequential =
        std::find(sequential.begin(), sequential.end(), loop.place.range) != sequential.end();
    if (!is_sequential || !waits_[i] || loop.n_iterations.value_or(0) < 2 ||
        keyword_of(loop).empty()) {
      return false;
    }
    for (size_t other = 0; other < all_.loops.size(); ++other) {
      const bool is_nested =
          is_around(loop, all_.loops[other]) || is_around(all_.loops[other], loop);
      if (waits_[other] && is_nested) {
        return false;
      }
    }
    return true;
  }

  auto in_tree(FileRange place) const -> std::optional<TextRange> {
    return place.file.index == item_.index ? std::optional(place.range) : std::nullopt;
  }

  auto described(size_t i) const -> SequentialLoop {
    const Loop& loop = all_.loops[i];
    SequentialLoop result;
    result.keyword = {loop.place.range.begin,
                      loop.place.range.begin + static_cast<uint32_t>(keyword_of(loop).size())};
    result.n_iterations = static_cast<uint64_t>(*loop.n_iterations);
    for (const Dependence& each : all_.found) {
      if (each.loop != i || each.kind != dependences::Kind::Flow ||
          !names_.contains(each.variable)) {
        continue;
      }
      if (result.variables.empty()) {
        result.write = in_tree(each.from);
        result.read = in_tree(each.to);
      }
      const auto known = std::find(result.variables.begin(), result.variables.end(), each.variable);
      const auto index = static_cast<uint32_t>(known - result.variables.begin());
      if (known == result.variables.end()) {
        result.variables.push_back(each.variable);
        result.doubts.push_back(each.doubt);
      } else if (each.doubt == dependences::Doubt::None) {
        result.doubts[index] = each.doubt;
      }
      const std::optional<TextRange> write = in_tree(each.from);
      const std::optional<TextRange> read = in_tree(each.to);
      if (write && read) {
        result.carried.push_back({index, *write, *read});
      }
    }
    return result;
  }

  names::ItemId item_;
  std::string_view text_;
  const ItemProgram& program_;
  const Dependences& all_;
  std::vector<bool> waits_;
  std::set<std::string> names_;  ///< of the text
};

/// What program instructions of `ranges` cost, the first one that contains each.
auto costs_by_range(query::Context& context, const CostsKey& key, const ItemProgram& item,
                    const std::vector<TextRange>& ranges) -> std::vector<mpc_model::LineCost> {
  mpc_model::ProgramCostOptions options;
  options.most_instructions = kMostInstructionsAtOnce;
  options.check = [&] { context.check_cancelled(); };
  options.group_of = [&](uint32_t place) -> uint32_t {
    const auto found = std::find_if(ranges.begin(), ranges.end(), [&](const TextRange& range) {
      return place > 0 && range.contains(item.places[place - 1]);
    });
    return found == ranges.end() ? 0 : static_cast<uint32_t>(found - ranges.begin()) + 1;
  };
  const auto protocol = costs_of(key.protocol, *item.program);
  mpc_model::ProgramCost cost = cost_of_program(*protocol, *item.program, options);
  std::vector<mpc_model::LineCost> costs;
  for (uint32_t i = 0; i < ranges.size(); ++i) {
    costs.push_back(std::move(cost.groups[i + 1]));
  }
  return costs;
}

/// Dependences take far longer than costs, and most loops have few rounds.
auto has_expensive_loop(query::Context& context, const CostsKey& key, const ItemProgram& item)
    -> bool {
  std::vector<TextRange> outermost;
  for (const TextRange& range : item.sequential_loops) {
    const bool is_inside = std::any_of(
        item.sequential_loops.begin(), item.sequential_loops.end(), [&](const TextRange& other) {
          return range != other && other.begin <= range.begin && range.end <= other.end;
        });
    if (!is_inside) {
      outermost.push_back(range);
    }
  }
  const std::vector<mpc_model::LineCost> costs = costs_by_range(context, key, item, outermost);
  return std::any_of(costs.begin(), costs.end(),
                     [](const mpc_model::LineCost& of) { return of.cost.rounds >= kFewRounds; });
}

/// The depth of a tree of so many iterations.
auto depth_of_tree(uint64_t n_iterations) -> uint64_t {
  return static_cast<uint64_t>(std::bit_width(n_iterations - 1));
}

/// Is there one of which a tree may take less than half of the rounds?
auto has_long_loop(const std::vector<Loop>& loops) -> bool {
  return std::any_of(loops.begin(), loops.end(), [](const Loop& loop) {
    const auto n = static_cast<uint64_t>(std::max<int64_t>(loop.n_iterations.value_or(0), 1));
    return 2 * depth_of_tree(n) < n;
  });
}

/// Takes the cost of the loop; whether it is worth a word.
auto take_cost(mpc_model::LineCost cost, SequentialLoop& loop) -> bool {
  loop.cost = std::move(cost);
  const uint64_t rounds = loop.cost.cost.rounds;
  if (loop.cost.certainty.is_cut) {
    return rounds >= kFewRounds;
  }
  const uint64_t of_each = (rounds + loop.n_iterations - 1) / loop.n_iterations;
  loop.tree_rounds = of_each * depth_of_tree(loop.n_iterations);
  // An iteration may have nothing to wait for, the first one most likely.
  return rounds >= std::max(kFewRounds, loop.n_iterations - 1) && 2 * *loop.tree_rounds < rounds;
}

}  // namespace

auto SequentialLoopsOfItem::compute(query::Context& context, const Key& key) -> Value {
  const auto nothing = std::make_shared<const std::vector<SequentialLoop>>();
  const auto item = context.get<ProgramOfItem>(key.item);
  if (item == nullptr || !item->program || item->sequential_loops.empty() ||
      !has_expensive_loop(context, key, *item)) {
    return nothing;
  }
  kernel::Lowering lowering =
      kernel::lower(program::FrontendSnapshot(context), key.item, kernel::Places::InItems);
  if (!lowering.kernel || lowering.kernel->statements.size() > kMostStatementsAtOnce) {
    return nothing;
  }
  kernel::move_to_calls(lowering);
  if (!has_long_loop(dependences::find_loops(oblivious::make_oblivious(*lowering.kernel).kernel))) {
    return nothing;
  }
  const Dependences all = oblivious_dependences(*lowering.kernel, DependenceKinds::FlowAlone);
  if (!all.given_up.empty()) {
    return nothing;
  }
  context.check_cancelled();
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(key.item);
  std::vector<Candidate> candidates =
      Finder(key.item, tree->text, *item, *lowering.kernel, all).run();
  if (candidates.empty()) {
    return nothing;
  }
  std::vector<TextRange> ranges;
  for (const Candidate& candidate : candidates) {
    ranges.push_back(candidate.range);
  }
  std::vector<mpc_model::LineCost> costs = costs_by_range(context, key, *item, ranges);
  std::vector<SequentialLoop> result;
  for (size_t i = 0; i < candidates.size(); ++i) {
    SequentialLoop& loop = candidates[i].loop;
    loop.n_parties = costs_of(key.protocol, *item->program)->n_parties();
    if (take_cost(std::move(costs[i]), loop)) {
      result.push_back(std::move(loop));
    }
  }
  return std::make_shared<const std::vector<SequentialLoop>>(std::move(result));
}

}  // namespace tacet::mpc_views
