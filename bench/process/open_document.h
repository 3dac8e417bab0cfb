#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bench/process/language_client.h"

namespace tacet::bench {

/// One open document, in which a person types inside a body in its middle.
class OpenDocument {
 public:
  /// `text` is that of a generated module.
  OpenDocument(LanguageClient& client, const std::string& path, const std::string& text);

  /// Types a term in front of an expression, which makes a mistake, or takes it back.
  void type();
  void edit(size_t n_removed, std::string_view inserted);

  /// Waits for the diagnostics of the present version: one error, if the term is there. How many
  /// publications came until then.
  auto wait_for_diagnostics() -> int;

  /// Asks for something about a name, behind its second letter.
  auto ask(std::string_view method) -> std::string;
  /// The same with how long it took; there must be a result.
  auto timed(std::string_view method) -> double;
  /// Asks for something about the lines on the screen.
  auto ask_screen(std::string_view method) -> std::string;

 private:
  struct Place {
    size_t line = 0;
    size_t column = 0;
  };
  static auto place_of(std::string_view text, size_t offset) -> Place;

  LanguageClient& client_;
  std::string uri_;
  Place typing_;
  Place hovered_;
  int version_ = 1;
  bool has_typed_ = false;
};

}  // namespace tacet::bench
