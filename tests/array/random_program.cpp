#include "tests/array/random_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tacet::array {

namespace {

using Shape = std::vector<int64_t>;

/// What indices that are passed to functions are below of.
constexpr int64_t kIndexExtent = 3;

class Generator {
 public:
  Generator(RandomNumbers& numbers, const RandomLimits& limits)
      : random_(numbers), limits_(limits) {}

  auto run() -> RandomProgram { return below(3) == 0 || is_fixed() ? module() : array_program(); }

 private:
  struct NamedArray {
    std::string name;
    Shape shape;
  };
  struct Variable {
    std::string name;
    int64_t extent;
  };
  struct Function {
    std::string name;
    std::vector<Shape> parameters;
    bool has_index = false;  ///< a last parameter that indices may use
    Shape result;
  };

  /// A device function behind constants and functions that it may call.
  auto module() -> RandomProgram {
    RandomProgram program;
    program.path = "program.tacet";
    program.text = "#version 0.1.0\n";
    size_t n_constants = is_fixed() ? 0 : below(3);
    for (size_t i = 0; i < n_constants; ++i) {
      std::string name = fmt::format("c{}", i);
      Shape shape = random_shape(1 + below(2));
      program.text += fmt::format("const {} = {}\n", name, written(shape));
      constants_.push_back({std::move(name), std::move(shape)});
    }
    size_t n_functions = is_fixed() ? below(3) : 1 + below(3);
    for (size_t i = 0; i < n_functions; ++i) {
      program.text += function(fmt::format("f{}", i));
    }
    arrays_ = constants_;
    std::string parameters;
    size_t n_inputs = 1 + below(3);
    for (size_t i = 0; i < n_inputs; ++i) {
      bool is_server = below(3) == 0;
      NamedArray input = {fmt::format("in{}", i), input_shape()};
      parameters += fmt::format("{}{}: {}{} from {}", i == 0 ? "" : ", ", input.name,
                                is_server ? "" : "secret ", type_text(input.shape),
                                is_server ? "server" : "client");
      program.inputs.push_back(random_values(input.shape));
      arrays_.push_back(std::move(input));
    }
    Shape shape = random_shape(below(limits_.max_rank + 1));
    program.text +=
        fmt::format("fn(he) program({}) -> secret {} {{\n", parameters, type_text(shape));
    size_t n_lets = below(3);
    for (size_t i = 0; i < n_lets; ++i) {
      program.text += statement_let(limits_.depth - 2);
    }
    program.text += expression(shape, limits_.depth) + "\n}\n";
    return program;
  }

  auto function(const std::string& name) -> std::string {
    Function made{name, {}, below(3) == 0, random_shape(below(limits_.max_rank))};
    arrays_ = constants_;
    std::string parameters;
    size_t n_parameters = 1 + below(2);
    for (size_t i = 0; i < n_parameters; ++i) {
      NamedArray parameter = {fmt::format("p{}", i), random_shape(below(limits_.max_rank))};
      parameters += fmt::format("{}{}: secret {}", i == 0 ? "" : ", ", parameter.name,
                                type_text(parameter.shape));
      made.parameters.push_back(parameter.shape);
      arrays_.push_back(std::move(parameter));
    }
    if (made.has_index) {
      parameters += ", k: i64";
      variables_.push_back({"k", kIndexExtent});
    }
    std::string text =
        fmt::format("fn(he) {}({}) -> secret {} {{\n", name, parameters, type_text(made.result));
    if (below(2) == 0) {
      text += statement_let(1);
    }
    // A result without a secret in it has another type.
    text += fmt::format("({}) + 0 * {}\n}}\n", expression(made.result, 2), secret_scalar(made));
    arrays_.clear();
    variables_.clear();
    functions_.push_back(std::move(made));
    return text;
  }

  static auto secret_scalar(const Function& function) -> std::string {
    std::string text = "p0";
    for (size_t i = 0; i < function.parameters[0].size(); ++i) {
      text += "[0]";
    }
    return text;
  }

  auto statement_let(int depth) -> std::string {
    std::string text = let(random_shape(below(limits_.max_rank + 1)), depth);
    return text.substr(0, text.size() - 3) + ";\n";
  }

  auto is_fixed() const -> bool { return limits_.fraction_bits != 0; }

  auto type_text(const Shape& shape) const -> std::string {
    const std::string element =
        is_fixed() ? fmt::format("fxp<{}>", limits_.fraction_bits) : std::string("i64");
    return shape.empty() ? element : fmt::format("[{}; {}]", element, fmt::join(shape, ", "));
  }

  /// A number, of those that need no parentheses if `low` is 0.
  auto number(int64_t low, int64_t high) -> std::string {
    return is_fixed()
               ? fmt::format("{:.2f}", static_cast<double>(between(25 * low, 25 * high)) / 50)
               : fmt::format("{}", between(low, high));
  }

  auto random_values(const Shape& shape) -> std::vector<int64_t> {
    int64_t n = 1;
    for (int64_t extent : shape) {
      n *= extent;
    }
    std::vector<int64_t> values;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t most = limits_.max_value << limits_.fraction_bits;
      values.push_back(between(-most, most));
    }
    return values;
  }

  /// An array of numbers.
  auto written(const Shape& shape) -> std::string {
    if (shape.empty()) {
      return number(-3, 4);
    }
    std::string text;
    for (int64_t i = 0; i < shape.front(); ++i) {
      text += (i == 0 ? "[" : ", ") + written(Shape(shape.begin() + 1, shape.end()));
    }
    return text + "]";
  }

  /// An array that is written down, some elements of which are computed.
  auto literal(const Shape& shape, int depth) -> std::string {
    std::string text;
    for (int64_t i = 0; i < shape.front(); ++i) {
      Shape inner(shape.begin() + 1, shape.end());
      text += i == 0 ? "[" : ", ";
      text += below(3) == 0 ? expression(inner, std::min(depth - 2, 1)) : written(inner);
    }
    return text + "]";
  }

  /// A call of some function whose innermost dimensions are `shape`; empty if there is none.
  auto call(const Shape& shape, int depth) -> std::string {
    std::vector<const Function*> found;
    for (const Function& function : functions_) {
      bool is_long_enough = function.result.size() >= shape.size();
      if (is_long_enough && std::equal(shape.rbegin(), shape.rend(), function.result.rbegin())) {
        found.push_back(&function);
      }
    }
    if (found.empty()) {
      return "";
    }
    const Function& function = *found[below(found.size())];
    std::string text = function.name + "(";
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      text += (i == 0 ? "" : ", ") + expression(function.parameters[i], depth - 2);
    }
    if (function.has_index) {
      bool is_variable = !variables_.empty() && below(2) == 0;
      text +=
          ", " + (is_variable ? variables_.back().name : fmt::format("{}", below(kIndexExtent)));
    }
    text += ")";
    for (size_t i = 0; i < function.result.size() - shape.size(); ++i) {
      text += fmt::format("[{}]", index(function.result[i]));
    }
    return text;
  }

  auto array_program() -> RandomProgram {
    RandomProgram program;
    program.path = "program.tlhe";
    size_t n_inputs = 1 + below(3);
    for (size_t i = 0; i < n_inputs; ++i) {
      std::string name = fmt::format("in{}", i);
      Shape shape = input_shape();
      program.text += fmt::format("input {}: [{}] from {}\n", name, fmt::join(shape, ", "),
                                  below(3) == 0 ? "server" : "client");
      program.inputs.push_back(random_values(shape));
      arrays_.push_back({std::move(name), std::move(shape)});
    }
    Shape shape = random_shape(below(limits_.max_rank + 1));
    size_t n_lets = below(4);
    for (size_t i = 0; i < n_lets; ++i) {
      program.text += let(random_shape(below(limits_.max_rank + 1)), limits_.depth - 2) + "\n";
    }
    program.text += expression(shape, limits_.depth) + "\n";
    return program;
  }

  auto below(size_t n) -> size_t { return random_() % n; }
  auto between(int64_t low, int64_t high) -> int64_t {
    return low + static_cast<int64_t>(below(static_cast<size_t>(high - low + 1)));
  }
  /// Often that of a variable, so that arrays are walked through as a whole.
  auto extent() -> int64_t {
    if (!variables_.empty() && below(2) == 0) {
      return variables_[below(variables_.size())].extent;
    }
    return between(1, limits_.max_extent);
  }

  auto random_shape(size_t rank) -> Shape {
    Shape shape;
    for (size_t i = 0; i < rank; ++i) {
      shape.push_back(extent());
    }
    return shape;
  }

  auto input_shape() -> Shape {
    for (;;) {
      Shape shape = random_shape(1 + below(limits_.max_rank));
      int64_t n = 1;
      for (int64_t each : shape) {
        n *= each;
      }
      if (n <= limits_.max_elements) {
        return shape;
      }
    }
  }

  auto fresh(const char* prefix) -> std::string { return fmt::format("{}{}", prefix, n_names_++); }

  /// `let x = e in`, which puts x in scope.
  auto let(const Shape& shape, int depth) -> std::string {
    std::string value = expression(shape, depth);
    std::string name = fresh("x");
    arrays_.push_back({name, shape});
    return fmt::format("let {} = {} in", name, value);
  }

  /// An index into a dimension, mostly but not always inside of it.
  auto index(int64_t length) -> std::string {
    std::string text;
    size_t n_terms = variables_.empty() ? 0 : below(8) == 0 ? 2 : below(6) == 0 ? 0 : 1;
    int64_t high = 0;  // what the terms reach
    for (size_t i = 0; i < n_terms; ++i) {
      // The innermost variables are the likeliest.
      size_t back = std::min(below(3), below(variables_.size()));
      const Variable& variable = variables_[variables_.size() - 1 - back];
      int64_t stride = below(4) == 0 ? between(-2, 3) : below(5) == 0 ? -1 : 1;
      std::string term = stride == 1  ? variable.name
                         : stride < 0 ? fmt::format("({}) * {}", stride, variable.name)
                                      : fmt::format("{} * {}", stride, variable.name);
      text += (text.empty() ? "" : " + ") + term;
      high += stride < 0 ? -stride * (variable.extent - 1) : 0;
    }
    int64_t offset = n_terms == 0
                         ? between(below(6) == 0 ? -1 : 0, length - (below(6) == 0 ? 0 : 1))
                         : high + (below(3) == 0 ? between(-2, 2) : 0);
    if (text.empty()) {
      return fmt::format("{}", offset);
    }
    return offset == 0  ? text
           : offset > 0 ? fmt::format("{} + {}", text, offset)
                        : fmt::format("{} - {}", text, -offset);
  }

  /// A read of some array whose innermost dimensions are `shape`; empty if there is none.
  auto read(const Shape& shape) -> std::string {
    std::vector<const NamedArray*> found;
    for (const NamedArray& array : arrays_) {
      bool is_long_enough = array.shape.size() >= shape.size();
      if (is_long_enough && std::equal(shape.rbegin(), shape.rend(), array.shape.rbegin())) {
        found.push_back(&array);
      }
    }
    if (found.empty()) {
      return "";
    }
    // What was bound last is the likeliest, so that lets are used.
    size_t back = std::min(below(found.size()), below(found.size()));
    const NamedArray& array = *found[found.size() - 1 - back];
    std::string text = array.name;
    for (size_t i = 0; i < array.shape.size() - shape.size(); ++i) {
      text += fmt::format("[{}]", index(array.shape[i]));
    }
    return text;
  }

  auto for_value(const Shape& shape, int depth) -> std::string {
    std::string name = fresh("v");
    variables_.push_back({name, shape.front()});
    size_t n_arrays = arrays_.size();
    std::string body;
    if (depth > 1 && below(5) == 0) {
      body = let(random_shape(below(2)), depth - 2) + " ";
    }
    body += expression(Shape(shape.begin() + 1, shape.end()), depth - 1);
    arrays_.resize(n_arrays);
    variables_.pop_back();
    return fmt::format("for {}: {} {{ {} }}", name, shape.front(), body);
  }

  auto reduction(const Shape& shape, int depth) -> std::string {
    size_t dimension = below(3) == 0 ? below(shape.size() + 1) : 0;
    Shape inner = shape;
    int64_t length = extent();
    inner.insert(inner.begin() + static_cast<std::ptrdiff_t>(dimension), length);
    bool is_product = below(3) == 0;
    std::string body = expression(inner, depth - 1);
    if (dimension == 0 && below(4) != 0) {
      return fmt::format("{}({})", is_product ? "product" : "sum", body);
    }
    return fmt::format("reduce({}, {}, {})", is_product ? "*" : "+", dimension, body);
  }

  auto leaf(const Shape& shape) -> std::string {
    if (shape.empty() && below(4) == 0) {
      return variables_.empty() || below(3) != 0 ? number(0, 4) : variable_as_number();
    }
    if (!shape.empty() && below(6) == 0) {
      return literal(shape, 0);
    }
    std::string text = below(5) == 0 ? "" : read(shape);
    if (!text.empty()) {
      return text;
    }
    return shape.empty() ? number(0, 4) : for_value(shape, 0);
  }

  auto variable_as_number() -> std::string {
    const std::string& name = variables_[below(variables_.size())].name;
    return is_fixed() ? fmt::format("({} as {})", name, type_text({})) : name;
  }

  auto operation(const Shape& shape, int depth) -> std::string {
    constexpr const char* kOperators[] = {"+", "-", "*", "*"};
    bool broadcasts = !shape.empty() && below(4) == 0;
    std::string left = expression(shape, depth - 1);
    // The same on both sides: squares, and the same array computed differently.
    std::string right = below(5) == 0 ? left : expression(broadcasts ? Shape() : shape, depth - 1);
    if (below(3) == 0) {
      std::swap(left, right);
    }
    return fmt::format("(({}) {} ({}))", left, kOperators[below(4)], right);
  }

  auto expression(const Shape& shape, int depth) -> std::string {
    if (depth <= 0) {
      return leaf(shape);
    }
    if (!functions_.empty() && below(4) == 0) {
      if (std::string text = call(shape, depth); !text.empty()) {
        return text;
      }
    }
    switch (below(13)) {
      case 0:
        return fmt::format("(-({}))", expression(shape, depth - 1));
      case 1:
      case 2:
        return shape.size() < limits_.max_rank ? reduction(shape, depth) : leaf(shape);
      case 3:
        if (!shape.empty()) {
          return fmt::format("rotate({}, {})", expression(shape, depth - 1), between(-3, 4));
        }
        [[fallthrough]];
      case 4: {
        // A value that is indexed where it stands.
        Shape whole = shape;
        whole.insert(whole.begin(), extent());
        if (whole.size() <= limits_.max_rank) {
          int64_t length = whole.front();
          return fmt::format("({})[{}]", expression(whole, depth - 1), index(length));
        }
        [[fallthrough]];
      }
      case 5: {
        size_t n_arrays = arrays_.size();
        std::string head = let(random_shape(below(limits_.max_rank)), depth - 2);
        std::string body = expression(shape, depth - 1);
        arrays_.resize(n_arrays);
        return fmt::format("({} {})", head, body);
      }
      case 6:
      case 7:
      case 8:
        if (!shape.empty()) {
          return for_value(shape, depth);
        }
        [[fallthrough]];
      case 9:
        if (!shape.empty()) {
          return literal(shape, depth);
        }
        [[fallthrough]];
      default:
        return operation(shape, depth);
    }
  }

  RandomNumbers& random_;
  RandomLimits limits_;
  std::vector<Function> functions_;
  std::vector<NamedArray> constants_;
  std::vector<NamedArray> arrays_;   ///< in scope
  std::vector<Variable> variables_;  ///< in scope
  int n_names_ = 0;
};

}  // namespace

auto random_program(uint64_t seed, const RandomLimits& limits) -> RandomProgram {
  RandomNumbers numbers(seed);
  return random_program(numbers, limits);
}

auto random_program(RandomNumbers& numbers, const RandomLimits& limits) -> RandomProgram {
  return Generator(numbers, limits).run();
}

}  // namespace tacet::array
