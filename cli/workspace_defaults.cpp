#include "cli/workspace_defaults.h"

#include "cli/find_files.h"
#include "project/manifest.h"

namespace tacet::cli {

static auto device_of(const std::string& name) -> RunDevice {
  return name == "ref"   ? RunDevice::Ref
         : name == "he"  ? RunDevice::He
         : name == "mpc" ? RunDevice::Mpc
                         : RunDevice::Auto;
}

auto with_workspace_defaults(RunOptions options) -> Result<RunOptions> {
  if (!is_source_name(options.file)) {
    return options;
  }
  const std::string path = absolute_path(options.file);
  std::vector<std::string> warnings;  // `tacet check` reports them
  auto workspace = project::find_workspace(path.substr(0, path.rfind('/')), warnings);
  if (!workspace) {
    return workspace.error();
  }
  if (!*workspace) {
    return options;
  }
  const project::Manifest& manifest = (**workspace).manifest;
  if (options.device == RunDevice::Auto) {
    options.device = device_of(manifest.device);
  }
  if (options.tolerance == 0 && manifest.tolerance) {
    options.tolerance = *manifest.tolerance;
  }
  if (!options.names_security && manifest.security) {
    options.security = *manifest.security == 256   ? RunSecurity::Bits256
                       : *manifest.security == 192 ? RunSecurity::Bits192
                                                   : RunSecurity::Bits128;
  }
  return options;
}

}  // namespace tacet::cli
