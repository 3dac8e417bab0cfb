#include "compiler/device/dependences/dependences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/flow.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/val.h>

#include <algorithm>
#include <memory>

#include "compiler/device/dependences/accesses.h"

namespace tacet::dependences {

using kernel::VariableId;

namespace {

/// For one variable; about 0.1 s.
constexpr unsigned long kMostOperations = 3'000'000;
/// For all variables of a function, where only the flow is found: as one types.
constexpr unsigned long kMostOperationsOfFlow = 300'000;

struct Free {
  void operator()(isl_ctx* ctx) const { isl_ctx_free(ctx); }
  void operator()(isl_union_map* map) const { isl_union_map_free(map); }
  void operator()(isl_map* map) const { isl_map_free(map); }
  void operator()(isl_set* set) const { isl_set_free(set); }
  void operator()(isl_aff* aff) const { isl_aff_free(aff); }
  void operator()(isl_val* val) const { isl_val_free(val); }
  void operator()(isl_union_flow* flow) const { isl_union_flow_free(flow); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

/// Of one function. Null objects stand for what took too many operations.
class Analysis {
 public:
  Analysis(const kernel::Kernel& kernel, bool finds_flow_alone)
      : kernel_(kernel),
        finds_flow_alone_(finds_flow_alone),
        accesses_(find_accesses(kernel)),
        ctx_(isl_ctx_alloc()) {
    isl_options_set_on_error(ctx_.get(), ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx_.get(),
                               finds_flow_alone ? kMostOperationsOfFlow : kMostOperations);
    for (const Step& step : accesses_.steps) {
      depth_ = std::max(depth_, step.loops.size());
    }
  }

  auto run() -> Dependences {
    result_.loops = accesses_.loops;
    for (const auto& [variable, accesses] : accesses_.of) {
      const bool is_written =
          std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) {
            return access.is_write && !accesses_.steps[access.step].loops.empty();
          });
      if (is_written && finds_flow_alone_ && !result_.given_up.empty()) {
        result_.given_up.push_back(kernel_.variables[variable].name);
      } else if (is_written) {
        find(variable, accesses);
      }
    }
    std::stable_sort(result_.found.begin(), result_.found.end(),
                     [](const Dependence& a, const Dependence& b) { return a.loop < b.loop; });
    return std::move(result_);
  }

 private:
  enum class Which : uint8_t { Reads, Writes, CertainWrites, UncertainWrites };

  void find(VariableId variable, const std::vector<Access>& accesses);
  auto read_map(const std::string& text) const -> isl_union_map* {
    return isl_union_map_read_from_str(ctx_.get(), text.c_str());
  }
  [[nodiscard]] auto with_parameters(const std::vector<std::string>& maps) const -> std::string {
    return fmt::format("[{}] -> {{ {} }}", fmt::join(accesses_.parameters, ", "),
                       fmt::join(maps, "; "));
  }
  auto map_of(const std::vector<Access>& accesses, Which which) const -> isl_union_map*;
  auto schedule_of(const std::vector<Access>& accesses) const -> isl_union_map*;
  /// Of what reads, and of what then writes.
  auto instance(size_t step, bool is_write) const -> std::string;
  /// Of a dependence between two statements.
  [[nodiscard]] auto doubt_of(Kind kind, VariableId variable, size_t from, size_t to) const
      -> Doubt;
  auto add(Kind kind, VariableId variable, isl_union_flow* flow) -> bool;
  auto add(Kind kind, VariableId variable, isl_map* map) -> bool;
  auto add_distances(isl_set* apart, const Dependence& dependence) -> bool;

  const kernel::Kernel& kernel_;
  bool finds_flow_alone_;
  Accesses accesses_;
  Owned<isl_ctx> ctx_;
  size_t depth_ = 0;
  Dependences result_;
};

auto Analysis::instance(size_t step, bool is_write) const -> std::string {
  std::vector<std::string> counters;
  for (size_t d = 0; d < accesses_.steps[step].loops.size(); ++d) {
    counters.push_back(fmt::format("c{}", d));
  }
  return fmt::format("{}{}[{}]", is_write ? 'W' : 'R', step, fmt::join(counters, ", "));
}

auto Analysis::map_of(const std::vector<Access>& accesses, Which which) const -> isl_union_map* {
  std::vector<std::string> maps;
  for (const Access& access : accesses) {
    const bool is_one = which == Which::Reads    ? !access.is_write
                        : which == Which::Writes ? access.is_write
                        : which == Which::CertainWrites
                            ? access.is_write && access.doubt == Doubt::None
                            : access.is_write && access.doubt != Doubt::None;
    if (!is_one) {
      continue;
    }
    const std::string& domain = accesses_.steps[access.step].domain;
    const bool has_both = !domain.empty() && !access.condition.empty();
    maps.push_back(fmt::format("{} -> A[{}] : {}{}{}", instance(access.step, access.is_write),
                               access.elements, domain, has_both ? " and " : "", access.condition));
    if (domain.empty() && access.condition.empty()) {
      maps.back() += "true";
    }
  }
  return read_map(with_parameters(maps));
}

/// When each iteration of the statements runs that access a variable: positions and counters in
/// turn.
auto Analysis::schedule_of(const std::vector<Access>& accesses) const -> isl_union_map* {
  std::set<std::string> maps;
  for (const Access& access : accesses) {
    const Step& step = accesses_.steps[access.step];
    std::vector<std::string> time;
    for (size_t d = 0; d < step.positions.size(); ++d) {
      time.push_back(fmt::format("{}", step.positions[d]));
      if (d < step.loops.size()) {
        time.push_back(fmt::format("c{}", d));
      }
    }
    time.resize(2 * depth_ + 1, "0");
    maps.insert(fmt::format("{} -> [{}, {}]", instance(access.step, access.is_write),
                            fmt::join(time, ", "), access.is_write ? 1 : 0));
  }
  return read_map(with_parameters({maps.begin(), maps.end()}));
}

/// A whole number, unless it is so large that types alone limit it. `long`, which isl gives numbers
/// in, has 32 bits in a browser.
auto number_of(isl_val* value) -> std::optional<int64_t> {
  uint64_t magnitude = 0;
  if (isl_val_n_abs_num_chunks(value, sizeof(magnitude)) > 1 ||
      isl_val_get_abs_num_chunks(value, sizeof(magnitude), &magnitude) != isl_stat_ok ||
      magnitude >= uint64_t{1} << 62) {
    return std::nullopt;
  }
  const auto number = static_cast<int64_t>(magnitude);
  return isl_val_is_neg(value) == isl_bool_true ? -number : number;
}

/// The least or the greatest number that a set has along a dimension; nothing without one.
auto bound(isl_set* set, unsigned dimension, bool is_least) -> std::optional<int64_t> {
  isl_local_space* space = isl_local_space_from_space(isl_set_get_space(set));
  const Owned<isl_aff> along(isl_aff_var_on_domain(space, isl_dim_set, dimension));
  const Owned<isl_val> value(is_least ? isl_set_min_val(set, along.get())
                                      : isl_set_max_val(set, along.get()));
  if (value == nullptr || isl_val_is_int(value.get()) != isl_bool_true) {
    return std::nullopt;
  }
  return number_of(value.get());
}

auto step_of(isl_map* map, isl_dim_type type) -> size_t {
  return std::stoul(isl_map_get_tuple_name(map, type) + 1);
}

auto Analysis::doubt_of(Kind kind, VariableId variable, size_t from, size_t to) const -> Doubt {
  Doubt of_from = Doubt::None;
  Doubt of_to = Doubt::None;
  Doubt of_others = Doubt::None;
  for (const Access& access : accesses_.of.at(variable)) {
    if (access.doubt == Doubt::None) {
      continue;
    }
    if (access.step == from && access.is_write == (kind != Kind::Anti)) {
      of_from = access.doubt;
    } else if (access.step == to && access.is_write == (kind != Kind::Flow)) {
      of_to = access.doubt;
    } else if (access.is_write) {
      of_others = Doubt::Overwritten;
    }
  }
  return of_from != Doubt::None ? of_from : of_to != Doubt::None ? of_to : of_others;
}

/// By the loop that has the iterations apart. False if that took too long.
auto Analysis::add(Kind kind, VariableId variable, isl_map* map) -> bool {
  const size_t from = step_of(map, isl_dim_in);
  const size_t to = step_of(map, isl_dim_out);
  const std::vector<size_t>& of_from = accesses_.steps[from].loops;
  const std::vector<size_t>& of_to = accesses_.steps[to].loops;
  const auto n_common = static_cast<unsigned>(
      std::mismatch(of_from.begin(), of_from.end(), of_to.begin(), of_to.end()).first -
      of_from.begin());
  isl_map* common = isl_map_project_out(map, isl_dim_in, n_common,
                                        static_cast<unsigned>(of_from.size()) - n_common);
  common = isl_map_project_out(common, isl_dim_out, n_common,
                               static_cast<unsigned>(of_to.size()) - n_common);
  common = isl_map_reset_tuple_id(isl_map_reset_tuple_id(common, isl_dim_in), isl_dim_out);
  const Owned<isl_set> apart(isl_map_deltas(common));
  Dependence dependence{.kind = kind,
                        .variable = kernel_.variables[variable].name,
                        .from = accesses_.steps[from].place,
                        .to = accesses_.steps[to].place,
                        .doubt = doubt_of(kind, variable, from, to)};
  for (unsigned level = 0; level < n_common; ++level) {
    isl_set* carried = isl_set_copy(apart.get());
    for (unsigned outer = 0; outer < level; ++outer) {
      carried = isl_set_fix_si(carried, isl_dim_set, outer, 0);
    }
    carried = isl_set_lower_bound_si(carried, isl_dim_set, level, 1);
    const Owned<isl_set> by_level(isl_set_coalesce(carried));
    dependence.loop = of_from[level];
    if (by_level == nullptr || !add_distances(by_level.get(), dependence)) {
      return false;
    }
  }
  return true;
}

/// One for each convex part of the distances.
auto Analysis::add_distances(isl_set* apart, const Dependence& dependence) -> bool {
  struct Each {
    std::vector<Dependence>* found;
    const Dependence* dependence;
  } each{&result_.found, &dependence};
  const auto visit = [](isl_basic_set* part, void* user) {
    const Each& of = *static_cast<const Each*>(user);
    const Owned<isl_set> set(isl_set_from_basic_set(part));
    const isl_bool is_empty = isl_set_is_empty(set.get());
    if (is_empty != isl_bool_false) {
      return is_empty == isl_bool_true ? isl_stat_ok : isl_stat_error;
    }
    Dependence one = *of.dependence;
    const auto n = static_cast<unsigned>(isl_set_dim(set.get(), isl_dim_set));
    for (unsigned d = 0; d < n; ++d) {
      one.distances.push_back({bound(set.get(), d, true), bound(set.get(), d, false)});
    }
    if (std::find(of.found->begin(), of.found->end(), one) == of.found->end()) {
      of.found->push_back(std::move(one));
    }
    return isl_stat_ok;
  };
  return isl_set_foreach_basic_set(apart, visit, &each) == isl_stat_ok;
}

/// Takes the flow.
auto Analysis::add(Kind kind, VariableId variable, isl_union_flow* flow) -> bool {
  const Owned<isl_union_flow> owned(flow);
  const Owned<isl_union_map> all(flow == nullptr ? nullptr
                                                 : isl_union_flow_get_may_dependence(owned.get()));
  if (all == nullptr) {
    return false;
  }
  struct Each {
    Analysis* analysis;
    Kind kind;
    VariableId variable;
  } each{this, kind, variable};
  const auto visit = [](isl_map* map, void* user) {
    const Each& of = *static_cast<const Each*>(user);
    return of.analysis->add(of.kind, of.variable, map) ? isl_stat_ok : isl_stat_error;
  };
  return isl_union_map_foreach_map(all.get(), visit, &each) == isl_stat_ok;
}

void Analysis::find(VariableId variable, const std::vector<Access>& accesses) {
  if (!finds_flow_alone_) {
    isl_ctx_reset_operations(ctx_.get());
  }
  isl_ctx_reset_error(ctx_.get());
  const size_t n_before = result_.found.size();
  enum class Certain : uint8_t { Sources, Kills };
  const auto flow_to = [&](Which sink, Certain certain, Which may) {
    isl_union_access_info* info = isl_union_access_info_from_sink(map_of(accesses, sink));
    isl_union_map* writes = map_of(accesses, Which::CertainWrites);
    info = certain == Certain::Sources ? isl_union_access_info_set_must_source(info, writes)
                                       : isl_union_access_info_set_kill(info, writes);
    info = isl_union_access_info_set_may_source(info, map_of(accesses, may));
    info = isl_union_access_info_set_schedule_map(info, schedule_of(accesses));
    return isl_union_access_info_compute_flow(info);
  };
  const bool is_done =
      add(Kind::Flow, variable, flow_to(Which::Reads, Certain::Sources, Which::UncertainWrites)) &&
      (finds_flow_alone_ ||
       (add(Kind::Anti, variable, flow_to(Which::Writes, Certain::Kills, Which::Reads)) &&
        add(Kind::Output, variable,
            flow_to(Which::Writes, Certain::Sources, Which::UncertainWrites))));
  if (!is_done) {
    result_.found.resize(n_before);
    result_.given_up.push_back(kernel_.variables[variable].name);
  }
}

}  // namespace

auto find_loops(const kernel::Kernel& kernel) -> std::vector<Loop> {
  return find_accesses(kernel).loops;
}

auto find_dependences(const kernel::Kernel& kernel) -> Dependences {
  return Analysis(kernel, false).run();
}

auto find_flow_dependences(const kernel::Kernel& kernel) -> Dependences {
  return Analysis(kernel, true).run();
}

auto doubt_text(Doubt doubt) -> std::string_view {
  switch (doubt) {
    case Doubt::None:
      break;
    case Doubt::Index:
      return "an index is not affine";
    case Doubt::SecretIndex:
      return "an index is secret";
    case Doubt::Branch:
      return "a branch decides";
    case Doubt::Iterations:
      return "the number of iterations is unknown";
    case Doubt::Overwritten:
      return "the value may be overwritten before";
  }
  return {};
}

auto distance_text(const std::vector<Distance>& distances) -> std::string {
  std::vector<std::string> parts;
  for (const auto& [low, high] : distances) {
    if (low && high) {
      parts.push_back(*low == *high ? fmt::format("{}", *low) : fmt::format("{}..{}", *low, *high));
    } else {
      parts.push_back(low ? fmt::format("{}..", *low) : high ? fmt::format("..{}", *high) : "*");
    }
  }
  return fmt::format("({})", fmt::join(parts, ", "));
}

}  // namespace tacet::dependences
