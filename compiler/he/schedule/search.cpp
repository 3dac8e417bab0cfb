#include "compiler/he/schedule/search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/lower_bound.h"
#include "compiler/he/schedule/transform.h"
#include "compiler/he/schedule/write_program.h"

namespace tacet::schedule {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kMostPareto = 256;
constexpr double kMostDetour = 4;  ///< times the least, of what statements before the last may take

/// The first statements laid out, and what they cost.
struct Prefix {
  std::vector<StatementSchedule> statements;
  Counts counts;
  double time = 0;
  uint64_t left = 0;                ///< where the last one's result is left, as a hash
  std::array<uint64_t, 3> width{};  ///< of that
  uint32_t ring = 0;
  uint32_t n_columns = 0;  ///< of the smallest that is large enough
};

auto compare(const std::vector<StatementSchedule>& a, const std::vector<StatementSchedule>& b)
    -> int {
  for (size_t i = 0; i < a.size(); ++i) {
    if (int order = compare(a[i], b[i]); order != 0) {
      return order;
    }
  }
  return 0;
}

/// By all counts, so that what is at most another in each of them comes first.
auto order_of(const Counts& c) -> std::array<int64_t, 12> {
  return {c.input_ciphers,  c.products, c.rotations,   c.rotations - c.hoisted_rotations,
          c.plain_products, c.plains,   c.additions,   c.plain_additions,
          c.output_ciphers, c.depth,    c.plain_depth, c.row_swaps};
}

/// Schedules that split less are easier to read.
auto n_tiles(const Prefix& prefix) -> size_t {
  size_t count = 0;
  for (const StatementSchedule& schedule : prefix.statements) {
    count += schedule.exploded.size();
    for (const Axis& axis : schedule.axes) {
      count += axis.tiles.size();
    }
  }
  return count;
}

auto is_better(const Prefix& a, const Prefix& b) -> bool {
  if (a.time != b.time) {
    return a.time < b.time;
  }
  if (order_of(a.counts) != order_of(b.counts)) {
    return order_of(a.counts) < order_of(b.counts);
  }
  if (n_tiles(a) != n_tiles(b)) {
    return n_tiles(a) < n_tiles(b);
  }
  return compare(a.statements, b.statements) < 0;
}

auto hash_of(const Left& left) -> uint64_t {
  uint64_t hash = 0;
  auto add = [&](int64_t number) { hash = hash_combine(hash, static_cast<uint64_t>(number)); };
  for (size_t axis = 0; axis < left.axes.size(); ++axis) {
    if (left.along[axis] == Along::First && left.axes[axis].extent > 1) {
      add(left.axes[axis].extent);
      add(left.axes[axis].block);
    }
  }
  for (const std::vector<Part>& parts : left.parts) {
    add(-1);
    for (const Part& part : parts) {
      add(part.is_loop ? -1 : left.axes[part.index].block);
      add(part.extent);
      add(part.stride);
    }
  }
  return hash;
}

/// How plainly elements are left: in how many tiles, vectors, and columns of these.
auto width_of(const Left& left) -> std::array<uint64_t, 3> {
  uint64_t n_tiles = 0;
  uint64_t n_vectors = 1;
  int64_t columns = 1;
  for (const std::vector<Part>& parts : left.parts) {
    for (const Part& part : parts) {
      ++n_tiles;
      if (part.is_loop) {
        n_vectors = std::min<uint64_t>(n_vectors * static_cast<uint64_t>(part.extent), 1U << 31);
      } else {
        columns = std::max(columns, left.axes[part.index].block * left.axes[part.index].extent);
      }
    }
  }
  return {n_tiles, n_vectors, static_cast<uint64_t>(columns)};
}

/// Schedules that were met, to meet them once.
class Visited {
 public:
  auto insert(const StatementSchedule& schedule) -> bool {
    uint64_t hash = schedule::hash_of(schedule);
    auto [begin, end] = places_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (schedules_[it->second] == schedule) {
        return false;
      }
    }
    places_.emplace(hash, schedules_.size());
    schedules_.push_back(schedule);
    return true;
  }

 private:
  std::unordered_multimap<uint64_t, size_t> places_;
  std::vector<StatementSchedule> schedules_;
};

/// The cheapest, and as many of those with the fewest tiles that leave elements close together:
/// what is plain can be read by more. The cheapest come first.
auto kept(std::vector<Prefix> found, size_t n_kept) -> std::vector<Prefix> {
  std::sort(found.begin(), found.end(), is_better);
  std::vector<size_t> order(found.size());
  std::vector<bool> is_kept(found.size(), false);
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    is_kept[i] = i < n_kept;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return found[a].width < found[b].width; });
  for (size_t i = 0; i < std::min(n_kept, order.size()); ++i) {
    is_kept[order[i]] = true;
  }
  std::vector<Prefix> result;
  for (size_t i = 0; i < found.size(); ++i) {
    if (is_kept[i]) {
      result.push_back(std::move(found[i]));
    }
  }
  return result;
}

class Search {
 public:
  Search(const array::Program& program, const SearchOptions& options)
      : program_(program),
        numbers_(numbers_of(program)),
        options_(options),
        ciphers_(cipher_arrays(program)),
        depths_behind_(depths_to_output(program, ciphers_)) {
    std::sort(options_.rings.begin(), options_.rings.end(),
              [](const RingCost& a, const RingCost& b) { return a.n_columns < b.n_columns; });
    best_time_ = options.most_time;
  }

  auto run() -> Result<SearchResult> {
    if (options_.rings.empty() || program_.statements.empty()) {
      return Error{"nothing to search: no rings, or no statements"};
    }
    for (const array::Statement& statement : program_.statements) {
      if (statement.dims.size() > kMostDims) {
        return Error{"a statement has too many dimensions"};
      }
    }
    std::vector<Prefix> prefixes = lay_out_all();
    if (prefixes.empty() && program_.statements.size() > 1 && !is_exhausted()) {
      // No layout that was kept can be read by those that follow: more of them, at any cost.
      options_.n_kept *= 16;
      most_detour_ = kInfinity;
      prefixes = lay_out_all();
    }
    if (options_.cancellation.is_cancelled()) {
      stop_if_cancelled();  // nothing else is tried instead
      return Error{"the search for a schedule was cancelled"};
    }
    if (prefixes.empty()) {
      return Error{"no schedule was found: no ring has both enough slots and enough depth"};
    }
    return finish(prefixes.front());
  }

 private:
  [[nodiscard]] auto is_last(size_t statement) const -> bool {
    return statement + 1 == program_.statements.size();
  }

  [[nodiscard]] auto is_exhausted() const -> bool {
    return options_.cancellation.is_cancelled() || result_.n_evaluated >= most_evaluations_;
  }

  /// Layouts of all statements, the cheapest first.
  auto lay_out_all() -> std::vector<Prefix> {
    std::vector<Prefix> prefixes{Prefix{}};
    for (size_t statement = 0; statement < program_.statements.size(); ++statement) {
      prefixes = lay_out(statement, prefixes);
    }
    return prefixes;
  }

  /// Lays out a statement for each layout of those before it.
  auto lay_out(size_t statement, const std::vector<Prefix>& prefixes) -> std::vector<Prefix> {
    found_.clear();
    place_of_.clear();
    best_prefix_time_ = kInfinity;
    // Each of those that are left gets as many as the others: a layout of some is none.
    const size_t n_left = program_.statements.size() - statement;
    const size_t rest = options_.most_evaluations - result_.n_evaluated;
    const size_t most = result_.n_evaluated + (rest + n_left - 1) / n_left;
    const array::Statement& laid_out = program_.statements[statement];
    Subject subject{program_,
                    statement,
                    dims_together(laid_out),
                    int64_t{options_.rings.back().n_columns},
                    program_.statements.size() > 1 ? AxisOrder::Matters : AxisOrder::OnlyOutermost,
                    clear_dims(laid_out, ciphers_)};
    subject.alike = dims_alike(laid_out, subject.together, subject.fixed);
    LowerBound bound(program_, statement, ciphers_);
    for (uint32_t epoch = 1; epoch <= options_.n_epochs; ++epoch) {
      const std::vector<StatementSchedule> starts = start_schedules(subject, epoch - 1);
      for (size_t i = 0; i < prefixes.size(); ++i) {
        // So do the layouts of what is before it, as the cheapest need not be the best to read.
        const size_t n_walks = (options_.n_epochs - epoch + 1) * prefixes.size() - i;
        most_evaluations_ =
            result_.n_evaluated + (most - result_.n_evaluated + n_walks - 1) / n_walks;
        std::vector<StatementSchedule> level = epoch == 1 ? repeated(prefixes[i]) : starts;
        if (epoch == 1) {
          level.insert(level.end(), starts.begin(), starts.end());
        }
        walk(subject, bound, prefixes[i], std::move(level));
      }
    }
    return kept(std::move(found_), options_.n_kept);
  }

  /// The schedules of earlier statements with the same dimensions, if they are valid for the one
  /// that follows: what is repeated is laid out likewise.
  [[nodiscard]] auto repeated(const Prefix& prefix) const -> std::vector<StatementSchedule> {
    std::vector<StatementSchedule> result;
    const size_t index = prefix.statements.size();
    const array::Statement& statement = program_.statements[index];
    const auto has_same_dims = [&](const array::Statement& other) {
      return std::equal(
          statement.dims.values().begin(), statement.dims.values().end(),
          other.dims.values().begin(), other.dims.values().end(),
          [](const array::Dim& a, const array::Dim& b) { return a.extent == b.extent; });
    };
    for (size_t i = index; i-- > 0;) {
      const StatementSchedule& schedule = prefix.statements[i];
      if (has_same_dims(program_.statements[i]) &&
          std::find(result.begin(), result.end(), schedule) == result.end() &&
          check_statement(program_, index, schedule, options_.rings.back().n_columns)) {
        result.push_back(schedule);
      }
    }
    return result;
  }

  /// Breadth first from the given schedules of one statement.
  void walk(const Subject& subject, const LowerBound& bound, const Prefix& prefix,
            std::vector<StatementSchedule> level) {
    Visited visited;
    while (!level.empty() && !is_exhausted()) {
      double most = is_last(subject.index) ? best_time_
                                           : std::min(best_time_, most_detour_ * best_prefix_time_);
      most -= prefix.time;
      std::erase_if(level, [&](const StatementSchedule& schedule) {
        return bound.of(schedule, options_.rings) > most;
      });
      level.resize(std::min(level.size(), most_evaluations_ - result_.n_evaluated));
      std::vector<std::optional<Prefix>> made(level.size());
      std::vector<std::vector<StatementSchedule>> next(level.size());
      executor().for_each(level.size(), [&](size_t i) {
        if (!options_.cancellation.is_cancelled()) {
          made[i] = evaluate(prefix, level[i]);
          next[i] = neighbours(subject, level[i]);
        }
      });
      result_.n_evaluated += level.size();
      for (std::optional<Prefix>& candidate : made) {
        if (candidate) {
          keep(std::move(*candidate), is_last(subject.index));
        }
      }
      std::vector<StatementSchedule> following;
      for (std::vector<StatementSchedule>& schedules : next) {
        for (StatementSchedule& schedule : schedules) {
          if (visited.insert(schedule)) {
            following.push_back(std::move(schedule));
          }
        }
      }
      result_.n_visited += following.size();
      level = std::move(following);
      if (options_.progress) {
        options_.progress(result_.n_evaluated, best_time_);
      }
    }
  }

  auto executor() -> Executor& {
    return options_.executor != nullptr ? *options_.executor : sequential_;
  }

  [[nodiscard]] auto columns_for(const Schedule& schedule) const -> uint32_t {
    const int64_t most = n_columns_of(schedule);
    for (const RingCost& ring : options_.rings) {
      if (ring.n_columns >= most) {
        return ring.n_columns;
      }
    }
    return 0;
  }

  [[nodiscard]] auto evaluate(const Prefix& prefix, const StatementSchedule& last) const
      -> std::optional<Prefix> {
    Schedule schedule{0, prefix.statements};
    schedule.statements.push_back(last);
    schedule.n_columns = columns_for(schedule);
    if (schedule.n_columns == 0) {
      return {};
    }
    Result<WrittenProgram> written = write_program(program_, numbers_, schedule);
    if (!written) {
      return {};
    }
    Prefix result{std::move(schedule.statements),
                  count(written->circuit),
                  kInfinity,
                  hash_of(written->left.back()),
                  width_of(written->left.back()),
                  0,
                  schedule.n_columns};
    if (result.statements.size() < program_.statements.size()) {
      result.counts.output_ciphers = 0;
    }
    // In a ring that has the depth for what follows, if there is one.
    Counts whole = result.counts;
    whole.depth += depths_behind_[result.statements.size() - 1];
    for (const Counts& counts : {whole, result.counts}) {
      for (const RingCost& ring : options_.rings) {
        double time = ring.n_columns < schedule.n_columns ? kInfinity : time_of(counts, ring);
        if (time < result.time) {
          result.time = time;
          result.ring = ring.n_columns;
        }
      }
      if (result.time < kInfinity) {
        break;
      }
    }
    return result.time == kInfinity || result.time > options_.most_time
               ? std::nullopt
               : std::optional(std::move(result));
  }

  void keep(Prefix candidate, bool is_complete) {
    if (is_complete) {
      best_time_ = std::min(best_time_, candidate.time);
      keep_pareto(candidate);
    }
    best_prefix_time_ = std::min(best_prefix_time_, candidate.time);
    auto [same, is_new] = place_of_.try_emplace(is_complete ? 0 : candidate.left, found_.size());
    if (is_new) {
      found_.push_back(std::move(candidate));
    } else if (is_better(candidate, found_[same->second])) {
      found_[same->second] = std::move(candidate);
    }
  }

  void keep_pareto(const Prefix& candidate) {
    for (const Prefix& other : pareto_) {
      if (beats(other, candidate) && (!beats(candidate, other) || is_better(other, candidate))) {
        return;
      }
    }
    std::erase_if(pareto_, [&](const Prefix& other) { return beats(candidate, other); });
    pareto_.push_back(candidate);
    if (pareto_.size() > 2 * kMostPareto) {
      trim_pareto();
    }
  }

  /// In every ring, or as good.
  static auto beats(const Prefix& a, const Prefix& b) -> bool {
    return a.n_columns <= b.n_columns && dominates(a.counts, b.counts);
  }

  void trim_pareto() {
    std::sort(pareto_.begin(), pareto_.end(), is_better);
    pareto_.resize(std::min(pareto_.size(), kMostPareto));
  }

  [[nodiscard]] static auto candidate_of(const Prefix& prefix) -> Candidate {
    return {{prefix.ring, prefix.statements}, prefix.counts, prefix.time};
  }

  auto finish(const Prefix& best) -> SearchResult {
    result_.best = candidate_of(best);
    trim_pareto();
    for (const Prefix& prefix : pareto_) {
      result_.pareto.push_back(candidate_of(prefix));
    }
    return std::move(result_);
  }

  const array::Program& program_;
  Numbers numbers_;
  SearchOptions options_;
  std::vector<bool> ciphers_;
  std::vector<int64_t> depths_behind_;  ///< by statement, of those that follow
  SequentialExecutor sequential_;
  SearchResult result_;
  double best_time_ = kInfinity;
  double best_prefix_time_ = kInfinity;
  double most_detour_ = kMostDetour;
  size_t most_evaluations_ = 0;                    ///< when the statement is laid out
  std::vector<Prefix> found_;                      ///< one for each layout of the result
  std::unordered_map<uint64_t, size_t> place_of_;  ///< in it, by `Prefix::left`
  std::vector<Prefix> pareto_;                     ///< complete
};

}  // namespace

auto search(const array::Program& program, const SearchOptions& options) -> Result<SearchResult> {
  return Search(program, options).run();
}

}  // namespace tacet::schedule
