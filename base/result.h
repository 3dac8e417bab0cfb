#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tacet {

/// Why an operation on the outside world (file, socket, codec) failed. Problems
/// in the user's program are never an `Error`; they are `Diagnostic` values.
struct Error {
  std::string message;
};

/// Either a value or an `Error`. A stand-in for `std::expected` (C++23) with the
/// same member names, so that it can be replaced by an alias.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] auto has_value() const -> bool { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  auto value() & -> T& { return *std::get_if<0>(&state_); }
  [[nodiscard]] auto value() const& -> const T& { return *std::get_if<0>(&state_); }
  auto value() && -> T&& { return std::move(*std::get_if<0>(&state_)); }

  auto operator*() & -> T& { return value(); }
  auto operator->() -> T* { return &value(); }

  [[nodiscard]] auto error() const -> const Error& { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

/// The result of an operation that has nothing to give back but success.
using Status = Result<std::monostate>;

}  // namespace tacet
