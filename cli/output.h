#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacet::cli {

/// One of the program's output streams, buffered unless it is a terminal, or a text in memory. Not
/// for use by several threads.
class Output {
 public:
  enum class Buffering : uint8_t { None, Lines, Full };

  Output(int descriptor, Buffering buffering) : descriptor_(descriptor), buffering_(buffering) {}
  /// Appends to `text`, which lives longer.
  explicit Output(std::string& text)
      : descriptor_(kNoDescriptor), buffering_(Buffering::None), text_(&text) {}
  Output(const Output&) = delete;
  auto operator=(const Output&) -> Output& = delete;
  ~Output() { flush(); }

  void write(std::string_view text);
  void flush();

  /// The `errno` of the first write that failed, or 0. After it nothing is written.
  [[nodiscard]] auto error() const -> int { return error_; }

  /// -1 in memory.
  [[nodiscard]] auto descriptor() const -> int { return descriptor_; }

 private:
  static constexpr int kNoDescriptor = -1;

  int descriptor_;
  Buffering buffering_;
  std::string* text_ = nullptr;
  std::string buffer_;
  int error_ = 0;
};

}  // namespace tacet::cli
