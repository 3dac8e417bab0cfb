"""What editors that only know regular expressions need of the grammar: its words, the colour that
the highlighting queries give them, and what must follow a word that may also be a name.

Read from grammar/src/grammar.json, grammar/queries/highlights.scm and, for which words are reserved,
compiler/core/syntax/node_kinds.def.
"""

import collections
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORD = re.compile(r"#?[A-Za-z][A-Za-z0-9_-]*")
END = "end of file"
# Rules whose parts people write on lines of their own: nothing follows on a line of theirs.
LINES = {"source_file", "feq_item", "spec_block"}


def parse_queries(text: str) -> list:
    """The patterns of a query file as nested lists; `(a b)` and `[a b]` begin with `(` and `[`."""
    stack = [[]]
    for token in re.findall(r';[^\n]*|"(?:[^"\\]|\\.)*"|[()\[\]]|[^\s()\[\]"]+', text):
        if token in "([":
            stack.append([token])
        elif token in ")]":
            done = stack.pop()
            stack[-1].append(done)
        elif not token.startswith(";"):
            stack[-1].append(token)
    return stack[0]


class Highlights:
    """What highlights.scm says: the captures of words, of named leaves, of names by their place,
    and the functions that are built in."""

    def __init__(self, text: str):
        self.words = {}
        self.leaves = {}
        self.names = {}
        self.builtins = []
        self.visit(parse_queries(text), None)

    def visit(self, entries: list, parent: str | None, field: str | None = None):
        for i, entry in enumerate(entries):
            following = entries[i + 1] if i + 1 < len(entries) else ""
            capture = following[1:] if isinstance(following, str) else ""
            is_captured = isinstance(following, str) and following.startswith("@")
            if isinstance(entry, list):
                self.visit_group(entry, parent, field, capture if is_captured else None)
                field = None
            elif entry.startswith('"') and is_captured:
                self.words.setdefault(json.loads(entry), {})[parent] = capture
            elif entry.endswith(":"):
                field = entry[:-1]

    def visit_group(self, group: list, parent, field, capture):
        kind = group[1] if len(group) > 1 and isinstance(group[1], str) else None
        if group[0] == "[":
            for member in group[1:]:
                self.visit([member, "@" + capture] if capture else [member], parent, field)
        elif kind == "#any-of?":
            self.builtins = [json.loads(word) for word in group[3:]]
        elif kind and kind.startswith("#"):
            return
        elif capture and len(group) == 2 and kind != "identifier":
            self.leaves[kind] = capture
        elif capture and len(group) == 2:
            self.names[(parent, field)] = capture
        else:
            is_node = kind and WORD.fullmatch(kind)
            self.visit(group[2:] if is_node else group[1:], kind if is_node else parent)
            strings = [entry for entry in group[2:] if isinstance(entry, str) and entry[0] == '"']
            if capture and is_node:
                for word in strings:
                    self.words.setdefault(json.loads(word), {})[kind] = capture


class Grammar:
    """Which tokens can stand behind a word of the grammar, and which behind a name."""

    def __init__(self, rules: dict):
        self.rules = rules
        self.first = {name: set() for name in rules}
        self.empty = {name: False for name in rules}
        self.follow = collections.defaultdict(set)
        # Occurrences of words: word -> the rules in which it is one, and what follows it there.
        self.after_word = collections.defaultdict(set)
        self.homes = collections.defaultdict(set)
        self.to_fixpoint(self.find_first)
        self.follow["source_file"].add(END)
        self.to_fixpoint(self.find_follow)

    def to_fixpoint(self, step):
        changed = True
        while changed:
            changed = step()

    def find_first(self) -> bool:
        changed = False
        for name, rule in self.rules.items():
            first, empty = self.first_of(rule, name)
            changed |= not first <= self.first[name] or empty != self.empty[name]
            self.first[name] |= first
            self.empty[name] |= empty
        return changed

    def first_of(self, rule: dict, name: str) -> tuple:
        """The tokens that `rule` can begin with, and whether it can be empty."""
        kind = rule["type"]
        if kind == "STRING":
            return {rule["value"]}, False
        if kind == "PATTERN" or kind in ("TOKEN", "IMMEDIATE_TOKEN") and "value" not in rule["content"]:
            return {name}, False
        if kind == "BLANK":
            return set(), True
        if kind == "SYMBOL":
            return self.first[rule["name"]], self.empty[rule["name"]]
        if kind == "CHOICE":
            parts = [self.first_of(member, name) for member in rule["members"]]
            return set().union(*(first for first, _ in parts)), any(empty for _, empty in parts)
        if kind == "SEQ":
            found = set()
            for member in rule["members"]:
                first, empty = self.first_of(member, name)
                found |= first
                if not empty:
                    return found, False
            return found, True
        first, empty = self.first_of(rule["content"], name)
        return first, empty or kind == "REPEAT"

    def find_follow(self) -> bool:
        before = sum(len(tokens) for tokens in self.follow.values())
        before += sum(len(tokens) for tokens in self.after_word.values())
        for name, rule in self.rules.items():
            self.walk(rule, name, set(self.follow[name]))
        after = sum(len(tokens) for tokens in self.follow.values())
        return after + sum(len(tokens) for tokens in self.after_word.values()) != before

    def walk(self, rule: dict, name: str, behind: set):
        """Notes that `behind` can follow `rule`, a part of the rule `name`."""
        kind = rule["type"]
        if kind == "STRING":
            if name != "_contextual_word" and WORD.fullmatch(rule["value"]):
                self.after_word[rule["value"]] |= behind
                self.homes[rule["value"]].add(name)
        elif kind == "SYMBOL":
            self.follow[rule["name"]] |= behind
        elif kind == "CHOICE":
            for member in rule["members"]:
                self.walk(member, name, behind)
        elif kind == "SEQ":
            for member in reversed(rule["members"]):
                self.walk(member, name, behind)
                first, empty = self.first_of(member, name)
                if name not in LINES:
                    behind = first | behind if empty else first
        elif kind in ("REPEAT", "REPEAT1"):
            again = set() if name in LINES else self.first_of(rule["content"], name)[0]
            self.walk(rule["content"], name, behind | again)
        elif kind not in ("PATTERN", "BLANK"):
            self.walk(rule["content"], name, behind)


class Vocabulary:
    """Everything of the grammar that the generators of highlighting files ask for."""

    def __init__(self, root: pathlib.Path = ROOT):
        rules = json.loads((root / "grammar/src/grammar.json").read_text())["rules"]
        self.rules = rules
        self.grammar = Grammar(rules)
        self.highlights = Highlights((root / "grammar/queries/highlights.scm").read_text())
        kinds = (root / "compiler/core/syntax/node_kinds.def").read_text()
        self.reserved = set(re.findall(r'^TACET_RESERVED_WORD\(\w+, "([^"]+)"\)', kinds, re.M))

    def colour(self, word: str) -> str | None:
        """The capture that colours `word`; that of a rule which is one token colours its words."""
        captures = self.highlights.words.get(word, {})
        if None in captures:
            return captures[None]
        for home in sorted(self.grammar.homes[word]):
            if home in captures or home in self.highlights.leaves:
                return captures.get(home) or self.highlights.leaves[home]
        return next(iter(captures.values()), None)

    def words(self) -> list:
        """All words of the grammar, in order, with their capture."""
        found = [(word, self.colour(word)) for word in sorted(self.grammar.homes)]
        return [(word, colour) for word, colour in found if colour]

    def pattern(self, rule: str) -> str:
        """The regular expression of a rule that is one token."""
        node = self.rules[rule]
        while "content" in node:
            node = node["content"]
        assert node["type"] == "PATTERN", rule
        return node["value"].replace(r"\/", "/")

    def lookahead(self, word: str) -> str:
        """What must follow `word` for it to be no name: what can follow it and cannot follow a
        name, as a regular expression that all editors know. Empty if there is nothing such."""
        # A call or an index is written without a blank before its bracket, and what has one
        # operand without a blank behind its operator.
        behind = self.grammar.after_word[word] - (self.grammar.follow["_name"] - {"(", "["})
        prefixes = self.grammar.after_word[word] & {"-", "&", "*", "!", "~"}
        after_name = self.grammar.follow["_name"] & set(self.grammar.homes)
        classes = set()
        for token in behind - prefixes:
            if token in ("identifier", "dim") or token in self.grammar.homes:
                classes.add("A-Za-z_")
            elif token in ("integer", "float", "version_number"):
                classes.add("0-9")
            elif token not in self.rules and token != END:
                classes.add(re.escape(token[0]))
            elif token == "string":
                classes.add('"')
        if not classes:
            return ""
        words = "|".join(sorted(after_name - {word}))
        one_of = f"[{''.join(sorted(classes))}]"
        if prefixes:
            one_of = f"(?:{one_of}|[{''.join(sorted(prefixes, key='!&*~-'.index))}]\\S)"
        return rf"(?=\s+(?!(?:{words})\b){one_of}|\s*$)"

    def groups(self) -> list:
        """The words of the grammar as (capture, words, what must follow), in a stable order. A word
        that is reserved, or a type, is a keyword wherever it stands."""
        found = collections.defaultdict(list)
        for word, colour in self.words():
            free = word in self.reserved or colour == "type.builtin" or not WORD.match(word[:1])
            after = self.grammar.after_word[word]
            is_marks = not any(WORD.match(token) for token in after)
            some_after_names = bool(after & self.grammar.follow["_name"] - {"(", "["})
            condition = ("" if free else
                         self.literal_lookahead(word) if is_marks and some_after_names else
                         self.lookahead(word) or self.literal_lookahead(word))
            if condition is not None and self.grammar.homes[word] - {"annotation_place", "quotient"}:
                found[(colour, condition)].append(word)
        return [(colour, words, condition) for (colour, condition), words in sorted(found.items())]

    def literal_lookahead(self, word: str) -> str | None:
        """The punctuation that follows `word`, for words that nothing else distinguishes from names."""
        marks = sorted({token for token in self.grammar.after_word[word] if not WORD.match(token)})
        return rf"(?=\s*(?:{'|'.join(map(re.escape, marks))}))" if marks else None

    def words_of(self, rule: str) -> list:
        """The words of a rule that is a choice of words."""
        text = json.dumps(self.rules[rule])
        return sorted(word for word in re.findall(r'"STRING", "value": "([^"]+)"', text)
                      if WORD.fullmatch(word))

    def heads(self) -> list:
        """The beginning of each item, up to its name, as (rule, regular expression, the captures
        of the groups in it)."""
        found = []
        for rule in sorted(self.rules):
            if rule.endswith("_item") and (rule, "name") in self.highlights.names:
                captures = []
                found.append((rule, self.head(rule, self.rules[rule], captures), captures))
        return found

    def head(self, rule: str, node: dict, captures: list) -> str:
        kind = node["type"]
        if kind == "STRING":
            word = re.escape(node["value"])
            if not WORD.fullmatch(node["value"]):
                captures.append("punctuation.bracket")
                return f"({word})"
            captures.append(self.colour(node["value"]) or "punctuation.bracket")
            return rf"\b({word})\b"
        if kind == "FIELD" and node["name"] in ("name", "device"):
            captures.append(self.highlights.names[(rule, node["name"])])
            return rf"\b({self.pattern('identifier')})"
        if kind == "SYMBOL":
            captures.append(self.highlights.leaves[node["name"]])
            return rf"\b({'|'.join(self.words_of(node['name']))})\b"
        if kind == "CHOICE":
            return rf"(?:{self.head(rule, node['members'][0], captures)}\s*)?"
        if kind == "SEQ":
            parts = []
            for member in node["members"]:
                parts.append(self.head(rule, member, captures))
                if member["type"] == "FIELD" and member["name"] == "name":
                    break
            return r"\s*".join(parts)
        return self.head(rule, node["content"], captures)
