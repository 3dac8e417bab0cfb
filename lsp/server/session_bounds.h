#pragma once

#include <cstddef>
#include <cstdint>

#include "formatter/style.h"
#include "lsp/server/documents/document.h"

namespace tacet::lsp {

/// Whether a session reads the files around open documents and those of workspaces.
enum class FileAccess : uint8_t { Readable, None };

/// The limits of a session: none for an editor; tight ones for network clients.
struct SessionBounds {
  FileAccess files = FileAccess::Readable;
  size_t most_documents = SIZE_MAX;
  size_t most_text = Document::kMaxText;  ///< bytes of a document
  formatter::Style style{};               ///< of texts of which no file says it
};

}  // namespace tacet::lsp
