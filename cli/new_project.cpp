#include "cli/new_project.h"

namespace tacet::cli {

static constexpr std::string_view kReadme = R"(# NAME

A program that computes on encrypted numbers.

* `score.tacet`: the program. The client's answers are secret, the weights are the server's.
* `score_test.tacet`: its test.
* `answers.csv`, `weights.csv`: its inputs.
* `tacet.toml`: settings of this folder.

```
tacet check
tacet test
tacet run score.tacet @answers.csv @weights.csv
tacet run score.tacet --device he @answers.csv @weights.csv
```

The second `run` encrypts the answers. To run client and server as separate processes, compile the
program first:

```
tacet build score.tacet -o score.he
tacet run score.he --role client @answers.csv
tacet run score.he --role server @weights.csv
tacet run score.he --role client
```
)";

static constexpr std::string_view kProgram = R"(#version 0.1.0

/// How well somebody fits: the weighted sum of the answers.
fn(he) score(
    answers: secret [i64; 8] in 0..10 from client,
    weights: [i64; 8] in -5..6 from server,
) -> secret i64 {
    sum(for i: 8 { answers[i] * weights[i] })
}
)";

static constexpr std::string_view kTest = R"(#version 0.1.0

import score

test "the sum is weighted" {
    score([1, 2, 3, 4, 5, 6, 7, 8], [1, 0, -1, 2, 0, 0, 1, -2]) == -3
}

test "no answer, no score" {
    let nothing = [0, 0, 0, 0, 0, 0, 0, 0];
    score(nothing, [5, 5, 5, 5, 5, 5, 5, 5]) == 0
}
)";

static constexpr std::string_view kManifest = R"(name = "NAME"
)";

/// Client and server exchange ciphertexts in one of these; the other holds a secret key.
static constexpr std::string_view kIgnored = R"(*.he
*.exchange/
*.secret
)";

auto project_files() -> std::span<const ProjectFile> {
  static constexpr ProjectFile kFiles[] = {
      {"README.md", kReadme},
      {"score.tacet", kProgram},
      {"score_test.tacet", kTest},
      {"answers.csv", "1, 2, 3, 4, 5, 6, 7, 8\n"},
      {"weights.csv", "1, 0, -1, 2, 0, 0, 1, -2\n"},
      {"tacet.toml", kManifest},
      {".gitignore", kIgnored},
  };
  return kFiles;
}

auto project_text(const ProjectFile& file, std::string_view name) -> std::string {
  static constexpr std::string_view kPlace = "NAME";
  std::string text(file.text);
  for (size_t at = text.find(kPlace); at != std::string::npos;
       at = text.find(kPlace, at + name.size())) {
    text.replace(at, kPlace.size(), name);
  }
  return text;
}

}  // namespace tacet::cli
