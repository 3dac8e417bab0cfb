#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/run/run_target.h"
#include "compiler/spec/program/call_swaps.h"

namespace tacet::cli {

/// A function that a call goes to, or may go to.
struct Callee {
  std::string name;      ///< as it is called there
  std::string function;  ///< which that is: see `CallSpace::sites`
};

/// A call in a function, and what it may call.
struct CallSite {
  Callee callee;               ///< as written
  uint32_t number = 0;         ///< among the function's calls of it; 0 if it is the only one
  std::vector<Callee> others;  ///< the functions that may be called instead
  std::string module{};        ///< where it is: see `CallSwap`

  /// `function`, whose call it is, calls `other` there.
  [[nodiscard]] auto swap(const std::string& function, const std::string& other) const
      -> program::CallSwap;
};

/// A call that stays as it is, and why: a part of a sentence.
struct CallExclusion {
  program::CallSwap swap;
  std::string why;
};

/// Which functions call which, and which they could call instead: those of the program's own file
/// and of files that it imports, but not those of the library.
class CallSpace {
 public:
  /// The calls that `functions` reach, whatever is chosen. Every alternative was checked alone: the
  /// program is still right with it. Left out are functions that would call the caller again, since
  /// they might never end, externs that no library of `hosts` supplies, and what reveals
  /// intermediate values where the callee does not. The frontend has the program's texts again
  /// afterwards.
  static auto find(program::Frontend& frontend, const LoadedProgram& program,
                   const std::vector<std::string>& functions, const std::set<std::string>& hosts)
      -> CallSpace;

  /// All choices for what `function` calls, directly or not, each without those for calls that it
  /// does not reach; the text as it stands first. With more than `limit` of them, only those in
  /// which one call differs, and `is_cut` is set.
  [[nodiscard]] auto choices_of(const std::string& function, size_t limit, bool& is_cut) const
      -> std::vector<std::vector<program::CallSwap>>;

  /// The calls with alternatives, by function: `main`, and `shapes.area` for those of modules.
  [[nodiscard]] auto sites() const -> const std::map<std::string, std::vector<CallSite>>& {
    return sites_;
  }
  [[nodiscard]] auto exclusions() const -> const std::vector<CallExclusion>& { return exclusions_; }

 private:
  friend class CallSpaceSearch;

  /// By function: all of its calls, of others without alternatives, too.
  std::map<std::string, std::vector<CallSite>> sites_;
  std::vector<CallExclusion> exclusions_;
};

}  // namespace tacet::cli
