#include <unistd.h>

#include "base/child_process.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"

namespace tacet {

// A page starts no processes: the command runs in the module, which the page ends if it takes too
// long.
auto run_child(const std::vector<std::string>& arguments, const std::string& folder,
               const CancellationToken& /*token*/, const ChildLimits& /*limits*/)
    -> Result<ChildOutput> {
  if (chdir(folder.c_str()) != 0) {
    return Error{"cannot enter the folder of the run"};
  }
  ChildOutput child;
  cli::Output out(child.output), err(child.errors);
  child.exit_code = static_cast<int>(cli::run_command_line({arguments.begin() + 1, arguments.end()},
                                                           cli::library_commands(), out, err));
  return child;
}

}  // namespace tacet
