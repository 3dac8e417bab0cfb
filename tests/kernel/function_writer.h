#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/kernel/random_function.h"

/// Private to this folder.
namespace tacet::testing {

/// What all that writes functions line by line has: chances, names, blocks.
class FunctionWriter {
 protected:
  FunctionWriter(Random& random, const FunctionOptions& options)
      : random_(random), options_(options) {}

  auto below(uint64_t n) -> uint64_t { return random_() % n; }
  auto between(int64_t low, int64_t high) -> int64_t {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low + 1)));
  }
  auto percent(uint64_t of_a_hundred) -> bool { return below(100) < of_a_hundred; }
  auto one_in(uint64_t n) -> bool { return below(n) == 0; }
  auto one_of(const std::vector<std::string>& texts) -> const std::string& {
    return texts[below(texts.size())];
  }
  auto new_name(std::string_view prefix) -> std::string {
    return fmt::format("{}{}", prefix, n_names_++);
  }

  void line(std::string_view text) {
    text_.append(4 * indent_, ' ');
    text_ += text;
    text_ += '\n';
  }
  /// `head {`, what `body` writes, `}` and `tail`.
  template <class Body>
  void block(std::string_view head, const Body& body, std::string_view tail = "") {
    line(fmt::format("{} {{", head));
    inside(body);
    line(fmt::format("}}{}", tail));
  }
  template <class Then, class Otherwise>
  void choice(std::string_view condition, const Then& then, const Otherwise& otherwise,
              bool has_otherwise) {
    line(fmt::format("if {} {{", condition));
    inside(then);
    if (has_otherwise) {
      line("} else {");
      inside(otherwise);
    }
    line("}");
  }

  Random& random_;
  const FunctionOptions& options_;
  std::string text_ = "#version 0.1.0\n\n";

 private:
  template <class Body>
  void inside(const Body& body) {
    ++indent_;
    body();
    --indent_;
  }

  size_t indent_ = 0;
  uint64_t n_names_ = 0;
};

/// Of each shape, as text.
auto steered_function(Random& random, const FunctionOptions& options) -> std::string;
auto array_function(Random& random, const FunctionOptions& options) -> std::string;
auto state_function(Random& random, const FunctionOptions& options) -> std::string;

}  // namespace tacet::testing
