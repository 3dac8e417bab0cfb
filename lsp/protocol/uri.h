#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tacet::lsp {

/// The path that a `file:` URI names, decoded; nothing for other schemes (`untitled:`,
/// `git:`) and for files of another host.
auto path_of_uri(std::string_view uri) -> std::optional<std::string>;

/// A `file:` URI for an absolute path. Everything but letters, digits and `-._~/` is
/// percent-encoded. A document that a client opened is answered with the client's own
/// URI instead, since clients compare them as strings.
auto uri_of_path(std::string_view path) -> std::string;

}  // namespace tacet::lsp
