#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Random imperative device functions, as text: nested branches and loops on public and secret
/// values, secret accesses in and out of range, exits everywhere.
namespace tacet::oblivious {

/// A statement as it is written: `head { body } middle { other } tail`, or `head` alone.
struct TextStatement {
  std::string head;
  std::vector<TextStatement> body{};
  std::string middle{};  ///< `else`, before `other`
  std::vector<TextStatement> other{};
  std::string tail{};
  bool is_compound = false;
};

struct TextFunction {
  std::vector<TextStatement> statements;

  /// A file with the function alone.
  [[nodiscard]] auto text() const -> std::string;
};

/// The same for equal seeds.
auto random_function(uint64_t seed) -> TextFunction;

/// All functions that are `function` with one statement taken out, or replaced by what is inside
/// of it: for finding a small one that fails.
auto smaller(const TextFunction& function) -> std::vector<TextFunction>;

}  // namespace tacet::oblivious
