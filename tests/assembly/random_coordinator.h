#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// Random modules of coordinator functions, for tests of what compiles and runs them.
namespace tacet::testing {

/// Functions `f0`, `f1`, … `(a: i64, b: i64) -> i64` of everything that such functions do:
/// variables, references, `if`s, calls, recursion, arrays, encodings. Names and types are right;
/// they compute something else than their specification says.
class FreeModule {
 public:
  explicit FreeModule(uint64_t seed) : random_(seed) {}

  auto write(size_t n_functions) -> std::string;

 private:
  auto below(size_t n) -> size_t { return random_() % n; }
  auto pick(const std::vector<std::string>& names) -> const std::string& {
    return names[below(names.size())];
  }
  auto fresh(char letter) -> std::string;
  void function(size_t number);
  void recursive_function(size_t number);
  auto statements(int depth) -> std::string;
  auto statement(int depth) -> std::string;
  auto block(int depth) -> std::string;
  auto value_block(int depth) -> std::string;
  auto encoding() -> std::string;
  auto array() -> std::string;
  auto of_array(const std::string& t, const std::string& k) -> std::string;
  auto element(const std::string& array, const std::string& index) -> std::string;
  auto expression(int depth) -> std::string;
  auto condition() -> std::string;
  auto call() -> std::string;

  std::mt19937_64 random_;
  std::string text_;
  size_t n_names_ = 0;
  size_t n_calls_left_ = 0;
  size_t n_functions_ = 0;           ///< that may be called
  std::vector<std::string> values_;  ///< in scope
  std::vector<std::string> variables_;
};

/// Functions `f0`, … of three `i64` with a specification `s0`, … each that they conform to.
auto conforming_module(uint64_t seed, size_t n_functions) -> std::string;

}  // namespace tacet::testing
