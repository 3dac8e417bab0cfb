#include "tests/generator/random_program.h"

#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace tacet::testing {

using Json = nlohmann::json;

struct ProgramGenerator::Grammar {
  Json rules;
};

ProgramGenerator::ProgramGenerator() : grammar_(std::make_unique<Grammar>()) {
  std::ifstream file(TACET_GRAMMAR_JSON);
  grammar_->rules = Json::parse(file).at("rules");
}

ProgramGenerator::~ProgramGenerator() = default;

namespace {

auto below(Random& random, size_t n) -> size_t {
  return random() % n;
}

template <size_t N>
auto pick(Random& random, const std::array<const char*, N>& from) -> std::string {
  return from[below(random, N)];
}

/// One derivation in progress.
class Derivation {
 public:
  Derivation(const Json& rules, Random& random, int budget)
      : rules_(rules), random_(random), budget_(budget) {}

  void symbol(const std::string& name) {
    if (lexical(name)) {
      return;
    }
    rule(rules_.at(name));
  }

  void rule(const Json& r) {
    const std::string& type = r.at("type").get_ref<const std::string&>();
    if (type == "SEQ") {
      for (const Json& member : r.at("members")) {
        rule(member);
      }
    } else if (type == "CHOICE") {
      choice(r.at("members"));
    } else if (type == "REPEAT" || type == "REPEAT1") {
      size_t n = (type == "REPEAT1" ? 1 : 0) + (budget_ > 0 ? below(random_, 3) : 0);
      for (size_t i = 0; i < n; ++i) {
        rule(r.at("content"));
      }
    } else if (type == "SYMBOL") {
      symbol(r.at("name"));
    } else if (type == "STRING") {
      token(r.at("value"));
    } else if (type == "BLANK") {
    } else if (type == "IMMEDIATE_TOKEN") {
      immediate_ = true;
      rule(r.at("content"));
    } else {
      rule(r.at("content"));
    }
  }

  auto take() -> std::string { return std::move(text_); }

 private:
  /// Once the budget is spent, the alternative that ends soonest.
  void choice(const Json& members) {
    if (budget_ > 0) {
      rule(members[below(random_, members.size())]);
      return;
    }
    size_t best = 0;
    int best_height = 1 << 20;
    for (size_t i = 0; i < members.size(); ++i) {
      int h = height(members[i], 0);
      if (h < best_height) {
        best_height = h;
        best = i;
      }
    }
    rule(members[best]);
  }

  auto height(const Json& r, int depth) -> int {
    const std::string& type = r.at("type").get_ref<const std::string&>();
    if (type == "STRING" || type == "BLANK" || type == "PATTERN" || type == "TOKEN" ||
        type == "REPEAT") {
      return type == "BLANK" || type == "REPEAT" ? 0 : 1;
    }
    if (type == "SYMBOL") {
      const std::string& name = r.at("name").get_ref<const std::string&>();
      if (auto known = heights_.find(name); known != heights_.end()) {
        return known->second;
      }
      if (depth > 24) {
        return 1 << 16;
      }
      heights_[name] = 1 << 16;  // while in progress: a loop does not terminate
      int h = height(rules_.at(name), depth + 1) + 1;
      if (h < (1 << 16)) {
        heights_[name] = h;
      } else {
        heights_.erase(name);
      }
      return h;
    }
    if (type == "SEQ") {
      int sum = 0;
      for (const Json& member : r.at("members")) {
        sum += height(member, depth + 1);
      }
      return std::min(sum, 1 << 16);
    }
    if (type == "CHOICE") {
      int least = 1 << 16;
      for (const Json& member : r.at("members")) {
        least = std::min(least, height(member, depth + 1));
      }
      return least;
    }
    return height(r.at("content"), depth + 1);
  }

  /// Leaves that the grammar writes as patterns.
  auto lexical(const std::string& name) -> bool {
    static constexpr std::array<const char*, 14> kNames = {
        "a", "b", "x", "y_1", "Foo", "f", "n", "rec_sum", "x_gpu", "copy", "call", "e", "q", "k2"};
    static constexpr std::array<const char*, 5> kIntegers = {"0", "1", "42", "007", "123456789"};
    if (name == "identifier") {
      token(pick(random_, kNames));
    } else if (name == "integer") {
      token(pick(random_, kIntegers));
    } else if (name == "float") {
      token(below(random_, 2) != 0 ? "1.5" : "0.25");
    } else if (name == "string") {
      token(below(random_, 2) != 0 ? "\"a // b\"" : "\"\"");
    } else if (name == "dim") {
      token("_dim" + std::to_string(below(random_, 10)));
    } else if (name == "version_number") {
      token("0.1.0");
    } else if (name == "flow") {
      static constexpr std::array<const char*, 5> kFlows = {"-usable", "-saved", "-need", "-dead",
                                                            "-?"};
      token(pick(random_, kFlows));
    } else {
      return false;
    }
    return true;
  }

  void token(const std::string& text) {
    --budget_;
    if (!immediate_ && !text_.empty()) {
      switch (below(random_, 24)) {
        case 0:
          text_ += "\n";
          break;
        case 1:
          text_ += " // note\n";
          break;
        case 2:
          text_ += " /* x ** */ ";
          break;
        case 3:
          text_ += "\r\n\t";
          break;
        case 4:
          text_ += "\n/// doc\n";
          break;
        default:
          text_ += " ";
      }
    }
    immediate_ = false;
    text_ += text;
  }

  const Json& rules_;
  Random& random_;
  int budget_;
  bool immediate_ = false;
  std::string text_;
  std::map<std::string, int> heights_;
};

}  // namespace

auto ProgramGenerator::program(Random& random, Start start, int size) const -> std::string {
  Derivation derivation(grammar_->rules, random, size);
  const Json& form =
      grammar_->rules.at("source_file").at("members")[start == Start::Module ? 0 : 1];
  if (start == Start::ArrayProgram) {
    derivation.rule(form);
    return derivation.take();
  }
  derivation.symbol("version_header");
  std::string text = derivation.take();
  while (static_cast<int>(text.size()) < 6 * size) {
    Derivation item(grammar_->rules, random, size / 2);
    item.symbol("_item");
    text += "\n" + item.take();
  }
  return text;
}

auto mutate(Random& random, std::string text, const std::string& other) -> std::string {
  static constexpr std::array<const char*, 40> kPieces = {"{",        "}",        "(",
                                                          ")",        "[",        "]",
                                                          "<",        ">",        "'",
                                                          "\"",       ";",        ",",
                                                          ":",        ":-",       "<-",
                                                          "->",       "@",        "@in",
                                                          "if ",      " else ",   "let ",
                                                          "in ",      "fn ",      "val ",
                                                          "returns ", "encode ",  "/*",
                                                          "*/",       "//",       "\n",
                                                          "\r",       "\xC3\xA9", "\xFF",
                                                          "-",        "-usable",  "await ",
                                                          "???",      "..",       "#version 0.1.0",
                                                          "."};
  size_t n_edits = 1 + below(random, 3);
  for (size_t i = 0; i < n_edits; ++i) {
    size_t at = text.empty() ? 0 : below(random, text.size() + 1);
    size_t length = std::min(text.size() - at, below(random, 20));
    switch (below(random, 6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, pick(random, kPieces));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(below(random, 256)));
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        if (!other.empty()) {
          size_t from = below(random, other.size());
          text.insert(at, other.substr(from, below(random, 40)));
        }
        break;
      default:
        text.replace(at, std::min<size_t>(length, 3), pick(random, kPieces));
        break;
    }
  }
  return text;
}

}  // namespace tacet::testing
