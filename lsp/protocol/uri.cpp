#include "lsp/protocol/uri.h"

#include <fmt/format.h>

namespace tacet::lsp {

static auto hex_digit(char c) -> int {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'F') {
    return c - 'A' + 10;
  }
  return -1;
}

/// `%41` becomes `A`; a percent sign without two digits stands for itself.
static auto percent_decode(std::string_view text) -> std::string {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      int high = hex_digit(text[i + 1]);
      int low = hex_digit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        out += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

static auto is_scheme_file(std::string_view uri) -> bool {
  std::string_view scheme = "file://";
  if (uri.size() < scheme.size()) {
    return false;
  }
  for (size_t i = 0; i < scheme.size(); ++i) {
    char c = uri[i] >= 'A' && uri[i] <= 'Z' ? static_cast<char>(uri[i] - 'A' + 'a') : uri[i];
    if (c != scheme[i]) {
      return false;
    }
  }
  return true;
}

auto path_of_uri(std::string_view uri) -> std::optional<std::string> {
  if (!is_scheme_file(uri)) {
    return std::nullopt;
  }
  uri.remove_prefix(std::string_view("file://").size());
  size_t slash = uri.find('/');
  std::string_view host = uri.substr(0, slash);
  if (slash == std::string_view::npos || !(host.empty() || host == "localhost")) {
    return std::nullopt;
  }
  uri.remove_prefix(slash);
  return percent_decode(uri.substr(0, uri.find_first_of("?#")));
}

static auto percent_encode(std::string_view text) -> std::string {
  std::string out;
  for (char c : text) {
    bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    std::string_view("-._~/").find(c) != std::string_view::npos;
    if (is_plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

auto uri_of_path(std::string_view path) -> std::string {
  return "file://" + percent_encode(path);
}

auto stage_uri(std::string_view stage, std::string_view uri) -> std::string {
  return fmt::format("{}:/{}/{}", kStageScheme, percent_encode(stage), percent_encode(uri));
}

auto stage_of_uri(std::string_view uri) -> std::optional<StageOfUri> {
  if (!uri.starts_with(kStageScheme) || !uri.substr(kStageScheme.size()).starts_with(":/")) {
    return std::nullopt;
  }
  uri.remove_prefix(kStageScheme.size() + 2);
  const size_t slash = uri.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  return StageOfUri{percent_decode(uri.substr(0, slash)), percent_decode(uri.substr(slash + 1))};
}

auto oblivious_uri(std::string_view uri, std::string_view function) -> std::string {
  return fmt::format("{}:{}#{}", kObliviousScheme, uri, function);
}

auto explain_uri(std::string_view code) -> std::string {
  return fmt::format("{}:/{}.md", kExplainScheme, code);
}

/// The rest after `scheme:`; nothing for other schemes.
static auto behind_scheme(std::string_view uri, std::string_view scheme)
    -> std::optional<std::string_view> {
  const bool is_of_scheme = uri.starts_with(scheme) && uri.substr(scheme.size()).starts_with(':');
  return is_of_scheme ? std::optional(uri.substr(scheme.size() + 1)) : std::nullopt;
}

auto oblivious_of_uri(std::string_view uri) -> std::optional<ObliviousOfUri> {
  const auto rest = behind_scheme(uri, kObliviousScheme);
  const size_t hash = rest ? rest->rfind('#') : std::string_view::npos;
  if (hash == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view inner = rest->substr(0, hash);
  // A URI has a colon; where it is encoded, all of the URI is.
  const bool is_encoded = inner.find(':') == std::string_view::npos;
  return ObliviousOfUri{is_encoded ? percent_decode(inner) : std::string(inner),
                        percent_decode(rest->substr(hash + 1))};
}

auto code_of_uri(std::string_view uri) -> std::optional<std::string> {
  constexpr std::string_view kEnding = ".md";
  const auto rest = behind_scheme(uri, kExplainScheme);
  if (!rest || !rest->starts_with('/') || !rest->ends_with(kEnding)) {
    return std::nullopt;
  }
  return std::string(rest->substr(1, rest->size() - 1 - kEnding.size()));
}

}  // namespace tacet::lsp
