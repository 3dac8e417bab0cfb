#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// The wire format of protocol buffers: a message is a sequence of numbered fields.
namespace tacet::importer {

enum class WireKind : uint8_t { Varint, Fixed64, Bytes, Fixed32 };

/// A field of a message. `bytes` is a part of the text that was read.
struct WireField {
  uint32_t number = 0;
  WireKind kind = WireKind::Varint;
  uint64_t value = 0;      ///< of all kinds but `Bytes`
  std::string_view bytes;  ///< of `Bytes`: text, a message, or packed numbers
};

/// Reads the fields of a message in order. Takes no memory, and never reads beyond its text.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// The next field; nothing at the end, or where the message is malformed.
  auto next() -> std::optional<WireField>;

  /// Whether everything up to here was well-formed.
  [[nodiscard]] auto is_valid() const -> bool { return is_valid_; }

 private:
  auto varint() -> uint64_t;
  auto fixed(size_t n_bytes) -> uint64_t;
  auto fail() -> uint64_t;

  std::string_view rest_;
  bool is_valid_ = true;
};

/// Appends the integers of a repeated field: one, or several that are packed.
[[nodiscard]] auto append_integers(const WireField& field, std::vector<int64_t>& numbers) -> bool;

/// The same for numbers of 4 and 8 bytes, which are `float` and `double`.
[[nodiscard]] auto append_floats(const WireField& field, std::vector<double>& numbers) -> bool;
[[nodiscard]] auto append_doubles(const WireField& field, std::vector<double>& numbers) -> bool;

}  // namespace tacet::importer
