#include "tests/kernel/random_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/device/kernel/build.h"
#include "tests/kernel/function_writer.h"
#include "tests/kernel/random_expression.h"

namespace tacet::testing {

using Faults = FunctionOptions::Faults;

namespace {

/// Writes the functions of one module.
class ModuleWriter {
 public:
  ModuleWriter(Random& random, const FunctionOptions& options)
      : options_(options), expressions_(random, options) {}

  auto run() -> std::string {
    text_ = "#version 0.1.0\n";
    for (uint64_t i = below(3); i > 0; --i) {
      function(fmt::format("h{}", i), 1 + static_cast<uint32_t>(below(5)), chance(3));
    }
    function("f", options_.size, false);
    return std::move(text_);
  }

 private:
  /// What holds around the statements that are being written.
  struct Context {
    bool is_under_secret = false;  ///< may only change secret variables
    bool is_in_loop = false;
    bool may_leave_secretly = false;  ///< the loop around
    uint32_t depth = 0;
  };

  auto below(uint64_t n) -> uint64_t { return expressions_.below(n); }
  auto chance(uint64_t one_in) -> bool { return expressions_.chance(one_in); }
  auto new_name(std::string_view prefix) -> std::string {
    return fmt::format("{}{}", prefix, expressions_.n_names++);
  }
  auto depth() -> uint32_t { return 1 + static_cast<uint32_t>(below(3)); }

  void line(const Context& context, std::string_view text) {
    text_.append(size_t{4} * (context.depth + 1), ' ');
    text_ += text;
    text_ += '\n';
  }

  void function(std::string name, uint32_t size, bool is_public) {
    signature_ = {std::move(name), {}, {}};
    expressions_.scope.clear();
    may_return_secretly_ = !is_public && chance(3);
    std::vector<std::string> parameters;
    for (uint64_t i = 1 + below(4); i > 0; --i) {
      const RandomType type = expressions_.type(!is_public);
      const std::string parameter = new_name("p");
      signature_.parameters.push_back(type);
      expressions_.scope.push_back({parameter, type});
      parameters.push_back(fmt::format("{}: {}", parameter, type.text()));
    }
    std::vector<std::string> results;
    for (uint64_t i = chance(3) ? 2 : 1; i > 0; --i) {
      RandomType type = expressions_.type(!is_public);
      type.is_secret = !is_public && (may_return_secretly_ || type.is_secret);
      signature_.results.push_back(type);
      results.push_back(type.text());
    }
    text_ += fmt::format(
        "fn({}) {}({}) -> {} {{\n", options_.device, signature_.name, fmt::join(parameters, ", "),
        results.size() == 1 ? results[0] : fmt::format("({})", fmt::join(results, ", ")));
    has_secrets_ = !is_public;
    budget_ = size;
    Context context{may_return_secretly_, false, false, 0};
    statements(context, size);
    line(context, fmt::format("return {};", returned()));
    text_ += "}\n";
    expressions_.callees.push_back(signature_);
  }

  auto returned() -> std::string {
    std::vector<std::string> values;
    for (const RandomType& type : signature_.results) {
      values.push_back(expressions_.expression(type, depth()));
    }
    return values.size() == 1 ? values[0] : fmt::format("({})", fmt::join(values, ", "));
  }

  void statements(const Context& context, uint32_t n) {
    for (uint32_t i = 0; i < n && budget_ > 0; ++i) {
      --budget_;
      statement(context);
    }
  }

  /// In braces, with a scope of its own.
  void block(Context context, uint32_t n) {
    ++context.depth;
    const size_t n_variables = expressions_.scope.size();
    statements(context, n);
    expressions_.scope.resize(n_variables);
  }

  void statement(const Context& context) {
    const bool nests = context.depth < 4;
    switch (below(nests ? 16 : 9)) {
      case 0:
      case 1:
      case 2:
        declaration(context);
        return;
      case 3:
        several(context);
        return;
      case 4:
      case 5:
        store(context);
        return;
      case 6:
      case 7:
      case 8:
        assignment(context);
        return;
      case 9:
        chosen(context);
        return;
      case 10:
      case 11:
        branch(context);
        return;
      case 12:
      case 13:
        counted_loop(context);
        return;
      case 14:
        conditional_loop(context);
        return;
      default:
        exit(context);
    }
  }

  auto declared_type(const Context& context) -> RandomType {
    RandomType type = expressions_.type(has_secrets_);
    type.is_secret = type.is_secret || context.is_under_secret;
    return type;
  }

  void declaration(const Context& context) {
    const RandomType type = declared_type(context);
    const bool is_var = !chance(3);
    const std::string name = new_name(is_var ? "v" : "c");
    const std::string value = expressions_.expression(type, depth());
    if (is_var && chance(6)) {
      line(context, fmt::format("var {}: {};", name, type.text()));
      line(context, fmt::format("{} = {};", name, value));
    } else {
      line(context,
           fmt::format("{} {}: {} = {};", is_var ? "var" : "let", name, type.text(), value));
    }
    expressions_.scope.push_back({name, type, is_var});
  }

  /// The results of a call.
  void several(const Context& context) {
    for (const RandomSignature& callee : expressions_.callees) {
      const bool fits = std::all_of(
          callee.results.begin(), callee.results.end(),
          [&](const RandomType& type) { return type.is_secret || !context.is_under_secret; });
      if (callee.results.size() < 2 || !fits) {
        continue;
      }
      std::vector<std::string> names;
      const std::string call = expressions_.call(callee, 1);
      for (const RandomType& type : callee.results) {
        names.push_back(new_name("r"));
        expressions_.scope.push_back({names.back(), type, false});
      }
      line(context, fmt::format("let {} = {};", fmt::join(names, ", "), call));
      return;
    }
    declaration(context);
  }

  auto changeable(const Context& context, bool wants_array) -> std::optional<RandomVariable> {
    std::vector<RandomVariable> found;
    for (const RandomVariable& variable : expressions_.scope) {
      if (variable.can_change && (variable.type.is_secret || !context.is_under_secret) &&
          (!wants_array || !variable.type.is_scalar())) {
        found.push_back(variable);
      }
    }
    return found.empty() ? std::nullopt : std::optional(expressions_.pick(found));
  }

  void assignment(const Context& context) {
    const std::optional<RandomVariable> target = changeable(context, false);
    if (!target) {
      declaration(context);
      return;
    }
    line(context,
         fmt::format("{} = {};", target->name, expressions_.expression(target->type, depth())));
  }

  void store(const Context& context) {
    const std::optional<RandomVariable> target = changeable(context, true);
    if (!target) {
      declaration(context);
      return;
    }
    RandomType part = target->type;
    std::string place = target->name;
    const size_t n = chance(4) ? 1 : part.extents.size();
    for (size_t i = 0; i < n; ++i) {
      const int64_t extent = part.extents[0];
      part.extents.erase(part.extents.begin());
      // What a public index outside would be is a fault.
      const bool is_free = part.is_secret && has_secrets_ && !chance(3);
      const bool may_fail = options_.faults == Faults::Any && chance(8);
      place += fmt::format("[{}]", is_free    ? secret_index(extent)
                                   : may_fail ? expressions_.index(extent, false, 1)
                                              : expressions_.inside(extent));
    }
    line(context, fmt::format("{} = {};", place, expressions_.expression(part, depth())));
  }

  /// One that the text says is secret.
  auto secret_index(int64_t extent) -> std::string {
    for (size_t tries = 0; tries < 8; ++tries) {
      const RandomVariable& variable = expressions_.pick(expressions_.scope);
      if (variable.type.is_secret && variable.type.is_scalar() && variable.type.element != "bool" &&
          variable.type.element != "fxp") {
        return chance(2) ? variable.name : fmt::format("{} & 3", variable.name);
      }
    }
    return expressions_.inside(extent);
  }

  auto secrecy(const Context& context) -> bool {
    return has_secrets_ && (context.is_under_secret || !chance(3));
  }

  void branch(Context context) {
    const bool is_secret = secrecy(context);
    line(context, fmt::format("if {} {{", expressions_.condition(is_secret, depth())));
    Context inside = context;
    inside.is_under_secret = context.is_under_secret || is_secret;
    block(inside, 1 + static_cast<uint32_t>(below(3)));
    if (chance(2)) {
      line(context, "} else {");
      block(inside, 1 + static_cast<uint32_t>(below(3)));
    }
    line(context, "}");
  }

  /// `let x = if … { … } else { … };`
  void chosen(const Context& context) {
    const bool is_secret = secrecy(context);
    RandomType type = declared_type(context);
    type.is_secret = type.is_secret || is_secret;
    const std::string name = new_name("w");
    line(context, fmt::format("let {}: {} = if {} {{", name, type.text(),
                              expressions_.condition(is_secret, 1)));
    Context inside = context;
    inside.is_under_secret = context.is_under_secret || is_secret;
    arm(inside, type);
    line(context, "} else {");
    arm(inside, type);
    line(context, "};");
    expressions_.scope.push_back({name, type, false});
  }

  void arm(Context context, const RandomType& type) {
    ++context.depth;
    const size_t n_variables = expressions_.scope.size();
    if (budget_ > 0 && chance(2)) {
      --budget_;
      chance(2) ? declaration(context) : assignment(context);
    }
    line(context, expressions_.expression(type, 1));
    expressions_.scope.resize(n_variables);
  }

  /// `for i in lo..hi step s max n`.
  void counted_loop(const Context& context) {
    const bool is_secret = has_secrets_ && !context.may_leave_secretly && chance(2);
    Context inside = context;
    inside.may_leave_secretly = has_secrets_ && chance(3);
    inside.is_in_loop = true;
    inside.is_under_secret = context.is_under_secret || is_secret || inside.may_leave_secretly;
    static constexpr std::string_view kCounters[] = {"i64", "i64", "i64", "i32", "u8"};
    const std::string_view element = expressions_.pick(kCounters);
    const std::string name = new_name("at");
    auto bound = [&] {
      return chance(2) ? fmt::format("(({}) as {} & 7)", expressions_.scalar(element, is_secret, 1),
                                     element)
                       : fmt::format("{}", below(8));
    };
    const std::string lower = chance(2) ? "0" : bound();
    std::string header = fmt::format("for {} in {} as {}..{}", name, lower, element, bound());
    if (chance(3)) {
      header += fmt::format(" step {}", 1 + below(3));
    } else if (options_.faults == Faults::Any && chance(6)) {
      header +=
          fmt::format(" step (({}) as {})", expressions_.scalar(element, is_secret, 0), element);
    }
    if ((is_secret && options_.bounds_secret_loops) || chance(3)) {
      header += fmt::format(" max {}", 1 + below(8));
    }
    line(context, header + " {");
    expressions_.scope.push_back({name, {element, {}, is_secret}, false});
    block(inside, 1 + static_cast<uint32_t>(below(4)));
    expressions_.scope.pop_back();
    line(context, "}");
  }

  /// `while`, or `do`; a counter of its own ends it.
  void conditional_loop(const Context& context) {
    const bool is_secret = has_secrets_ && chance(2);
    Context inside = context;
    inside.may_leave_secretly = has_secrets_ && chance(3);
    inside.is_in_loop = true;
    inside.is_under_secret = context.is_under_secret || is_secret || inside.may_leave_secretly;
    const std::string counter = new_name("n");
    const bool is_counter_secret = inside.is_under_secret;
    const RandomType type{"i64", {}, is_counter_secret};
    const uint64_t first = below(4);
    line(context, fmt::format("var {}: {} = {};", counter, type.text(), first));
    expressions_.scope.push_back({counter, type, false});
    std::string condition = fmt::format("{} < {}", counter, first + below(6));
    const bool wants_secret = is_secret || context.is_under_secret;
    if (chance(2)) {
      condition = fmt::format("({} && {})", condition, expressions_.condition(wants_secret, 1));
    }
    const bool says_max =
        ((is_counter_secret || wants_secret) && options_.bounds_secret_loops) || chance(3);
    const std::string max = says_max ? fmt::format(" max {}", 1 + below(8)) : "";
    const bool tests_last = chance(3);
    line(context, tests_last ? "do {" : fmt::format("while {}{} {{", condition, max));
    ++inside.depth;
    line(inside, fmt::format("{0} = {0} + 1;", counter));
    --inside.depth;
    block(inside, 1 + static_cast<uint32_t>(below(4)));
    line(context, tests_last ? fmt::format("}} while {}{};", condition, max) : "}");
  }

  /// Leaves a loop, an iteration, or the function; mostly under a condition.
  void exit(const Context& context) {
    const bool returns =
        (!context.is_in_loop || chance(3)) && (may_return_secretly_ || !context.is_under_secret);
    const bool leaves =
        context.is_in_loop && (context.may_leave_secretly || !context.is_under_secret);
    if (!returns && !leaves) {
      branch(context);
      return;
    }
    const bool is_secret =
        has_secrets_ && (returns ? may_return_secretly_ : context.may_leave_secretly);
    line(context, fmt::format("if {} {{", expressions_.condition(is_secret, depth())));
    Context inside = context;
    ++inside.depth;
    inside.is_under_secret = context.is_under_secret || is_secret;
    const size_t n_variables = expressions_.scope.size();
    if (chance(3)) {
      assignment(inside);
    }
    line(inside, returns     ? fmt::format("return {};", returned())
                 : chance(2) ? "break;"
                             : "continue;");
    expressions_.scope.resize(n_variables);
    line(context, "}");
  }

  const FunctionOptions& options_;
  ExpressionWriter expressions_;
  std::string text_;
  RandomSignature signature_;
  bool has_secrets_ = true;
  bool may_return_secretly_ = false;
  uint32_t budget_ = 0;
};

auto random_cell(Random& random, engine::ElementType type) -> engine::Cell {
  const uint64_t bits = random();
  const bool is_small = (bits & 7) != 0;
  const auto small =
      static_cast<int64_t>(bits >> 8 & 7) - (type.kind > engine::ElementKind::I64 ? 0 : 2);
  if (type.kind == engine::ElementKind::Bool) {
    return bits & 1;
  }
  if (type.kind == engine::ElementKind::Fxp) {
    return static_cast<engine::Cell>(small << (type.fraction_bits - 1));
  }
  return engine::wrapped(type.kind, is_small ? static_cast<uint64_t>(small) : bits >> 8);
}

auto random_value(Random& random, const kernel::Type& type) -> kernel::Value {
  kernel::Value value{type, {}};
  for (int64_t i = kernel::n_elements(type); i > 0; --i) {
    value.cells.push_back(random_cell(random, type.element));
  }
  return value;
}

}  // namespace

auto random_function(Random& random, const FunctionOptions& options) -> std::string {
  switch (options.shape) {
    case FunctionShape::AllTypes:
      return ModuleWriter(random, options).run();
    case FunctionShape::Steered:
      return steered_function(random, options);
    case FunctionShape::Arrays:
      return array_function(random, options);
    case FunctionShape::States:
      return state_function(random, options);
  }
  return {};
}

auto random_function(FunctionShape shape, uint64_t seed, std::string_view device) -> std::string {
  Random random(seed);
  return random_function(
      random, {.shape = shape, .device = device, .faults = FunctionOptions::Faults::Any});
}

auto random_inputs(Random& random, const kernel::Kernel& kernel) -> std::vector<kernel::Value> {
  std::vector<kernel::Value> inputs;
  for (const kernel::VariableId parameter : kernel.parameters) {
    inputs.push_back(random_value(random, kernel.variables[parameter].type));
  }
  return inputs;
}

auto with_other_secrets(Random& random, const kernel::Kernel& kernel,
                        std::vector<kernel::Value> inputs) -> std::vector<kernel::Value> {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const kernel::Variable& parameter = kernel.variables[kernel.parameters[i]];
    if (parameter.visibility == types::Visibility::Secret) {
      inputs[i] = random_value(random, parameter.type);
    }
  }
  return inputs;
}

}  // namespace tacet::testing
