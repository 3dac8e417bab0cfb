// Random specifications with functions that implement them, in many styles: the functions are
// accepted, and a function with one thing changed is rejected where it was changed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "compiler/spec/program/frontend.h"

namespace tacet::program {
namespace {

/// A node of a random specification.
struct Node {
  enum class Kind : uint8_t { Parameter, Literal, Sum, Compare, Choice, Call };
  Kind kind = Kind::Parameter;
  std::string op = {};                ///< of `Sum` and `Compare`
  int literal = 0;                    ///< of `Literal`
  std::vector<size_t> children = {};  ///< earlier nodes
  bool is_condition = false;
};

/// A value specification, its nodes in order; the last one is the result. Literals are children of
/// one node each, everything else has a name.
class RandomCase {
 public:
  explicit RandomCase(uint32_t seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) {
      nodes_.push_back({});
    }
    const size_t n = 4 + pick(12);
    while (nodes_.size() < n + 3) {
      add_node();
    }
    nodes_.push_back({.kind = Node::Kind::Sum, .op = "+", .children = {number(), last_number()}});
    find_needed();
  }

  auto specification() const -> std::string {
    std::string text = "val f(p0: i64, p1: i64, p2: i64) -> i64 {\n";
    for (size_t i = 3; i < nodes_.size(); ++i) {
      if (nodes_[i].kind != Node::Kind::Literal) {
        text += fmt::format("    n{} :- {}\n", i, in_specification(i));
      }
    }
    return text + fmt::format("    returns n{}\n}}\n", nodes_.size() - 1);
  }

  /// The lines of a function that implements it.
  auto function() -> std::vector<std::string> {
    std::vector<std::string> lines;
    for (size_t i = 3; i < nodes_.size(); ++i) {
      if (!is_needed_[i] || nodes_[i].kind == Node::Kind::Literal) {
        continue;
      }
      statement(i, lines);
    }
    lines.push_back(fmt::format("    x{}", nodes_.size() - 1));
    return lines;
  }

  /// Changes one thing in one of `lines`; gives its index, or -1 if there is nothing to change.
  auto change(std::vector<std::string>& lines) -> int {
    std::vector<size_t> order(lines.size());
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::shuffle(order.begin(), order.end(), random_);
    for (size_t line : order) {
      std::string changed = lines[line];
      const size_t plus = changed.find(" + ");
      const size_t times = changed.find(" * ");
      const size_t less = changed.find(" < ");
      const size_t literal = changed.find_first_of("123456789", changed.find(" = "));
      const bool has_literal = literal != std::string::npos && changed[literal - 1] == ' ' &&
                               changed.find(" = ") != std::string::npos;
      const size_t choice = pick(4);
      if (choice == 0 && plus != std::string::npos) {
        changed.replace(plus, 3, " - ");
      } else if (choice == 1 && times != std::string::npos) {
        changed.replace(times, 3, " + ");
      } else if (choice == 2 && less != std::string::npos) {
        changed.replace(less, 3, " > ");
      } else if (choice == 3 && has_literal) {
        changed.insert(literal, "1");
      } else {
        continue;
      }
      lines[line] = changed;
      return static_cast<int>(line);
    }
    return -1;
  }

 private:
  auto pick(size_t n) -> size_t { return random_() % n; }

  auto number() -> size_t {
    size_t node = pick(nodes_.size());
    while (nodes_[node].is_condition || nodes_[node].kind == Node::Kind::Literal) {
      node = pick(nodes_.size());
    }
    return node;
  }
  auto last_number() const -> size_t {
    size_t node = nodes_.size() - 1;
    while (nodes_[node].is_condition || nodes_[node].kind == Node::Kind::Literal) {
      --node;
    }
    return node;
  }
  auto operand() -> size_t {
    if (pick(4) != 0) {
      return number();
    }
    nodes_.push_back({.kind = Node::Kind::Literal, .literal = 1 + static_cast<int>(pick(9))});
    return nodes_.size() - 1;
  }

  void add_node() {
    const size_t choice = pick(8);
    Node node;
    if (choice < 4) {
      node.kind = Node::Kind::Sum;
      node.op = choice < 2 ? "+" : "*";
      node.children = {number(), operand()};
    } else if (choice == 4) {
      node.kind = Node::Kind::Compare;
      node.op = "<";
      node.is_condition = true;
      node.children = {number(), operand()};
    } else if (choice == 5) {
      node.kind = Node::Kind::Call;
      node.children = {operand()};
    } else {
      std::vector<size_t> conditions;
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].is_condition) {
          conditions.push_back(i);
        }
      }
      if (conditions.empty()) {
        return;
      }
      node.kind = Node::Kind::Choice;
      node.children = {conditions[pick(conditions.size())], number(), operand()};
    }
    nodes_.push_back(std::move(node));
  }

  void find_needed() {
    is_needed_.assign(nodes_.size(), false);
    is_needed_.back() = true;
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (is_needed_[i]) {
        for (size_t child : nodes_[i].children) {
          is_needed_[child] = true;
        }
      }
    }
  }

  auto name_in_specification(size_t i) const -> std::string {
    return i < 3                                   ? fmt::format("p{}", i)
           : nodes_[i].kind == Node::Kind::Literal ? fmt::format("{}", nodes_[i].literal)
                                                   : fmt::format("n{}", i);
  }
  auto in_specification(size_t i) const -> std::string {
    const Node& node = nodes_[i];
    auto name = [&](size_t child) { return name_in_specification(node.children[child]); };
    switch (node.kind) {
      case Node::Kind::Sum:
      case Node::Kind::Compare:
        return fmt::format("{} {} {}", name(0), node.op, name(1));
      case Node::Kind::Call:
        return fmt::format("g({})", name(0));
      case Node::Kind::Choice:
        return fmt::format("{} if {} else {}", name(1), name(0), name(2));
      case Node::Kind::Parameter:
      case Node::Kind::Literal:
        break;
    }
    return "";
  }

  auto name_in_function(size_t i) const -> std::string {
    return i < 3                                   ? fmt::format("q{}", i)
           : nodes_[i].kind == Node::Kind::Literal ? fmt::format("{}", nodes_[i].literal)
                                                   : fmt::format("x{}", i);
  }
  void statement(size_t i, std::vector<std::string>& lines) {
    const Node& node = nodes_[i];
    auto name = [&](size_t child) { return name_in_function(node.children[child]); };
    if (node.kind == Node::Kind::Choice) {
      switch (pick(3)) {
        case 0:
          lines.push_back(fmt::format("    let x{} = if {} {{ {} }} else {{ {} }};", i, name(0),
                                      name(1), name(2)));
          return;
        case 1:
          lines.push_back(
              fmt::format("    let x{} = {} if {} else {};", i, name(1), name(0), name(2)));
          return;
        default:
          lines.push_back(fmt::format("    var x{} = {};", i, name(2)));
          lines.push_back(fmt::format("    if {} {{ x{} = {}; }}", name(0), i, name(1)));
          return;
      }
    }
    const std::string value = node.kind == Node::Kind::Call
                                  ? fmt::format("g_impl({})", name(0))
                                  : fmt::format("{} {} {}", name(0), node.op, name(1));
    switch (pick(4)) {
      case 0:
        lines.push_back(fmt::format("    var x{} = {};", i, value));
        return;
      case 1:
        lines.push_back(fmt::format("    var x{};", i));
        lines.push_back(fmt::format("    x{} = {};", i, value));
        return;
      case 2:
        lines.push_back(fmt::format("    let x{} = {{ let y = {}; y }};", i, value));
        return;
      default:
        lines.push_back(fmt::format("    let x{} = {};", i, value));
        return;
    }
  }

  std::mt19937 random_;
  std::vector<Node> nodes_;
  std::vector<bool> is_needed_;
};

struct Found {
  std::vector<int> lines = {};  ///< of the function's body, from 0
  std::string messages = {};
};

auto check_function(const std::string& specification, const std::vector<std::string>& lines)
    -> Found {
  std::string text =
      "#version 0.1.0\n"
      "tmln time(e: Event) -> Event { returns e }\n"
      "sptl space(s: BufferSpace) -> BufferSpace { returns s }\n"
      "val g(x: i64) -> i64 { returns x * x }\n"
      "fn g_impl(x: i64) -> i64 impls g, time, space { x * x }\n" +
      specification + "fn f_impl(q0: i64, q1: i64, q2: i64) -> i64 impls f, time, space {\n";
  const auto first = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  text += "}\n";
  Frontend frontend;
  const FileId file = frontend.set_file("a.tacet", text);
  Found found;
  for (const Diagnostic& diagnostic : frontend.snapshot().diagnostics(file)) {
    const auto end = text.begin() + diagnostic.place.range.begin;
    found.lines.push_back(static_cast<int>(std::count(text.begin(), end, '\n')) - first);
    found.messages += fmt::format("{} {}\n", found.lines.back(), diagnostic.message);
  }
  if (!found.lines.empty()) {
    found.messages += text;
  }
  return found;
}

constexpr uint32_t kCases = 300;

TEST(RandomConformance, AcceptsWhatImplements) {
  for (uint32_t seed = 0; seed < kCases; ++seed) {
    RandomCase random(seed);
    const Found found = check_function(random.specification(), random.function());
    ASSERT_EQ(found.messages, "") << "seed " << seed;
  }
}

TEST(RandomConformance, RejectsWhatWasChangedWhereItWas) {
  size_t n_changed = 0;
  size_t n_elsewhere = 0;
  for (uint32_t seed = 0; seed < kCases; ++seed) {
    RandomCase random(seed);
    std::vector<std::string> lines = random.function();
    const int changed = random.change(lines);
    if (changed < 0) {
      continue;
    }
    ++n_changed;
    const Found found = check_function(random.specification(), lines);
    ASSERT_EQ(found.lines.size(), 1U) << "seed " << seed << ", line " << changed << "\n"
                                      << found.messages;
    n_elsewhere += found.lines[0] == changed ? 0 : 1;
  }
  EXPECT_GT(n_changed, kCases / 2);
  // A change may make a value another node of the specification. Then the place where the wrong
  // node is used is as good.
  EXPECT_LT(50 * n_elsewhere, n_changed);
}

}  // namespace
}  // namespace tacet::program
