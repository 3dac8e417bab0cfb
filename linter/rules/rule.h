#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/syntax/tree.h"

/// What a rule is. A rule is metadata and a function that looks at something: one file, or a few
/// that belong together. It uses facts that were found elsewhere, and knows nothing of how it is
/// run.
namespace tacet::linter {

/// How grave what a rule finds is.
enum class RuleKind : uint8_t {
  /// A leak of a secret that the compiler closes by a rewrite. What the rewrite costs decides its
  /// severity; `obliviousness = "deny"` makes it an error.
  Channel,
  /// A leak that no rewrite closes: always an error.
  Leak,
  /// Nothing leaks: a fault would, so the operation has a value instead, which may not be meant.
  HiddenFault,
  /// Nothing leaks, but something could be better.
  Advice,
};

/// What is done about a finding.
enum class Level : uint8_t {
  Allow,  ///< nothing
  Warn,   ///< reported at the rule's level
  Deny,   ///< it is an error
};

/// Rules that are about the same and are given a level together.
enum class Group : uint8_t {
  Obliviousness,  ///< where secrets steer
  Suspicious,     ///< most likely something else was meant
  DeadCode,       ///< what can be left out
  Style,          ///< how the same is written more plainly
  Specification,  ///< of specifications, and of what follows them
  Performance,    ///< what costs more than needed
  Suppression,    ///< of the comments that change levels
};
inline constexpr size_t kGroups = 7;

/// `dead-code`.
auto group_name(Group group) -> std::string_view;

struct Subject;
class Findings;
struct Coordinator;
class CoordinatorFindings;
struct Text;
class TextFindings;
struct Module;
class ModuleFindings;

/// A rule looks at device functions, at coordinator functions, at the text of items, or at modules.
struct Rule {
  DiagnosticCode code{};
  std::string_view name;  ///< as in `tacet lint --select`: `secret-branch`
  RuleKind kind = RuleKind::Channel;
  void (*check)(const Subject& subject, Findings& findings) = nullptr;
  void (*check_coordinator)(const Coordinator& subject, CoordinatorFindings& findings) = nullptr;

  Group group = Group::Obliviousness;
  Level level = Level::Warn;  ///< where nobody says anything else

  /// Is called for the nodes of these kinds, those around first.
  void (*check_text)(const Text& text, syntax::Node node, TextFindings& findings) = nullptr;
  std::array<syntax::NodeKind, 8> nodes{};  ///< filled up with `Error`
  void (*check_module)(const Module& module, ModuleFindings& findings) = nullptr;
  bool is_checked = false;  ///< `tacet check` reports it too, at any level but `Allow`
};

/// A rule about the text of an item, which looks at nodes of `kinds`.
auto text_rule(DiagnosticCode code, std::string_view name, Group group,
               std::initializer_list<syntax::NodeKind> kinds,
               void (*check)(const Text& text, syntax::Node node, TextFindings& findings),
               Level level = Level::Warn) -> Rule;
/// A rule about device functions in which nothing leaks.
auto device_rule(DiagnosticCode code, std::string_view name, Group group,
                 void (*check)(const Subject& subject, Findings& findings)) -> Rule;
/// A rule about a module.
auto module_rule(DiagnosticCode code, std::string_view name, Group group,
                 void (*check)(const Module& module, ModuleFindings& findings),
                 Level level = Level::Warn) -> Rule;

}  // namespace tacet::linter
