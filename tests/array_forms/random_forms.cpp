#include "tests/array_forms/random_forms.h"

#include <fmt/format.h>

namespace tacet::testing {
namespace {

/// The same expression in the text of `f` and in that of `g`.
struct Both {
  std::string forms;
  std::string plain;
};

struct Array {
  Both text;
  int64_t length = 0;
};

class Writer {
 public:
  explicit Writer(std::mt19937_64& random) : random_(random) {
    static constexpr const char* kTypes[] = {"i64", "i64", "i32", "u8", "fxp"};
    made_.type = kTypes[below(5)];
    lengths_ = {between(2, 6), between(2, 6)};
    rows_ = between(2, 4);
    columns_ = between(2, 4);
    made_.extents = {{lengths_[0]}, {lengths_[1]}, {rows_, columns_}};
  }

  auto write() -> RandomForms {
    Both body;
    if (below(3) == 0) {
      body = with_loop();
    } else {
      const Array result = fitted(array(3), between(1, 5));
      result_length_ = result.length;
      body = {fmt::format("    {}\n", result.text.forms),
              fmt::format("    {}\n", result.text.plain)};
    }
    const std::string& type = made_.type;
    const auto head = [&](std::string_view name) {
      return fmt::format(
          "fn(mpc) {0}(a: secret [{1}; {2}], b: secret [{1}; {3}], m: secret [{1}; {4}, {5}]) -> "
          "secret [{1}; {6}] {{\n",
          name, type, lengths_[0], lengths_[1], rows_, columns_, result_length_);
    };
    made_.text = fmt::format("#version 0.1.0\n\n{}{}}}\n{}{}}}\n", head("f"), body.forms, head("g"),
                             body.plain);
    return std::move(made_);
  }

 private:
  auto below(uint64_t n) -> uint64_t { return random_() % n; }
  auto between(int64_t lower, int64_t upper) -> int64_t {
    return lower + static_cast<int64_t>(below(static_cast<uint64_t>(upper - lower + 1)));
  }
  auto fresh(std::string_view name) -> std::string { return fmt::format("{}{}", name, ++n_names_); }

  static auto same(const std::string& text) -> Both { return {text, text}; }

  auto parameter() -> Array {
    switch (below(3)) {
      case 0:
        return {same("a"), lengths_[0]};
      case 1:
        return {same("b"), lengths_[1]};
      default: {
        const int64_t row = between(0, rows_ - 1);
        return {same(fmt::format("m[{}]", row)), columns_};
      }
    }
  }

  auto array(int depth) -> Array {
    if (depth == 0) {
      return parameter();
    }
    switch (below(7)) {
      case 0:
      case 1:
        return sliced(array(depth - 1));
      case 2:
        return joined(array(depth - 1), array(depth - 1));
      case 3:
        return zipped(depth);
      case 4:
        return by_numbers(array(depth - 1));
      case 5:
        return by_rows();
      default:
        return elementwise(depth);
    }
  }

  auto part(const Array& whole, int64_t lower, int64_t upper, int64_t step) -> Array {
    const std::string from = lower == 0 && below(2) == 0 ? "" : fmt::format("{}", lower);
    const std::string to = upper == whole.length && below(2) == 0 ? "" : fmt::format("{}", upper);
    const std::string by = step == 1 && below(4) != 0 ? "" : fmt::format(": {}", step);
    const std::string i = fresh("i");
    Array made;
    made.length = (upper - lower + step - 1) / step;
    made.text.forms = fmt::format("({})[{}..{}{}]", whole.text.forms, from, to, by);
    made.text.plain = fmt::format("(for {}: {} {{ ({})[{} + {} * {}] }})", i, made.length,
                                  whole.text.plain, lower, step, i);
    return made;
  }

  auto sliced(const Array& whole) -> Array {
    const int64_t lower = between(0, whole.length - 1);
    return part(whole, lower, between(lower + 1, whole.length), between(1, 3));
  }

  auto joined(const Array& a, const Array& b) -> Array {
    const std::string i = fresh("i");
    const std::string_view form = below(2) == 0 ? "concat({}, {})" : "({} ++ {})";
    return {{fmt::format(fmt::runtime(form), a.text.forms, b.text.forms),
             fmt::format("(for {0}: {1} {{ ({2})[{0}] if {0} < {3} else ({4})[{0} - {3}] }})", i,
                         a.length + b.length, a.text.plain, a.length, b.text.plain)},
            a.length + b.length};
  }

  /// The array with `length` elements, of its own and of others behind them.
  auto fitted(Array from, int64_t length) -> Array {
    while (from.length < length) {
      from = joined(from, parameter());
    }
    if (from.length == length) {
      return from;
    }
    const int64_t lower = between(0, from.length - length);
    return part(from, lower, lower + length, 1);
  }

  /// Numbers and the variables at hand, with operators between them.
  auto scalar(const std::vector<std::string>& variables) -> std::string {
    std::string text = variables[below(variables.size())];
    for (uint64_t n = below(3); n > 0; --n) {
      static constexpr const char* kOperators[] = {"+", "-", "*"};
      const std::string other =
          below(3) == 0 ? fmt::format("{}", below(4)) : variables[below(variables.size())];
      text = fmt::format("({} {} {})", text, kOperators[below(3)], other);
    }
    return text;
  }

  auto zipped(int depth) -> Array {
    const Array x = array(depth - 1);
    const std::string i = fresh("i");
    const std::string first = fresh("x");
    if (below(3) == 0) {
      const std::string body = scalar({first});
      return {{fmt::format("(for {}: {} {{ {} }})", first, x.text.forms, body),
               fmt::format("(for {}: {} {{ let {} = ({})[{}] in {} }})", i, x.length, first,
                           x.text.plain, i, body)},
              x.length};
    }
    const Array y = fitted(array(depth - 1), x.length);
    const std::string second = fresh("y");
    const std::string body = scalar({first, second});
    return {{fmt::format("(for {}, {}: {}, {} {{ {} }})", first, second, x.text.forms, y.text.forms,
                         body),
             fmt::format("(for {0}: {1} {{ let {2} = ({3})[{0}] in let {4} = ({5})[{0}] in {6} }})",
                         i, x.length, first, x.text.plain, second, y.text.plain, body)},
            x.length};
  }

  /// Rows of the matrix, some of them, each summed with its own weights.
  auto by_rows() -> Array {
    const std::string row = fresh("r");
    const std::string i = fresh("i");
    const std::string j = fresh("j");
    const std::string x = fresh("x");
    const int64_t lower = between(0, rows_ - 1);
    const int64_t at = between(0, columns_ + 1);  // perhaps outside
    const std::string body = scalar({x, fmt::format("{}[{}]", row, at)});
    const std::string plain_body = scalar_with(body, row, fmt::format("m[{} + {}]", i, lower));
    const std::string inner =
        scalar_with(plain_body, x, fmt::format("m[{} + {}][{}]", i, lower, j));
    return {
        {fmt::format("(for {}: m[{}..] {{ sum(for {}: {} {{ {} }}) }})", row, lower, x, row, body),
         fmt::format("(for {}: {} {{ sum(for {}: {} {{ {} }}) }})", i, rows_ - lower, j, columns_,
                     inner)},
        rows_ - lower};
  }

  /// `text` with `to` for the name `from`.
  static auto scalar_with(std::string text, const std::string& from, const std::string& to)
      -> std::string {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), to);
      at += to.size();
    }
    return text;
  }

  auto by_numbers(const Array& x) -> Array {
    const int64_t lower = made_.type == "u8" ? between(0, 2) : between(-2, 2);
    const std::string i = fresh("i");
    return {{fmt::format("(({}) * [{}..{}])", x.text.forms, lower, lower + x.length),
             fmt::format("(for {0}: {1} {{ ({2})[{0}] * (({0} + {3}) as {4}) }})", i, x.length,
                         x.text.plain, lower, made_.type)},
            x.length};
  }

  auto elementwise(int depth) -> Array {
    const Array x = array(depth - 1);
    const Array y = fitted(parameter(), x.length);
    const std::string_view op = below(2) == 0 ? "+" : "-";
    return {{fmt::format("(({}) {} ({}))", x.text.forms, op, y.text.forms),
             fmt::format("(({}) {} ({}))", x.text.plain, op, y.text.plain)},
            x.length};
  }

  /// A loop over two arrays; the one is a variable that the loop changes.
  auto with_loop() -> Both {
    made_.is_loop_free = false;
    const Array x = array(2);
    const Array y = fitted(array(1), x.length);
    result_length_ = x.length;
    const std::string step = scalar({"x", "y", "s"});
    const std::string changed = scalar({"x", "s"});
    const int64_t skipped = between(0, 4);
    const int64_t at = between(0, x.length - 1);
    const std::string common = fmt::format(
        "        if x * 0 + {} > y {{ continue; }}\n        s = s + {};\n        v[{}] = {};\n"
        "    }}\n    v + s\n",
        skipped, step, at, changed);
    const auto begin = [&](const std::string& text) {
      return fmt::format("    var v: secret [{}; {}] = {};\n    var s: secret {} = 0;\n",
                         made_.type, x.length, text, made_.type);
    };
    return {begin(x.text.forms) + fmt::format("    for x, y in v, {} {{\n", y.text.forms) + common,
            begin(x.text.plain) +
                fmt::format("    let before = v;\n    let beside = {};\n    for i in 0..{} {{\n"
                            "        let x = before[i];\n        let y = beside[i];\n",
                            y.text.plain, x.length) +
                common};
  }

  std::mt19937_64& random_;
  RandomForms made_;
  std::vector<int64_t> lengths_;
  int64_t rows_ = 1;
  int64_t columns_ = 1;
  int64_t result_length_ = 1;
  int n_names_ = 0;
};

}  // namespace

auto random_forms(std::mt19937_64& random) -> RandomForms {
  return Writer(random).write();
}

}  // namespace tacet::testing
