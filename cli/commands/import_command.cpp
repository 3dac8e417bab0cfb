#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>

#include "cli/atomic_write.h"
#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/values/data_source.h"
#include "cli/values/result_arrays.h"
#include "cli/values/value_shape.h"
#include "cli/values/values.h"
#include "importer/import.h"
#include "importer/import_pattern.h"

namespace tacet::cli {

namespace fs = std::filesystem;

namespace {

struct ImportCommandOptions {
  std::string model;
  std::string out;
  std::string function;  ///< `model` or `pattern`, if empty
  std::optional<std::string> regex;
  importer::Target target = importer::Target::Auto;
  int64_t batch = 1;
  double within = 0;
  std::vector<std::string> ranges;
  std::vector<std::string> samples;
  std::vector<std::string> results;
  bool leaves_last_softmax = false;
  bool lists_operators = false;
};

/// `x=0..1`, or `0..1` for the only input.
auto parse_range(const std::string& text, const std::vector<importer::NamedArray>& inputs,
                 importer::ImportOptions& options) -> Status {
  const size_t equals = text.find('=');
  const std::string name = equals == std::string::npos ? inputs[0].name : text.substr(0, equals);
  const std::string bounds = equals == std::string::npos ? text : text.substr(equals + 1);
  const size_t dots = bounds.find("..");
  importer::Interval range;
  const auto number = [](std::string_view part, double& value) {
    const auto parsed = std::from_chars(part.data(), part.data() + part.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == part.data() + part.size();
  };
  const std::string_view view = bounds;
  if ((equals == std::string::npos && inputs.size() != 1) || dots == std::string::npos ||
      !number(view.substr(0, dots), range.lo) || !number(view.substr(dots + 2), range.hi) ||
      !(range.lo < range.hi)) {
    return Error{fmt::format("`--range {}`: expected NAME=LO..HI", text)};
  }
  for (const importer::NamedArray& input : inputs) {
    if (input.name == name) {
      options.ranges[name] = range;
      return std::monostate{};
    }
  }
  return Error{fmt::format("`--range {}`: the model has no input `{}`", text, name)};
}

/// The numbers of a file, of whatever shape they have.
auto read_numbers(const std::string& name, const std::string& text) -> Result<importer::Tensor> {
  importer::Tensor tensor;
  for (size_t rank = 1; rank <= 6; ++rank) {
    Result<std::optional<std::vector<int64_t>>> shape =
        shape_of_value(text, std::vector<int64_t>(rank, -1));
    if (!shape || !*shape || (*shape)->size() != rank) {
      continue;
    }
    interpret::EntryParameter parameter;
    parameter.name = name;
    parameter.type.kind = interpret::ElementKind::F64;
    parameter.shape.assign((*shape)->begin(), (*shape)->end());
    ValueReader reader([] { return engine::PublicRandomKey{}; });
    Result<interpret::Value> value = reader.read(parameter, text);
    if (!value) {
      return value.error();
    }
    tensor.shape = **shape;
    for (const interpret::Cell cell : value->cells) {
      tensor.values.push_back(std::bit_cast<double>(cell));
    }
    return tensor;
  }
  return Error{fmt::format("`--calibrate {}`: expected an array of numbers", text)};
}

/// `x=@samples.npy`, or `samples.npy` for the only input.
auto parse_samples(const std::string& given, const std::vector<importer::NamedArray>& inputs,
                   importer::ImportOptions& options) -> Status {
  const size_t equals = given.find('=');
  const bool has_name = equals != std::string::npos;
  if (!has_name && inputs.size() != 1) {
    return Error{fmt::format("`--calibrate {}`: expected NAME=@FILE, since there are {} inputs",
                             given, inputs.size())};
  }
  const std::string name = has_name ? given.substr(0, equals) : inputs[0].name;
  std::string text = has_name ? given.substr(equals + 1) : given;
  if (!text.starts_with('@')) {
    text.insert(0, "@");
  }
  for (const importer::NamedArray& input : inputs) {
    if (input.name == name) {
      Result<importer::Tensor> tensor = read_numbers(name, text);
      if (!tensor) {
        return tensor.error();
      }
      options.samples[name] = std::move(*tensor);
      return std::monostate{};
    }
  }
  return Error{fmt::format("`--calibrate {}`: the model has no input `{}`", given, name)};
}

/// `model.weights.npz` beside `model.tacet`.
auto weights_path(const std::string& out) -> fs::path {
  return fs::path(out).replace_extension(".weights.npz");
}

auto weights_archive(const std::vector<importer::NamedArray>& arrays) -> Result<std::string> {
  std::vector<interpret::EntryResult> results;
  std::vector<interpret::Value> values;
  for (const importer::NamedArray& array : arrays) {
    interpret::ElementType type;
    switch (array.tensor.elements) {
      case importer::Elements::Real:
        type.kind = interpret::ElementKind::F64;
        break;
      case importer::Elements::Integer:
        type.kind = interpret::ElementKind::I64;
        break;
      case importer::Elements::Boolean:
        type.kind = interpret::ElementKind::Bool;
        break;
    }
    interpret::Value value;
    value.type = type;
    value.shape.assign(array.tensor.shape.begin(), array.tensor.shape.end());
    for (const double number : array.tensor.values) {
      value.cells.push_back(array.tensor.elements == importer::Elements::Real
                                ? std::bit_cast<uint64_t>(number)
                                : static_cast<uint64_t>(importer::as_integer(number)));
    }
    interpret::EntryResult result;
    result.name = array.name;
    result.type = type;
    results.push_back(std::move(result));
    values.push_back(std::move(value));
  }
  return npz_of_results(results, values);
}

/// A word of a command line, in quotes where a shell needs them.
auto shell_word(const std::string& word) -> std::string {
  constexpr std::string_view kSafe = "/._-+@=:,";
  std::string quoted = "'";
  bool is_safe = !word.empty();
  for (const char c : word) {
    is_safe = is_safe && (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                          kSafe.find(c) != std::string_view::npos);
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return is_safe ? word : quoted + "'";
}

/// Names in a model are bytes of its author's choice: without what a terminal would obey.
auto one_line(std::string text) -> std::string {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

class Import {
 public:
  Import(const ImportCommandOptions& options, Invocation& invocation)
      : options_(options), invocation_(invocation) {}

  auto run() -> ExitCode {
    Result<std::string> model = read_data_file(options_.model);
    if (!model) {
      invocation_.error(model.error().message);
      return ExitCode::Failed;
    }
    const importer::ReadBeside read_beside = [&](const std::string& name) {
      return read_data_file((fs::path(options_.model).parent_path() / name).string());
    };
    Result<importer::ImportOptions> options = import_options(*model, read_beside);
    if (!options) {
      return fails(options.error());
    }
    Result<importer::Imported> imported = importer::import_model(*model, read_beside, *options);
    return imported ? write(*imported) : fails(imported.error());
  }

 private:
  auto fails(const Error& error) -> ExitCode {
    invocation_.error(fmt::format("{}: {}", options_.model, one_line(error.message)));
    return ExitCode::Failed;
  }

  auto import_options(const std::string& model, const importer::ReadBeside& read_beside)
      -> Result<importer::ImportOptions> {
    importer::ImportOptions options;
    options.function = options_.function;
    options.target = options_.target;
    options.batch = options_.batch;
    options.outputs = options_.results;
    options.leaves_last_softmax = options_.leaves_last_softmax;
    options.weights_file = weights_path(options_.out).filename().string();
    if (options_.within > 0) {
      options.within = options_.within;
    }
    if (options_.ranges.empty() && options_.samples.empty()) {
      return options;
    }
    Result<std::vector<importer::NamedArray>> inputs =
        importer::inputs_of_model(model, read_beside, options_.batch);
    if (!inputs) {
      return inputs.error();
    }
    for (const std::string& range : options_.ranges) {
      if (Status parsed = parse_range(range, *inputs, options); !parsed) {
        return parsed.error();
      }
    }
    for (const std::string& sample : options_.samples) {
      if (Status parsed = parse_samples(sample, *inputs, options); !parsed) {
        return parsed.error();
      }
    }
    return options;
  }

  auto write(const importer::Imported& imported) -> ExitCode {
    const std::string weights = weights_path(options_.out).string();
    Result<std::string> archive = weights_archive(imported.weights);
    if (!archive) {
      return fails(archive.error());
    }
    if (Status written = write_or_create(options_.out, imported.source); !written) {
      return fails(written.error());
    }
    if (!imported.weights.empty()) {
      if (Status written = write_or_create(weights, *archive); !written) {
        return fails(written.error());
      }
    }
    for (const std::string& warning : imported.warnings) {
      invocation_.warning(one_line(warning));
    }
    report(imported, weights);
    return ExitCode::Done;
  }

  void report(const importer::Imported& imported, const std::string& weights) {
    const bool is_for_parties = imported.target == importer::Target::Mpc;
    std::string next = fmt::format("tacet run {} --fn {} --device {}", shell_word(options_.out),
                                   options_.function, is_for_parties ? "mpc" : "he");
    for (const std::string& input : imported.inputs) {
      next += fmt::format(" --input {0}=@{0}.npy", input);
      const bool is_bounded = !options_.ranges.empty() || !options_.samples.empty();
      next += is_bounded || is_for_parties ? "" : fmt::format(" --range {}=LO..HI", input);
    }
    if (!imported.weights.empty()) {
      next += fmt::format(" --input @{}", shell_word(weights));
    }
    invocation_.err.write(
        fmt::format("imported {} nodes as {} statements into `{}`{}; next:\n  {}\n",
                    imported.n_nodes, imported.n_statements, options_.out,
                    imported.weights.empty()
                        ? ""
                        : fmt::format(", {} arrays into `{}`", imported.weights.size(), weights),
                    next));
  }

  const ImportCommandOptions& options_;
  Invocation& invocation_;
};

auto import_regex(const ImportCommandOptions& options, Invocation& invocation) -> ExitCode {
  Result<importer::ImportedPattern> imported =
      importer::import_pattern(*options.regex, options.function);
  if (!imported) {
    invocation.error(fmt::format("`--regex`: {}", imported.error().message));
    return ExitCode::Failed;
  }
  if (Status written = write_or_create(options.out, imported->source); !written) {
    invocation.error(written.error().message);
    return ExitCode::Failed;
  }
  for (const std::string& warning : imported->warnings) {
    invocation.warning(warning);
  }
  invocation.err.write(
      fmt::format("imported an automaton of {} into `{}`; next:\n"
                  "  tacet run {} --fn {}_matches --device mpc --input text=@text.npy\n",
                  imported->size, options.out, shell_word(options.out), options.function));
  return ExitCode::Done;
}

auto is_name(const std::string& text) -> bool {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
         });
}

auto import_or_list(ImportCommandOptions options, Invocation& invocation) -> ExitCode {
  if (options.lists_operators) {
    invocation.out.write(fmt::format("{}\n", fmt::join(importer::operator_names(), "\n")));
    return ExitCode::Done;
  }
  if (options.model.empty() == !options.regex || options.out.empty()) {
    invocation.error("expected a model or `--regex PATTERN`, and `-o OUT.tacet`");
    return ExitCode::Usage;
  }
  if (options.function.empty()) {
    options.function = options.regex ? "pattern" : "model";
  }
  if (fs::path(options.out).extension() != ".tacet") {
    invocation.error(
        fmt::format("`--output {}`: expected a name that ends with .tacet", options.out));
    return ExitCode::Usage;
  }
  if (options.regex && !is_name(options.function)) {
    invocation.error(fmt::format("`--fn {}`: expected a name", options.function));
    return ExitCode::Usage;
  }
  return options.regex ? import_regex(options, invocation) : Import(options, invocation).run();
}

auto declare_import(CLI::App& app) -> Action {
  auto options = std::make_shared<ImportCommandOptions>();
  app.add_option("model", options->model, "The model, in the format of ONNX")->type_name("MODEL");
  app.add_option("-o,--output", options->out,
                 "The program to write; its numbers go into a file beside it, OUT.weights.npz")
      ->type_name("OUT.tacet");
  add_choice(
      app, "--device", {"auto", "he", "mpc"},
      "Where the function will run: he under homomorphic encryption, mpc by several parties; "
      "auto: he, unless an operator needs parties",
      &options->target);
  app.add_option("--calibrate", options->samples,
                 "Values of an input, one or several with one more dimension in front: bounds are "
                 "those of all intermediate results, with some room; may be repeated")
      ->type_name("[NAME=]@FILE")
      ->allow_extra_args(false);
  app.add_option("--range", options->ranges, "The range of an input, HI excluded; may be repeated")
      ->type_name("[NAME=]LO..HI")
      ->allow_extra_args(false);
  app.add_option("--within", options->within,
                 "Largest error of encrypted results (default: a hundredth of their range on the "
                 "values of --calibrate)")
      ->type_name("ERROR");
  app.add_option("--batch", options->batch, "The size of the first dimension, where it is open")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  app.add_option("--result", options->results,
                 "Compute only this output of the model; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_flag("--logits", options->leaves_last_softmax,
               "The result is what a last Softmax takes, for the client to normalise");
  app.add_option(
         "--regex", options->regex,
         "A regular expression in place of a model: its automaton, and functions that match, "
         "search and count")
      ->type_name("PATTERN")
      ->excludes("model")
      ->excludes("--device")
      ->excludes("--calibrate")
      ->excludes("--range")
      ->excludes("--within")
      ->excludes("--batch")
      ->excludes("--result")
      ->excludes("--logits");
  app.add_option("--fn", options->function,
                 "The name of the function, or what the names of a pattern's functions start with "
                 "(default: model, pattern)")
      ->type_name("NAME");
  app.add_flag("--operators", options->lists_operators, "List the operators that are supported");
  return [options](Invocation& invocation) { return import_or_list(*options, invocation); };
}

}  // namespace

auto import_command() -> Command {
  Command command;
  command.name = "import";
  command.summary = "convert a trained model or a regular expression to a program";
  command.examples =
      "tacet import model.onnx -o model.tacet --calibrate samples.npy\n"
      "tacet run model.tacet --fn model --device he --input x=@x.npy --input @model.weights.npz\n"
      "tacet import model.onnx -o model.tacet --device mpc\n"
      "tacet import --operators\n"
      "tacet import --regex 'GAT+ACA|[0-9]{3}-[0-9]{4}' -o pattern.tacet";
  command.details =
      "Reads perceptrons, convolutional and residual networks, small transformers, linear models "
      "and tree ensembles. Constants are folded, and batch normalisation is part of the layer in "
      "front of it. The program is formatted source that uses the library; its comments name the "
      "nodes of the model. The client owns the inputs, the server the weights.\n\n"
      "Encrypted functions of reals are polynomials on a range. With `--calibrate` the range of "
      "each is that of the given values, with 5 % of room: `tacet run --device ref` stops where "
      "other values leave it.\n\n"
      "With `--regex`, the program has the minimal automaton of a regular expression, of at most "
      "256 "
      "states, and functions for the whole text, parts of it, and the places of matches. The "
      "syntax is "
      "that of POSIX and RE2 for what is regular; a letter is a byte.";
  command.declare = declare_import;
  return command;
}

}  // namespace tacet::cli
