#include "tests/sizes/random_generic.h"

#include <fmt/format.h>

#include <vector>

namespace tacet::testing {
namespace {

/// `n_times * n + m_times * m + constant`.
struct Length {
  int64_t n_times = 0;
  int64_t m_times = 0;
  int64_t constant = 0;

  friend auto operator==(const Length&, const Length&) -> bool = default;
};

struct Array {
  std::string name;
  Length length;
};

/// Functions that take functions, and one that is passed.
constexpr std::string_view kPassing =
    "fn(mpc) less'<U: number>(a: secret U, b: secret U) -> secret U { a - b - b }\n"
    "fn(mpc) zipped'<T: number, k>(h: fn(secret T, secret T) -> secret T, x: secret [T; k], y: "
    "secret [T; k]) -> secret [T; k] { for p, q: x, y { h(p, q) } }\n"
    "fn(mpc) twice'<T: number, k>(h: fn(secret T, secret T) -> secret T, x: secret [T; k], y: "
    "secret [T; k]) -> secret [T; k] { zipped(h, zipped(h, x, y), y) }\n"
    "fn(mpc) folded'<T: number, k>(h: fn(secret T, secret T) -> secret T, x: secret [T; k]) -> "
    "secret T { var r = x[0]; for i in 0..k { r = h(r, x[i]); } r }\n";

/// Writes the function once with sizes and once with numbers. The draws are the same for both: the
/// function is a list of lines with places for lengths.
class Writer {
 public:
  Writer(std::mt19937_64& random, RandomSizes sizes, const std::string& type)
      : random_(random), sizes_(sizes), type_(type) {}

  auto write() -> RandomGeneric {
    arrays_ = {{"a", {1, 0, 0}}, {"b", {1, 0, 0}}, {"c", {0, 1, 0}}};
    const uint64_t n_lines = 2 + below(6);
    for (uint64_t i = 0; i < n_lines; ++i) {
      line();
    }
    const Array result = any();
    begin(result.length);
    body_.generic += fmt::format("    {}\n}}\n", result.name);
    body_.numbers += fmt::format("    {}\n}}\n", result.name);
    RandomGeneric made;
    made.is_loop_free = is_loop_free_;
    made.text = fmt::format(
        "#version 0.1.0\n\n"
        "fn(mpc) dot'<T: number, k>(x: secret [T; k], y: secret [T; k]) -> secret T {{ "
        "sum(x * y) }}\n"
        "fn(mpc) tail'<U: integer | fxp, k>(x: secret [U; k + 1]) -> secret [U; k] {{ "
        "for i: k {{ x[i + 1] + k }} }}\n{}{}{}{}",
        kPassing, numbers_of_helpers_, head_.generic + body_.generic,
        head_.numbers + body_.numbers);
    return made;
  }

 private:
  /// The same text in both forms.
  struct Both {
    std::string generic;
    std::string numbers;
  };

  auto below(uint64_t n) -> uint64_t { return random_() % n; }

  auto any() -> const Array& { return arrays_[below(arrays_.size())]; }

  auto value(const Length& length) const -> int64_t {
    return length.n_times * sizes_.n + length.m_times * sizes_.m + length.constant;
  }

  auto text(const Length& length) const -> Both {
    std::string form;
    const auto add = [&](int64_t times, std::string_view name) {
      if (times != 0) {
        form += form.empty() ? "" : " + ";
        form += times == 1 ? std::string(name) : fmt::format("{} * {}", name, times);
      }
    };
    add(length.n_times, "n");
    add(length.m_times, "m");
    if (length.constant != 0 || form.empty()) {
      form += form.empty()          ? fmt::format("{}", length.constant)
              : length.constant > 0 ? fmt::format(" + {}", length.constant)
                                    : fmt::format(" - {}", -length.constant);
    }
    return {form, fmt::format("{}", value(length))};
  }

  /// A form with numbers for the names.
  auto with_numbers(const std::string& form) const -> std::string {
    std::string result;
    for (const char c : form) {
      result += c == 'n'   ? fmt::format("{}", sizes_.n)
                : c == 'm' ? fmt::format("{}", sizes_.m)
                           : std::string(1, c);
    }
    return result;
  }

  void add(const std::string& generic, const std::string& numbers) {
    body_.generic += generic;
    body_.numbers += numbers;
  }

  /// A name for what a line computes, which is in both texts.
  auto named(const Length& length) -> std::string {
    arrays_.push_back({fmt::format("v{}", arrays_.size()), length});
    return arrays_.back().name;
  }

  void begin(const Length& result) {
    const Both length = text(result);
    head_.generic = fmt::format(
        "fn(mpc) f'<T: number, n, m>(a: secret [T; n], b: secret [T; n], c: secret [T; m]) -> "
        "secret [T; {}] where n >= 3, m >= 2 {{\n",
        length.generic);
    head_.numbers = fmt::format(
        "fn(mpc) g(a: secret [{3}; {0}], b: secret [{3}; {0}], c: secret [{3}; {1}]) -> secret "
        "[{3}; {2}] {{\n",
        sizes_.n, sizes_.m, length.numbers, type_);
  }

  void line() {
    switch (below(9)) {
      case 0:
        return elementwise();
      case 1:
        return gathered();
      case 2:
        return inner_product();
      case 3:
        return shortened();
      case 4:
        return stored();
      case 5:
        return equal_elements();
      case 6:
        return passed();
      case 7:
        return folded();
      default:
        return windows();
    }
  }

  /// `for i: L { x[i] + y[i + 1] * n }`
  void gathered() {
    const Array x = any();
    const Array y = any();
    const Length length = below(2) == 0 ? x.length : sum(x.length, y.length);
    const Both at = text(length);
    const std::string name = named(length);
    const uint64_t shift = below(3);
    add(fmt::format("    let {} = for i: {} {{ {}[i] + {}[i + {}] * n }};\n", name, at.generic,
                    x.name, y.name, shift),
        fmt::format("    let {} = for i: {} {{ {}[i] + {}[i + {}] * {} }};\n", name, at.numbers,
                    x.name, y.name, shift, sizes_.n));
  }

  static auto sum(const Length& a, const Length& b) -> Length {
    // Lengths stay small.
    return a.n_times + b.n_times > 3 || a.m_times + b.m_times > 3
               ? a
               : Length{a.n_times + b.n_times, a.m_times + b.m_times, a.constant + b.constant};
  }

  void elementwise() {
    const Array x = any();
    for (const Array& y : arrays_) {
      if (y.length == x.length && y.name != x.name) {
        const std::string line =
            fmt::format(" = {} {} {};\n", x.name, below(2) == 0 ? "-" : "+", y.name);
        const std::string name = named(x.length);
        add("    let " + name + line, "    let " + name + line);
        return;
      }
    }
  }

  /// A call whose size is that of its arguments.
  void inner_product() {
    const Array x = any();
    for (const Array& candidate : arrays_) {
      if (candidate.length == x.length) {
        const Array y = candidate;  // which moves when arrays are added
        const std::string name = named(x.length);
        add(fmt::format("    let {0} = {1} * dot({1}, {2}) + len({1});\n", name, x.name, y.name),
            fmt::format("    let {0} = {1} * dot_{3}({1}, {2}) + {3};\n", name, x.name, y.name,
                        helper("dot", value(x.length))));
        return;
      }
    }
  }

  /// A function that is passed, and passed on: its name in the generic text and in the other.
  auto function_to_pass() -> Both {
    if (below(2) == 0) {
      return {"max", "max"};
    }
    return {"less", helper_text(fmt::format("less_{}", word_of_type()),
                                fmt::format("(a: secret {0}, b: secret {0}) -> secret {0} {{ a - b "
                                            "- b }}",
                                            type_))};
  }

  /// The name of a function with this head and body in the text with numbers.
  auto helper_text(const std::string& name, const std::string& rest) -> std::string {
    const std::string line = fmt::format("fn(mpc) {}{}\n", name, rest);
    if (numbers_of_helpers_.find(line) == std::string::npos) {
      numbers_of_helpers_ += line;
    }
    return name;
  }

  auto word_of_type() const -> std::string {
    std::string word;
    for (const char c : type_) {
      word += c == '<' || c == '>' ? '_' : c;
    }
    return word;
  }

  void passed() {
    const Array x = any();
    for (const Array& candidate : arrays_) {
      if (candidate.length == x.length) {
        const Array y = candidate;
        const Both h = function_to_pass();
        const int64_t n = value(x.length);
        const std::string types = fmt::format(
            "(x: secret [{0}; {1}], y: secret [{0}; {1}]) -> secret [{0}; {1}] {{ ", type_, n);
        const std::string zipped =
            helper_text(fmt::format("zipped_{}_{}", h.numbers, n),
                        types + fmt::format("for p, q: x, y {{ {}(p, q) }} }}", h.numbers));
        const std::string name = named(x.length);
        if (below(2) == 0) {
          add(fmt::format("    let {} = zipped({}, {}, {});\n", name, h.generic, x.name, y.name),
              fmt::format("    let {} = {}({}, {});\n", name, zipped, x.name, y.name));
          return;
        }
        const std::string twice = helper_text(fmt::format("twice_{}_{}", h.numbers, n),
                                              types + fmt::format("{0}({0}(x, y), y) }}", zipped));
        add(fmt::format("    let {} = twice({}, {}, {});\n", name, h.generic, x.name, y.name),
            fmt::format("    let {} = {}({}, {});\n", name, twice, x.name, y.name));
        return;
      }
    }
  }

  void folded() {
    const Array x = any();
    const Both h = function_to_pass();
    const int64_t n = value(x.length);
    is_loop_free_ = false;
    const std::string helper = helper_text(
        fmt::format("folded_{}_{}", h.numbers, n),
        fmt::format("(x: secret [{0}; {1}]) -> secret {0} {{ var r = x[0]; for i in 0..{1} {{ r = "
                    "{2}(r, x[i]); }} r }}",
                    type_, n, h.numbers));
    const std::string name = named(x.length);
    add(fmt::format("    let {0} = {1} + folded({2}, {1});\n", name, x.name, h.generic),
        fmt::format("    let {0} = {1} + {2}({1});\n", name, x.name, helper));
  }

  /// A call whose size is one less than the length of its argument.
  void shortened() {
    const Array x = any();
    if (x.length.constant < -1) {
      return;
    }
    Length length = x.length;
    --length.constant;
    if (length.n_times == 0 && length.m_times == 0) {
      return;
    }
    if (value(length) < 1 || least(length) < 1) {
      return;
    }
    const std::string name = named(length);
    add(fmt::format("    let {} = tail({});\n", name, x.name),
        fmt::format("    let {} = tail_{}({});\n", name, helper("tail", value(length)), x.name));
  }

  /// For the smallest sizes that the constraints leave.
  static auto least(const Length& length) -> int64_t {
    return length.n_times * 3 + length.m_times * 2 + length.constant;
  }

  void stored() {
    const Array x = any();
    is_loop_free_ = false;
    const Both length = text(x.length);
    Both last = text({x.length.n_times, x.length.m_times, x.length.constant - 1});
    last.numbers = with_numbers(last.generic);  // nothing is computed before the kernel is made
    const std::string name = named(x.length);
    const auto loop = [&](const Both& both, bool is_generic) {
      return fmt::format(
          "    var {0}: secret [{5}; {1}] = {2};\n    for i in 0..{3} {{\n        {0}[i + 1] = "
          "{0}[i] + {2}[i + 1] * {4};\n    }}\n",
          name, is_generic ? both.generic : both.numbers, x.name,
          is_generic ? last.generic : last.numbers,
          is_generic ? std::string("m") : fmt::format("{}", sizes_.m),
          is_generic ? std::string("T") : type_);
    };
    add(loop(length, true), loop(length, false));
  }

  void equal_elements() {
    const Array x = any();
    const Both length = text(x.length);
    const std::string name = named(x.length);
    add(fmt::format("    let {} = [{}[0] + 2; {}];\n", name, x.name, length.generic),
        fmt::format("    let {} = for d: {} {{ {}[0] + 2 }};\n", name, length.numbers, x.name));
  }

  void windows() {
    const Array x = any();
    const Both length = text(x.length);
    const std::string name = named(x.length);
    const auto line = [&](const std::string& outer, const std::string& inner) {
      return fmt::format("    let {} = for i: {} {{ sum(for j: {} {{ {}[i + j] * c[j] }}) }};\n",
                         name, outer, inner, x.name);
    };
    add(line(length.generic, "m"), line(length.numbers, fmt::format("{}", sizes_.m)));
  }

  /// The helper with a number, written once.
  auto helper(std::string_view kind, int64_t size) -> int64_t {
    const std::string line =
        kind == "dot" ? fmt::format(
                            "fn(mpc) dot_{0}(x: secret [{1}; {0}], y: secret [{1}; {0}]) -> secret "
                            "{1} {{ sum(x * y) }}\n",
                            size, type_)
                      : fmt::format(
                            "fn(mpc) tail_{0}(x: secret [{2}; {1}]) -> secret [{2}; {0}] {{ for i: "
                            "{0} {{ x[i + 1] + {0} }} }}\n",
                            size, size + 1, type_);
    if (numbers_of_helpers_.find(line) == std::string::npos) {
      numbers_of_helpers_ += line;
    }
    return size;
  }

  std::mt19937_64& random_;
  RandomSizes sizes_;
  std::string type_;
  std::vector<Array> arrays_;
  Both head_;
  Both body_;
  std::string numbers_of_helpers_;
  bool is_loop_free_ = true;
};

}  // namespace

auto random_generic(std::mt19937_64& random, RandomSizes sizes, const std::string& type)
    -> RandomGeneric {
  return Writer(random, sizes, type).write();
}

}  // namespace tacet::testing
