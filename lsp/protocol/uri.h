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

/// The scheme of the oblivious form of a function: `tacet-oblivious:file:///w/a.tacet#f`.
inline constexpr std::string_view kObliviousScheme = "tacet-oblivious";

/// The scheme of the pages that explain diagnostics: `tacet-explain:/T1001.md`.
inline constexpr std::string_view kExplainScheme = "tacet-explain";

/// The scheme of the library's modules: `tacet-library:/std/sets.tacet`.
inline constexpr std::string_view kLibraryScheme = "tacet-library";

auto oblivious_uri(std::string_view uri, std::string_view function) -> std::string;
auto explain_uri(std::string_view code) -> std::string;

struct ObliviousOfUri {
  std::string uri;
  std::string function;
};
/// The two again; nothing for other URIs. Some clients encode the inner URI once more, as a path.
auto oblivious_of_uri(std::string_view uri) -> std::optional<ObliviousOfUri>;
/// `T1001`; nothing for other URIs.
auto code_of_uri(std::string_view uri) -> std::optional<std::string>;

struct StageOfUri {
  std::string stage;
  std::string uri;
};
/// The two again; nothing for other URIs.
auto stage_of_uri(std::string_view uri) -> std::optional<StageOfUri>;

}  // namespace tacet::lsp
