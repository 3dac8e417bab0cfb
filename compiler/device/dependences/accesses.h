#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/device/dependences/dependences.h"

/// Private to this folder.
namespace tacet::dependences {

/// A statement that reads or writes, in its loops.
struct Step {
  std::vector<size_t> loops{};      ///< the outermost one first
  std::vector<size_t> positions{};  ///< in the bodies of these loops, the function's first
  std::string domain{};             ///< which iterations there are, as isl writes conditions
  FileRange place{};
};

/// Elements of a variable that a statement reads or writes.
struct Access {
  size_t step = 0;
  bool is_write = false;
  Doubt doubt = Doubt::None;  ///< whether it is exactly these elements, in all iterations
  std::string elements{};     ///< `c0 - 1, c1`, with `o0` for any index
  std::string condition{};    ///< on what is any index
};

/// All accesses of a kernel. Counters are `c0`, `c1` by the depth of their loops, parameters
/// `p0` …
struct Accesses {
  std::vector<Loop> loops;
  std::vector<Step> steps;
  std::map<kernel::VariableId, std::vector<Access>> of;
  std::set<std::string> parameters;
};

auto find_accesses(const kernel::Kernel& kernel) -> Accesses;

}  // namespace tacet::dependences
