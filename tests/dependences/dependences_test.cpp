// Dependences of random loop nests: all that a run of the loops shows, and no others.

#include "compiler/device/dependences/dependences.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "tests/harness/rounds.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::dependences {
namespace {

using Point = std::vector<int64_t>;

/// offset + the sum of factor · counter.
struct Index {
  int64_t offset = 0;
  std::array<int64_t, 3> factors{};

  [[nodiscard]] auto at(const Point& counters) const -> int64_t {
    int64_t value = offset;
    for (size_t d = 0; d < counters.size(); ++d) {
      value += factors[d] * counters[d];
    }
    return value;
  }
  [[nodiscard]] auto text() const -> std::string {
    std::string text = fmt::format("{}", offset);
    for (size_t d = 0; d < factors.size(); ++d) {
      if (factors[d] != 0) {
        text +=
            fmt::format(" {} {} * {}", factors[d] < 0 ? '-' : '+', std::abs(factors[d]), "ijk"[d]);
      }
    }
    return text;
  }
};

struct Element {
  std::string array;
  std::vector<Index> indices;

  [[nodiscard]] auto at(const Point& counters) const -> Point {
    Point place;
    for (const Index& index : indices) {
      place.push_back(index.at(counters));
    }
    return place;
  }
  [[nodiscard]] auto text() const -> std::string {
    std::string text = array;
    for (const Index& index : indices) {
      text += fmt::format("[{}]", index.text());
    }
    return text;
  }
};

struct Statement {
  size_t line = 0;
  size_t depth = 0;  ///< in how many of the loops
  Element written;
  std::vector<Element> read;
};

/// Statements in one nest of loops; those of an outer loop come before the inner one.
struct Nest {
  std::vector<std::pair<Index, Index>> bounds;
  std::vector<Statement> statements;
  std::string text;
};

class NestWriter {
 public:
  explicit NestWriter(uint64_t seed) : random_(seed) {}

  auto nest() -> Nest {
    const size_t depth = 1 + below(3);
    for (size_t d = 0; d < depth; ++d) {
      Index lower{.offset = static_cast<int64_t>(below(3))};
      Index upper{.offset = lower.offset + 1 + static_cast<int64_t>(below(5))};
      if (d > 0 && below(3) == 0) {
        lower = {.offset = static_cast<int64_t>(below(2))};
        lower.factors[d - 1] = 1;
        upper.offset = 6;
      }
      nest_.bounds.emplace_back(lower, upper);
    }
    line("#version 0.1.0");
    line("fn(cpu) f(u: [i64; 40, 40], v: [i64; 40]) -> i64 {");
    line("    var a = u;");
    line("    var b = v;");
    line("    var s = 0;");
    for (size_t d = 0; d < depth; ++d) {
      line(fmt::format("    for {} in {}..{} {{", "ijk"[d], nest_.bounds[d].first.text(),
                       nest_.bounds[d].second.text()));
      const bool is_innermost = d + 1 == depth;
      for (uint64_t n = is_innermost ? 1 + below(3) : below(2); n > 0; --n) {
        statement(d + 1);
      }
    }
    for (size_t d = 0; d < depth; ++d) {
      line("    }");
    }
    line("    return a[0][0] + b[0] + s;");
    line("}");
    return std::move(nest_);
  }

 private:
  auto below(uint64_t n) -> uint64_t { return random_() % n; }
  void line(const std::string& text) {
    nest_.text += text + "\n";
    ++n_lines_;
  }
  auto index(size_t depth) -> Index {
    Index index{.offset = 14 + static_cast<int64_t>(below(5))};
    for (size_t d = 0; d < depth; ++d) {
      static constexpr int64_t kFactors[] = {0, 1, 1, -1, 2};
      index.factors[d] = below(2) == 0 ? kFactors[below(5)] : 0;
    }
    return index;
  }
  auto element(size_t depth) -> Element {
    switch (below(4)) {
      case 0:
        return {"s", {}};
      case 1:
        return {"b", {index(depth)}};
      default:
        return {"a", {index(depth), index(depth)}};
    }
  }
  void statement(size_t depth) {
    Statement statement{.line = n_lines_, .depth = depth, .written = element(depth), .read = {}};
    std::string value = "1";
    for (uint64_t n = 1 + below(2); n > 0; --n) {
      statement.read.push_back(element(depth));
      value += " + " + statement.read.back().text();
    }
    line(fmt::format("    {} = {};", statement.written.text(), value));
    nest_.statements.push_back(std::move(statement));
  }

  std::mt19937_64 random_;
  Nest nest_;
  size_t n_lines_ = 0;
};

/// Kind, variable, the loop by its depth, and the lines of both statements.
using Key = std::tuple<Kind, std::string, size_t, size_t, size_t>;
using Found = std::map<Key, std::set<Point>>;

/// Runs the loops, and notes what depends on what.
class NestRun {
 public:
  explicit NestRun(const Nest& nest) : nest_(nest) { loop(0); }
  [[nodiscard]] auto found() const -> const Found& { return found_; }

 private:
  using Instance = std::pair<const Statement*, Point>;
  struct State {
    std::optional<Instance> written;
    std::vector<Instance> read;  ///< since then
  };

  void loop(size_t depth) {
    if (depth == nest_.bounds.size()) {
      return;
    }
    const auto& [lower, upper] = nest_.bounds[depth];
    const int64_t end = upper.at(counters_);
    for (int64_t i = lower.at(counters_); i < end; ++i) {
      counters_.push_back(i);
      for (const Statement& statement : nest_.statements) {
        if (statement.depth == depth + 1) {
          run(statement);
        }
      }
      loop(depth + 1);
      counters_.pop_back();
    }
  }

  void run(const Statement& statement) {
    const Instance now{&statement, counters_};
    for (const Element& element : statement.read) {
      State& state = states_[{element.array, element.at(counters_)}];
      if (state.written) {
        add(Kind::Flow, element.array, *state.written, now);
      }
      state.read.push_back(now);
    }
    const Element& to = statement.written;
    State& state = states_[{to.array, to.at(counters_)}];
    for (const Instance& reader : state.read) {
      add(Kind::Anti, to.array, reader, now);
    }
    if (state.written) {
      add(Kind::Output, to.array, *state.written, now);
    }
    state = {now, {}};
  }

  void add(Kind kind, const std::string& variable, const Instance& from, const Instance& to) {
    Point distance;
    for (size_t d = 0; d < std::min(from.second.size(), to.second.size()); ++d) {
      distance.push_back(to.second[d] - from.second[d]);
    }
    const auto apart =
        std::find_if(distance.begin(), distance.end(), [](int64_t each) { return each != 0; });
    if (apart != distance.end()) {
      const auto loop = static_cast<size_t>(apart - distance.begin());
      found_[{kind, variable, loop, from.first->line, to.first->line}].insert(distance);
    }
  }

  const Nest& nest_;
  Point counters_;
  std::map<std::pair<std::string, Point>, State> states_;
  Found found_;
};

auto line_of(const std::string& text, FileRange place) -> size_t {
  return static_cast<size_t>(std::count(text.begin(), text.begin() + place.range.begin, '\n'));
}

auto is_in(const Point& distance, const std::vector<Distance>& box) -> bool {
  for (size_t d = 0; d < box.size(); ++d) {
    if (!box[d].low || !box[d].high || distance[d] < *box[d].low || distance[d] > *box[d].high) {
      return false;
    }
  }
  return distance.size() == box.size();
}

TEST(Dependences, AreThoseThatARunShows) {
  uint64_t n_found = 0;
  for (uint64_t seed = 1; seed <= harness::rounds(200); ++seed) {
    const Nest nest = NestWriter(seed).nest();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, nest.text));
    const kernel::Kernel kernel = oblivious::kernel_of(nest.text);
    ASSERT_FALSE(HasFailure());
    const Dependences all = find_dependences(kernel);
    ASSERT_TRUE(all.given_up.empty());
    const NestRun run(nest);
    std::map<Key, std::vector<std::vector<Distance>>> said;
    for (const Dependence& each : all.found) {
      said[{each.kind, each.variable.substr(0, 1), all.loops[each.loop].depth,
            line_of(nest.text, each.from), line_of(nest.text, each.to)}]
          .push_back(each.distances);
    }
    for (const auto& [key, distances] : run.found()) {
      for (const Point& distance : distances) {
        ++n_found;
        ASSERT_TRUE(std::any_of(said[key].begin(), said[key].end(),
                                [&](const auto& box) { return is_in(distance, box); }))
            << std::get<1>(key) << " of line " << std::get<3>(key) << " at line "
            << std::get<4>(key);
      }
    }
    for (const auto& [key, boxes] : said) {
      const auto found = run.found().find(key);
      ASSERT_TRUE(boxes.empty() || found != run.found().end())
          << std::get<1>(key) << " of line " << std::get<3>(key) << " at line " << std::get<4>(key);
      for (const auto& box : boxes) {
        // The ends of each box are there.
        for (size_t d = 0; d < box.size(); ++d) {
          const auto has = [&](std::optional<int64_t> end) {
            return std::any_of(found->second.begin(), found->second.end(),
                               [&](const Point& point) { return point[d] == end; });
          };
          ASSERT_TRUE(has(box[d].low) && has(box[d].high)) << distance_text(box);
        }
      }
    }
  }
  EXPECT_GT(n_found, 1000U);
}

}  // namespace
}  // namespace tacet::dependences
