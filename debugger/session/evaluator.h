#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "debugger/session/debuggee.h"
#include "debugger/session/values.h"

namespace tacet::debugger {

/// A variable that an expression can name.
struct VisibleVariable {
  std::string name;
  ValueNode value;
  bool is_available = true;  ///< false: not evaluated at this time
};

/// Where an expression is evaluated.
struct EvaluationSite {
  FileId file;
  names::Device device{};  ///< of the function; `Cpu` also for specifications
  std::vector<VisibleVariable> variables{};
};

/// Evaluates expressions of the language on the variables of a frame: each becomes a function
/// behind the text of the file, which is compiled once for the same variables and types.
class Evaluator {
 public:
  explicit Evaluator(Debuggee& debuggee) : debuggee_(debuggee) {}

  /// The value, with the inputs that it depends on; or why there is none.
  auto evaluate(const std::string& expression, const EvaluationSite& site, const Values& values)
      -> Result<ValueNode>;

 private:
  struct Compiled {
    interpret::DebugCompilation compilation;
    std::string problem;
  };

  auto compile(const std::string& text, FileId file, const std::string& item) -> Compiled;
  auto run(const Compiled& compiled, const std::vector<const VisibleVariable*>& arguments,
           const Values& values) -> Result<ValueNode>;

  Debuggee& debuggee_;
  std::map<std::string, Compiled> compiled_;  ///< by the text of the function and its file
  std::map<uint32_t, std::shared_ptr<const std::string>> texts_;  ///< of files, unchanged
};

}  // namespace tacet::debugger
