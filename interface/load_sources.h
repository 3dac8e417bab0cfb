#pragma once

#include "interface/handles.h"

namespace tacet::interface {

/// A module that was read, with what it imports.
auto load_sources(cli::LoadedFile file) -> Result<std::shared_ptr<Sources>>;

}  // namespace tacet::interface
