#include "importer/pattern/write_automaton.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formatter/format.h"

namespace tacet::importer::pattern {

namespace {

/// A tree of maps of more states sends more than it saves.
constexpr size_t kMostStatesOfTree = 64;

auto accepts_text(const std::vector<bool>& accepts) -> std::string {
  std::vector<const char*> words;
  for (const bool does : accepts) {
    words.push_back(does ? "true" : "false");
  }
  return fmt::format("[{}]", fmt::join(words, ", "));
}

auto tables_text(const Automaton& automaton, const std::string& name) -> std::string {
  std::vector<std::string> rows;
  for (const std::vector<uint32_t>& row : automaton.next) {
    rows.push_back(fmt::format("[{}]", fmt::join(row, ", ")));
  }
  return fmt::format(
      "const {0}_class_of = [{1}]\nconst {0}_next = [{2}]\nconst {0}_accepts = {3}\n\n", name,
      fmt::join(automaton.class_of, ", "), fmt::join(rows, ", "),
      accepts_text(automaton.accepts_at_end));
}

/// Functions that ask whether an automaton accepts the text, for parties and under encryption.
auto acceptance_text(const Automaton& automaton, const std::string& tables,
                     const std::string& function, const std::string& what) -> std::string {
  const bool is_tree = automaton.n_states() <= kMostStatesOfTree;
  std::string text = tables_text(automaton, tables);
  text += fmt::format(
      "/// {0}: an automaton of {1}.\n"
      "fn(mpc) {2}'<n>(text: secret [u8; n]) -> secret bool {{\n"
      "{4}(text, {3}_class_of, {3}_next, {3}_accepts)\n}}\n\n"
      "/// {0}, under encryption.\n"
      "fn(he) {2}_encrypted'<n>(text: secret [u8; n]) -> secret bool {{\n"
      "is_accepted_in_steps(text, {3}_class_of, {3}_next, {3}_accepts)\n}}\n\n",
      what, size_text(automaton), function, tables,
      is_tree ? "is_accepted" : "is_accepted_in_steps");
  return text;
}

auto places_text(const Automaton& automaton, const std::string& name) -> std::string {
  const std::string tables = name + "_backwards";
  const bool has_two_ends = automaton.accepts_inside != automaton.accepts_at_end;
  std::string text = tables_text(automaton, tables);
  std::string inside = tables + "_accepts";
  std::string whole;
  std::string place = "starts[n - i]";
  if (has_two_ends) {
    inside = tables + "_accepts_inside";
    text += fmt::format(
        "/// Behind the start of the text, where `^` does not match.\n"
        "const {} = {}\n\n",
        inside, accepts_text(automaton.accepts_inside));
    whole = fmt::format(
        "let first = accepted_prefixes(backwards, {0}_class_of, {0}_next, "
        "{0}_accepts);\n",
        tables);
    place = "first[n] if i == 0 else " + place;
  }
  text += fmt::format(
      "/// At which places of the text, its end included, a match starts: an automaton of {0} that "
      "reads\n"
      "/// from the end.\n"
      "fn(mpc) {1}_places'<n>(text: secret [u8; n]) -> secret [bool; n + 1] {{\n"
      "let backwards = for i: n {{ text[n - 1 - i] }};\n"
      "let starts = accepted_prefixes(backwards, {2}_class_of, {2}_next, {3});\n"
      "{4}for i: n + 1 {{ {5} }}\n}}\n\n",
      size_text(automaton), name, tables, inside, whole, place);
  text += fmt::format(
      "/// Where the first match starts, or -1.\n"
      "fn(mpc) {0}_first'<n>(text: secret [u8; n]) -> secret i64 {{\n"
      "let starts = {0}_places(text);\n"
      "let first = min(for i: n + 1 {{ i if starts[i] else n + 1 }});\n"
      "-1 if first == n + 1 else first\n}}\n\n"
      "/// At how many places a match starts; matches may overlap.\n"
      "fn(mpc) {0}_count'<n>(text: secret [u8; n]) -> secret i64 {{\n"
      "sum({0}_places(text))\n}}\n",
      name);
  return text;
}

}  // namespace

auto size_text(const Automaton& automaton) -> std::string {
  const auto counted = [](size_t n, std::string_view one, std::string_view several) {
    return fmt::format("{} {}", n, n == 1 ? one : several);
  };
  return fmt::format("{} and {} of bytes", counted(automaton.n_states(), "state", "states"),
                     counted(automaton.n_classes, "class", "classes"));
}

auto write_automata(const PatternAutomata& automata, const std::string& shown,
                    const std::string& name) -> std::string {
  std::string text = "#version 0.1.0\n\n";
  text += fmt::format(
      "// The regular expression `{}`, as minimal automata. A letter is a byte.\n\n", shown);
  text += "import \"std/text\"\n\n";
  text +=
      acceptance_text(automata.whole, name, name + "_matches", "Whether the whole text matches");
  if (automata.contains) {
    text += acceptance_text(*automata.contains, name + "_anywhere", name + "_occurs",
                            "Whether a part of the text matches");
  }
  if (automata.starts) {
    text += places_text(*automata.starts, name);
  }
  return formatter::format(text, syntax::Language::Module, formatter::Edits::NotWanted).text;
}

}  // namespace tacet::importer::pattern
