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

/// The scheme of virtual documents that show what the compiler makes of a file.
inline constexpr std::string_view kStageScheme = "tacet-stage";

/// `tacet-stage:/ssa/file%3A///w/a.tacet`: the document that shows a stage of what `uri` names.
auto stage_uri(std::string_view stage, std::string_view uri) -> std::string;

struct StageOfUri {
  std::string stage;
  std::string uri;
};
/// The two again; nothing for other URIs.
auto stage_of_uri(std::string_view uri) -> std::optional<StageOfUri>;

}  // namespace tacet::lsp
