#pragma once

#include <string>

#include "importer/pattern/automaton.h"

/// Private to the importer.
namespace tacet::importer::pattern {

/// The automata of a pattern; those that would be too large are absent.
struct PatternAutomata {
  Automaton whole;
  std::optional<Automaton> contains{}, starts{};
};

/// `4 states and 3 classes of bytes`.
auto size_text(const Automaton& automaton) -> std::string;

/// A module with the tables and the functions of a pattern, formatted. `shown`: the pattern in one
/// line.
auto write_automata(const PatternAutomata& automata, const std::string& shown,
                    const std::string& name) -> std::string;

}  // namespace tacet::importer::pattern
