#include "tests/assembly/random_coordinator.h"

#include <fmt/format.h>

#include <optional>

namespace tacet::testing {

static constexpr const char* kTrivial =
    "tmln time(e: Event) -> Event { returns e }\n"
    "sptl space(s: BufferSpace) -> BufferSpace { returns s }\n";

static constexpr const char* kHelpers = R"(
val one(a: i64) -> i64 { returns a }
val two(a: i64, b: i64) -> (i64, i64) { returns (a, b) }
val first(c: i64, a: i64, b: i64) -> i64 { returns a }
val both(a: i64, b: i64) -> i64 { returns a }

feq twice {
    extern(gpu) twice_there(x: i64) -> out: i64 {
        path: "twice.comp", entry: "main", dimensions: 3,
        resource { group: 0, binding: 0, input: x },
        resource { group: 0, binding: 1, output: out }
    }
    extern(cpu) pure twice_here(i64) -> i64
    val twice_meaning(x: i64) -> i64 { returns x + x / (x - 5) }
}

const LIMIT = 40

fn bump(r: &i64) -> i64 impls one, time, space { *r = *r + 1; *r }
fn read(r: &i64) -> i64 impls one, time, space { *r + LIMIT }
fn same(r: &i64) -> &i64 impls one, time, space { *r = *r * 3; r }
fn either(c: i64, a: &i64, b: &i64) -> &i64 impls first, time, space {
    if c < 3 { a } else { if c < 6 { b } else { a } }
}
fn swap(a: i64, b: i64) -> (i64, i64) impls two, time, space { (b, a) }
fn even(n: i64, a: i64) -> i64 impls both, time, space { if n < 1 { a } else { odd(n - 1, a + 1) } }
fn odd(n: i64, a: i64) -> i64 impls both, time, space { if n < 1 { 0 - a } else { even(n - 1, a) } }
)";

auto FreeModule::fresh(char letter) -> std::string {
  return fmt::format("{}{}", letter, n_names_++);
}

auto FreeModule::write(size_t n_functions) -> std::string {
  text_ = fmt::format("#version 0.1.0\n{}{}", kTrivial, kHelpers);
  for (size_t i = 0; i < n_functions; ++i) {
    n_functions_ = i;
    below(4) == 0 ? recursive_function(i) : function(i);
  }
  return std::move(text_);
}

void FreeModule::function(size_t number) {
  values_ = {"a", "b"};
  variables_.clear();
  n_calls_left_ = 3;
  const std::string body = statements(3);
  text_ +=
      fmt::format("\nfn f{}(a: i64, b: i64) -> i64 impls both, time, space {{\n{}", number, body);
  text_ += below(3) == 0
               ? fmt::format("if {} {} else {}\n}}\n", condition(), value_block(2), value_block(2))
               : fmt::format("{}\n}}\n", expression(2));
}

/// Counts down; the recursion stands at the end or in the middle of an expression.
void FreeModule::recursive_function(size_t number) {
  values_ = {"a", "b"};
  variables_.clear();
  n_calls_left_ = 1;
  const std::string body = statements(2);
  const std::string again = fmt::format("f{}(n - 1, {})", number, expression(1));
  values_.emplace_back("n");
  const std::string result = below(2) == 0 ? again : fmt::format("{} + {}", again, expression(1));
  text_ += fmt::format(
      "\nfn f{}(a: i64, b: i64) -> i64 impls both, time, space {{\nlet n = a & 7;\n{}if n < 1 {{ b "
      "}} else {{ {} }}\n}}\n",
      number, body, result);
}

auto FreeModule::statements(int depth) -> std::string {
  std::string text;
  for (size_t n = below(5); n > 0; --n) {
    text += statement(depth);
  }
  return text;
}

auto FreeModule::block(int depth) -> std::string {
  const size_t n_values = values_.size();
  const size_t n_variables = variables_.size();
  std::string text = "{\n" + statements(depth) + "}";
  values_.resize(n_values);
  variables_.resize(n_variables);
  return text;
}

auto FreeModule::value_block(int depth) -> std::string {
  const size_t n_values = values_.size();
  const size_t n_variables = variables_.size();
  std::string text = "{\n" + statements(depth);
  text += expression(2) + "\n}";
  values_.resize(n_values);
  variables_.resize(n_variables);
  return text;
}

auto FreeModule::encoding() -> std::string {
  const std::string e = fresh('e');
  const std::string v = fresh('v');
  const std::string f = fresh('f');
  const std::string x = fresh('x');
  const std::string given = expression(1);
  const std::string between = below(2) == 0 ? statement(1) : "";
  std::string text = fmt::format(
      "var {1} = {4};\nlet {0} = encode-begin gpu;\nencode {0}.copy[in_{0} <- &{1}];\n"
      "encode {0}.call[out_{0} <- twice_there'<1, 1, 1>(in_{0})];\nlet {2} = submit {0};\n{5}"
      "let {3} = (await {2}).out_{0};\n",
      e, v, f, x, given, between);
  values_.push_back(x);
  variables_.push_back(v);
  return text;
}

auto FreeModule::statement(int depth) -> std::string {
  switch (below(depth > 0 ? 16 : 10)) {
    case 0:
    case 1: {
      const std::string value = expression(2);
      values_.push_back(fresh('x'));
      return fmt::format("let {}: i64 = {};\n", values_.back(), value);
    }
    case 2: {
      const std::string value = expression(2);
      variables_.push_back(fresh('v'));
      return fmt::format("var {}: i64 = {};\n", variables_.back(), value);
    }
    case 3:
      return variables_.empty() ? "" : fmt::format("{} = {};\n", pick(variables_), expression(2));
    case 4: {
      if (variables_.empty()) {
        return "";
      }
      const char* callee = below(3) == 0 ? "read" : "bump";
      const std::string given = fmt::format("{}(&{})", callee, pick(variables_));
      values_.push_back(fresh('x'));
      return fmt::format("let {} = {};\n", values_.back(), given);
    }
    case 5: {
      const std::string given = fmt::format("swap({}, {})", expression(1), expression(1));
      const std::string first = fresh('x');
      const std::string second = fresh('x');
      values_.push_back(first);
      values_.push_back(second);
      return fmt::format("let {}, {} = {};\n", first, second, given);
    }
    case 6: {
      if (variables_.empty()) {
        return "";
      }
      const std::string r = fresh('r');
      const std::string target = pick(variables_);
      return below(2) == 0 ? fmt::format("let {0} = &{1};\n*{0} = {2};\n", r, target, expression(1))
                           : fmt::format("*same(&{}) = {};\n", target, expression(1));
    }
    case 7:
      return array();
    case 8: {
      const std::string t = fresh('t');
      std::string text = fmt::format("let {}: [i64; 3] = [{}, {}, {}] + [1, 2, 3];\n", t,
                                     expression(1), expression(1), expression(1));
      values_.push_back(fresh('x'));
      return text + fmt::format("let {} = {}[{} & 3];\n", values_.back(), t,
                                values_[below(values_.size() - 1)]);
    }
    case 9: {
      if (variables_.size() < 2) {
        return "";
      }
      if (below(2) == 0) {
        const std::string r = fresh('r');
        const std::string x = fresh('x');
        const std::string text = fmt::format(
            "let {0} = if {1} {{ &{2} }} else {{ &{3} }};\n*{0} = *{0} + {4};\nlet {5} = *{0} + "
            "{2};\n",
            r, condition(), pick(variables_), pick(variables_), expression(1), x, variables_[0]);
        values_.push_back(x);
        return text;
      }
      return fmt::format("*either({}, &{}, &{}) = {};\n", expression(0), pick(variables_),
                         pick(variables_), expression(1));
    }
    case 10:
    case 11: {
      const std::string guard = condition();
      const std::string first = block(depth - 1);
      return below(2) == 0 ? fmt::format("if {} {}\n", guard, first)
                           : fmt::format("if {} {} else {}\n", guard, first, block(depth - 1));
    }
    case 12:
    case 13: {
      const std::string guard = condition();
      const std::string first = value_block(depth - 1);
      const std::string second = value_block(depth - 1);
      values_.push_back(fresh('x'));
      return fmt::format("let {}: i64 = if {} {} else {};\n", values_.back(), guard, first, second);
    }
    default:
      return encoding();
  }
}

/// An array: made, changed in some of its elements, and something that is computed of it.
auto FreeModule::array() -> std::string {
  const std::string t = fresh('t');
  std::string text = below(2) == 0 ? fmt::format("var {}: [i64; 3] = [{}, {}, {}];\n", t,
                                                 expression(1), expression(1), expression(1))
                                   : fmt::format("var {}: [i64; 3] = for i: 3 {{ i * {} + {} }};\n",
                                                 t, pick(values_), pick(values_));
  for (size_t n = below(3); n > 0; --n) {
    text +=
        fmt::format("{}[{}] = {};\n", t,
                    below(6) == 0 ? pick(values_) : fmt::format("{}", below(3)), element(t, "0"));
  }
  const std::string k = pick(values_);
  const std::string given = of_array(t, k);
  values_.push_back(fresh('x'));
  return text + fmt::format("let {} = {};\n", values_.back(), given);
}

auto FreeModule::of_array(const std::string& t, const std::string& k) -> std::string {
  switch (below(8)) {
    case 0:
      return fmt::format("sum(for i: 3 {{ {} }})", element(t, "i"));
    case 1:
      return fmt::format("product(rotate({}, {}))", t, k);
    case 2:
      return fmt::format("sum(reduce(*, 1, for i: 2 {{ for j: 3 {{ {} + j }} }}))",
                         element(t, "i + j"));
    case 3:
      return fmt::format("(for i: 3 {{ let y = {} in y * y + {} }})[{}]", element(t, "i"), k, k);
    case 4:
      return fmt::format("sum(for i: 4 {{ twice_here'<1, 1, 1>({}) }})", element(t, "i"));
    case 5:
      return fmt::format("product({} + [{}, 1, 2])", t, k);
    case 6:
      return fmt::format("sum(for i: 4 {{ even(i, {}) }})", element(t, "i"));
    default:
      return fmt::format("{}[{}]", t, k);
  }
}

/// Something of an element; not in all of them is everything computed.
auto FreeModule::element(const std::string& array, const std::string& index) -> std::string {
  switch (below(4)) {
    case 0:
      return fmt::format("{}[{}] * {}", array, index, pick(values_));
    case 1:
      return fmt::format("({0}[{1}] / {2} if {0}[{1}] > {2} else {0}[{1}] - 1)", array, index,
                         below(2) == 0 ? fmt::format("{}[{} - 1]", array, index) : pick(values_));
    case 2:
      return fmt::format("{0}[{1}] + {0}[{2}]", array, index, below(4));
    default:
      return fmt::format("{}[{}]", array, index);
  }
}

auto FreeModule::condition() -> std::string {
  constexpr const char* kComparisons[] = {"<", "<=", ">", ">=", "==", "!="};
  return fmt::format("{} {} {}", expression(1), kComparisons[below(6)], expression(1));
}

auto FreeModule::call() -> std::string {
  if (n_calls_left_ == 0) {
    return pick(values_);
  }
  --n_calls_left_;
  if (n_functions_ == 0 || below(4) == 0) {
    return fmt::format("{}({} & 7, {})", below(2) == 0 ? "even" : "odd", expression(0),
                       expression(0));
  }
  return below(5) == 0
             ? fmt::format("twice_here'<1, 1, 1>({})", expression(1))
             : fmt::format("f{}({}, {})", below(n_functions_), expression(1), expression(1));
}

auto FreeModule::expression(int depth) -> std::string {
  switch (below(depth > 0 ? 9 : 4)) {
    case 0:
      return fmt::format("{}", below(10));
    case 1:
      return variables_.empty() ? pick(values_) : pick(variables_);
    case 2:
    case 3:
      return pick(values_);
    case 4:
      return call();
    case 5:
      return fmt::format("(-{})", expression(depth - 1));
    default: {
      constexpr const char* kOperators[] = {"+", "-", "*", "&", "|", "^", "/", "%", "<<"};
      return fmt::format("({} {} {})", expression(depth - 1), kOperators[below(9)],
                         expression(depth - 1));
    }
  }
}

namespace {

/// One function and its specification, from one graph.
class ConformingFunction {
 public:
  ConformingFunction(std::mt19937_64& random, size_t number) : random_(random), number_(number) {
    for (size_t i = 0; i < 3; ++i) {
      nodes_.push_back({"param", false, 0, {}});
    }
    const size_t n = 5 + below(12);
    while (nodes_.size() < n || nodes_.back().is_truth) {
      nodes_.push_back(node());
    }
  }

  auto specification() -> std::string {
    std::string text = fmt::format("val s{}(n0: i64, n1: i64, n2: i64) -> i64 {{\n", number_);
    for (size_t i = 3; i < nodes_.size(); ++i) {
      const RandomNode& node = nodes_[i];
      const std::vector<size_t>& o = node.operands;
      const std::string value =
          node.operation == "literal" ? fmt::format("{}", node.number)
          : node.operation == "if"    ? fmt::format("n{} if n{} else n{}", o[1], o[0], o[2])
          : node.operation == "call"
              ? fmt::format("s{}(n{}, n{}, n{})", node.number, o[0], o[1], o[2])
              : fmt::format("n{} {} n{}", o[0], node.operation, o[1]);
      text += fmt::format("    n{} :- {}\n", i, value);
    }
    return text + fmt::format("    returns n{}\n}}\n", nodes_.size() - 1);
  }

  auto function() -> std::string {
    names_ = {"n0", "n1", "n2"};
    names_.resize(nodes_.size());
    const std::string result = emit(nodes_.size() - 1);
    return fmt::format(
        "fn f{0}(n0: i64, n1: i64, n2: i64) -> i64 impls s{0}, time, space {{\n{1}{2}\n}}\n",
        number_, body_, result);
  }

 private:
  struct RandomNode {
    std::string operation;
    bool is_truth = false;
    size_t number = 0;
    std::vector<size_t> operands;
  };

  auto below(size_t n) -> size_t { return random_() % n; }
  auto pick(bool is_truth) -> std::optional<size_t> {
    std::vector<size_t> found;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].is_truth == is_truth) {
        found.push_back(i);
      }
    }
    return found.empty() ? std::nullopt : std::optional(found[below(found.size())]);
  }
  auto node() -> RandomNode {
    auto number = [&] { return *pick(false); };
    const std::optional<size_t> truth = pick(true);
    const size_t kind = below(8);
    if (kind == 0) {
      return {"literal", false, below(50), {}};
    }
    if (kind <= 2) {
      constexpr const char* kComparisons[] = {"<", "<=", "==", "!="};
      return {kComparisons[below(4)], true, 0, {number(), number()}};
    }
    if (kind <= 4 && truth) {
      return {"if", false, 0, {*truth, number(), number()}};
    }
    if (kind == 5 && number_ > 0) {
      const size_t callee = number_ > 4 ? number_ - 1 - below(4) : below(number_);
      return {"call", false, callee, {number(), number(), number()}};
    }
    constexpr const char* kOperators[] = {"+", "-", "*", "&", "|", "^", "/"};
    return {kOperators[below(7)], false, 0, {number(), number()}};
  }

  auto emit(size_t at) -> std::string {
    if (!names_[at].empty()) {
      return names_[at];
    }
    const RandomNode& node = nodes_[at];
    const std::string name = fmt::format("v{}", n_variables_++);
    const char* type = node.is_truth ? "bool" : "i64";
    if (node.operation == "if") {
      const std::string condition = emit(node.operands[0]);
      const bool assigns = below(2) == 0;
      body_ += assigns ? fmt::format("var {}: {};\nif {} {{\n", name, type, condition)
                       : fmt::format("let {}: {} = if {} {{\n", name, type, condition);
      arm(node.operands[1], name, assigns);
      body_ += "} else {\n";
      arm(node.operands[2], name, assigns);
      body_ += assigns ? "}\n" : "};\n";
    } else if (node.operation == "literal") {
      body_ += fmt::format("let {}: i64 = {};\n", name, node.number);
    } else if (node.operation == "call") {
      const std::string a = emit(node.operands[0]);
      const std::string b = emit(node.operands[1]);
      const std::string c = emit(node.operands[2]);
      body_ += fmt::format("let {} = f{}({}, {}, {});\n", name, node.number, a, b, c);
    } else {
      const std::string left = emit(node.operands[0]);
      const std::string right = emit(node.operands[1]);
      body_ += fmt::format("{} {}: {} = {} {} {};\n", below(3) == 0 ? "var" : "let", name, type,
                           left, node.operation, right);
    }
    names_[at] = name;
    return name;
  }

  void arm(size_t at, const std::string& target, bool assigns) {
    const std::vector<std::string> outside = names_;
    const std::string result = emit(at);
    body_ += assigns ? fmt::format("{} = {};\n", target, result) : fmt::format("{}\n", result);
    names_ = outside;
  }

  std::mt19937_64& random_;
  size_t number_;
  std::vector<RandomNode> nodes_;
  std::vector<std::string> names_;
  std::string body_;
  size_t n_variables_ = 0;
};

}  // namespace

auto conforming_module(uint64_t seed, size_t n_functions) -> std::string {
  std::mt19937_64 random(seed);
  std::string text = fmt::format("#version 0.1.0\n{}", kTrivial);
  for (size_t i = 0; i < n_functions; ++i) {
    ConformingFunction function(random, i);
    text += function.specification();
    text += function.function();
  }
  return text;
}

}  // namespace tacet::testing
