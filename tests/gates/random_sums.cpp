#include "tests/gates/random_sums.h"

#include <fmt/format.h>

#include <iterator>

namespace tacet::testing {

namespace {

constexpr std::string_view kTypes[] = {"i8", "u8", "i16", "u16", "i32"};
constexpr size_t kVariables = 3;
constexpr size_t kElements = 3;

class SumWriter {
 public:
  explicit SumWriter(Random& random) : random_(random) {}

  auto write() -> std::string {
    std::string text = fmt::format(
        "#version 0.1.0\n\nfn(he) f(x: secret [i8; 4] in -4..6, b: secret u8 in 0..5, "
        "w: secret i8) -> (secret {}, secret {}, secret {}, secret [{}; {}]) {{\n",
        types_[0] = any_type(), types_[1] = any_type(), types_[2] = any_type(),
        array_type_ = any_type(), kElements);
    for (size_t k = 0; k < kVariables; ++k) {
      text += fmt::format("    var v{}: secret {} = {};\n", k, types_[k], below(3));
    }
    text +=
        fmt::format("    var a: secret [{}; {}] = [{}, 0, 1];\n", array_type_, kElements, below(4));
    for (size_t n = 1 + below(3); n-- > 0;) {
      text += loop(1);
    }
    return text + "    (v0, v1, v2, a)\n}\n";
  }

 private:
  auto below(size_t n) -> size_t { return random_() % n; }
  auto any_type() -> std::string_view { return kTypes[below(std::size(kTypes))]; }

  /// A value that does not depend on the variables.
  auto term(std::string_view type) -> std::string {
    switch (below(5)) {
      case 0:
        return fmt::format("{}", below(4));
      case 1:
        return fmt::format("(x[{}] as {})", below(4), type);
      case 2:
        return fmt::format("(b as {})", type);
      case 3:
        return depth_ > 1 ? fmt::format("(i{} as {})", 1 + below(depth_ - 1), type) : "1";
      default:
        return below(4) == 0 ? fmt::format("(w as {})", type) : "2";
    }
  }

  auto place() -> std::pair<std::string, std::string_view> {
    const size_t k = below(kVariables + 1);
    return k < kVariables ? std::pair(fmt::format("v{}", k), types_[k])
                          : std::pair(fmt::format("a[{}]", below(kElements)), array_type_);
  }
  /// A variable or an element, as a value of a type.
  auto read(std::string_view type) -> std::string {
    const auto [text, own] = place();
    return own == type ? text : fmt::format("({} as {})", text, type);
  }

  auto value(const std::string& self, std::string_view type) -> std::string {
    switch (below(14)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return fmt::format("{} + {}", self, term(type));
      case 4:
      case 5:
        return fmt::format("{} - {}", self, term(type));
      case 6:
        return fmt::format("{} + {}", read(type), term(type));
      case 7:
        return fmt::format("min({}, {})", self, read(type));
      case 8:
        return fmt::format("max({} + {}, {})", self, term(type), term(type));
      case 9:
        return fmt::format("({} + {} if b > {} else {})", self, term(type), below(5), read(type));
      case 10:
        return fmt::format("{} + {}", self, read(type));
      case 11:
        return fmt::format("{} - {}", term(type), self);
      case 12:
        return fmt::format("{} + sum(for k: 4 {{ (x[k] as {}) }})", self, type);
      default:
        return term(type);
    }
  }

  auto indent() const -> std::string { return std::string(4 * depth_, ' '); }

  auto statement() -> std::string {
    if (depth_ < 3 && below(6) == 0) {
      return loop(depth_);
    }
    const auto [text, type] = place();
    const std::string assigned = fmt::format("{} = {};", text, value(text, type));
    return below(4) == 0 ? fmt::format("{}if b < {} {{ {} }}\n", indent(), below(6), assigned)
                         : indent() + assigned + "\n";
  }

  auto loop(size_t depth) -> std::string {
    depth_ = depth;
    std::string text = fmt::format("{}for i{} in 0..{} {{\n", indent(), depth, below(7));
    ++depth_;
    for (size_t n = 1 + below(3); n-- > 0;) {
      text += statement();
    }
    depth_ = depth;
    return text + indent() + "}\n";
  }

  Random& random_;
  std::string_view types_[kVariables];
  std::string_view array_type_;
  size_t depth_ = 1;
};

}  // namespace

auto random_sums(Random& random) -> std::string {
  return SumWriter(random).write();
}

}  // namespace tacet::testing
