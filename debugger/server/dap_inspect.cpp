#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "debugger/server/dap_session.h"

// What a paused run shows.

namespace tacet::debugger {

/// Frames that a client gets if it wants all of them.
static constexpr int64_t kMostFrames = 1000;
/// Elements that it gets if it wants all of them.
static constexpr uint64_t kMostElements = 10'000;

void DapSession::stack_trace(const DapRequest& request, ArgumentReader& reader) {
  DebugRun* run = paused(request);
  if (run == nullptr) {
    return;
  }
  const int64_t first = reader.number("startFrame", 0);
  const int64_t wanted = reader.number("levels", 0);
  if (!reader.error().empty()) {
    refuse(request, reader.error());
    return;
  }
  const int64_t most = wanted == 0 ? kMostFrames : std::min(wanted, kMostFrames);
  uint64_t n_frames = 0;
  Json list = Json::array();
  int64_t number = first;
  for (const ShownFrame& frame :
       run->frames(static_cast<uint64_t>(first), static_cast<uint64_t>(most), n_frames)) {
    Json shown = {
        {"id", ++number}, {"name", frame.name}, {"source", sources_->source(frame.place.file)}};
    sources_->put_range(frame.place, shown);
    list.push_back(std::move(shown));
  }
  answer(request, {{"stackFrames", std::move(list)}, {"totalFrames", n_frames}});
}

auto DapSession::add_reference(Reference reference) -> int64_t {
  references_.push_back(std::move(reference));
  return static_cast<int64_t>(references_.size());
}

void DapSession::scopes(const DapRequest& request, ArgumentReader& reader) {
  DebugRun* run = paused(request);
  if (run == nullptr) {
    return;
  }
  const int64_t id = reader.number("frameId", 0, 1);
  if (!reader.error().empty() || id == 0) {
    refuse(request, reader.error().empty() ? "`frameId` is missing" : reader.error());
    return;
  }
  const std::optional<ShownFrame> frame = run->frame(static_cast<uint64_t>(id - 1));
  if (!frame) {
    refuse(request, fmt::format("no frame {}", id));
    return;
  }
  const size_t n = run->variables(frame->frame).size();
  const int64_t locals = add_reference({.kind = Reference::Kind::Locals, .frame = *frame});
  const int64_t secrets = add_reference({.kind = Reference::Kind::Secrets, .frame = *frame});
  answer(request, {{"scopes",
                    {{{"name", "Locals"},
                      {"presentationHint", "locals"},
                      {"variablesReference", locals},
                      {"namedVariables", n},
                      {"expensive", false}},
                     {{"name", "Secrets"},
                      {"variablesReference", secrets},
                      {"namedVariables", n},
                      {"expensive", false}}}}});
}

auto DapSession::variable(const std::string& name, const ShownFrame& frame, const ValueNode& value,
                          const std::string& expression) -> Json {
  const Values& values = run_->values();
  Json shown = {{"name", name}, {"value", values.text(value)}, {"variablesReference", 0}};
  if (shows_types_) {
    shown["type"] = values.type_text(value);
  }
  if (!expression.empty()) {
    shown["evaluateName"] = expression;
  }
  const uint64_t n_elements = values.n_elements(value);
  const uint64_t n_fields = values.n_fields(value);
  if (n_elements + n_fields > 0) {
    shown["variablesReference"] = add_reference(
        {.kind = Reference::Kind::Value, .frame = frame, .value = value, .expression = expression});
    if (n_elements > 0) {
      shown["indexedVariables"] = n_elements;
    } else {
      shown["namedVariables"] = n_fields;
    }
  }
  Json attributes = {"readOnly"};
  if (values.is_secret(value)) {
    attributes.push_back("secret");
  }
  shown["presentationHint"] = {{"kind", "data"}, {"attributes", std::move(attributes)}};
  return shown;
}

auto DapSession::locals(const ShownFrame& frame) -> std::vector<Json> {
  std::vector<Json> list;
  for (const ShownVariable& one : run_->variables(frame.frame)) {
    if (one.is_available) {
      list.push_back(variable(one.name, frame, one.value, one.name));
      continue;
    }
    Json shown = {
        {"name", one.name}, {"value", fmt::format("<{}>", one.missing)}, {"variablesReference", 0}};
    if (shows_types_) {
      shown["type"] = run_->values().type_text(one.value);
    }
    list.push_back(std::move(shown));
  }
  return list;
}

auto DapSession::secrets(const ShownFrame& frame) -> std::vector<Json> {
  std::vector<Json> list;
  for (const ShownVariable& one : run_->variables(frame.frame)) {
    if (!one.is_available) {
      continue;
    }
    SecretView view = run_->secrets_of(frame.frame, one.value);
    Json shown = {{"name", one.name}, {"value", view.summary}};
    if (shows_types_) {
      shown["type"] = run_->values().type_text(one.value);
    }
    shown["presentationHint"] = {{"kind", "virtual"}, {"attributes", {"readOnly"}}};
    shown["variablesReference"] =
        add_reference({.kind = Reference::Kind::Details, .frame = frame, .view = std::move(view)});
    list.push_back(std::move(shown));
  }
  return list;
}

auto DapSession::details(const SecretView& view) -> std::vector<Json> {
  std::vector<Json> list;
  const auto add = [&](const char* name, const std::string& value) {
    list.push_back({{"name", name},
                    {"value", value},
                    {"variablesReference", 0},
                    {"presentationHint", {{"kind", "virtual"}, {"attributes", {"readOnly"}}}}});
  };
  for (const std::string& input : view.from) {
    add("from", input);
  }
  for (const std::string& input : view.revealed) {
    add("by reveal", input);
  }
  if (!view.seen.empty()) {
    add("seen", view.seen);
  }
  return list;
}

void DapSession::variables(const DapRequest& request, ArgumentReader& reader) {
  DebugRun* run = paused(request);
  if (run == nullptr) {
    return;
  }
  const int64_t number = reader.number("variablesReference", 0, 0);
  const std::string filter = reader.text("filter");
  const auto start = static_cast<uint64_t>(reader.number("start", 0));
  const auto wanted = static_cast<uint64_t>(reader.number("count", 0));
  if (!reader.error().empty()) {
    refuse(request, reader.error());
    return;
  }
  if (number <= 0 || number > std::ssize(references_)) {
    refuse(request, fmt::format("no variables {}: the run has moved since", number));
    return;
  }
  const Reference reference = references_[static_cast<size_t>(number - 1)];
  std::vector<Json> list;
  const uint64_t n_elements =
      reference.kind == Reference::Kind::Value ? run->values().n_elements(reference.value) : 0;
  switch (reference.kind) {
    case Reference::Kind::Locals:
      list = locals(reference.frame);
      break;
    case Reference::Kind::Secrets:
      list = secrets(reference.frame);
      break;
    case Reference::Kind::Details:
      list = details(reference.view);
      break;
    case Reference::Kind::Value: {
      const uint64_t count = std::min(wanted == 0 ? kMostElements : wanted, kMostElements);
      const std::string& whole = reference.expression;
      for (uint64_t i = start; i < n_elements && i - start < count && filter != "named"; ++i) {
        list.push_back(variable(fmt::format("[{}]", i), reference.frame,
                                run->values().element(reference.value, i),
                                whole.empty() ? "" : fmt::format("{}[{}]", whole, i)));
      }
      for (const Values::Part& part : run->values().fields(reference.value)) {
        const bool is_named =
            !part.name.empty() && part.name != "*" && (part.name[0] < '0' || part.name[0] > '9');
        list.push_back(
            variable(part.name, reference.frame, part.value,
                     whole.empty() || !is_named ? "" : fmt::format("{}.{}", whole, part.name)));
      }
      break;
    }
  }
  if (n_elements == 0) {
    if (filter == "indexed") {
      list.clear();
    }
    list.erase(list.begin(),
               list.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(start, list.size())));
    if (wanted != 0 && list.size() > wanted) {
      list.resize(wanted);
    }
  }
  answer(request, {{"variables", list}});
}

void DapSession::evaluate(const DapRequest& request, ArgumentReader& reader) {
  DebugRun* run = paused(request);
  if (run == nullptr) {
    return;
  }
  const std::string expression = reader.text("expression");
  const int64_t id = reader.number("frameId", 1, 1);
  if (!reader.error().empty()) {
    refuse(request, reader.error());
    return;
  }
  const std::optional<ShownFrame> frame = run->frame(static_cast<uint64_t>(id - 1));
  if (!frame) {
    refuse(request, fmt::format("no frame {}", id));
    return;
  }
  Result<ValueNode> value = run->evaluate(expression, frame->frame);
  if (!value) {
    refuse(request, value.error().message);
    return;
  }
  Json shown = variable("", *frame, *value, "");
  shown["result"] = std::move(shown["value"]);
  shown.erase("value");
  shown.erase("name");
  answer(request, std::move(shown));
}

void DapSession::source(const DapRequest& request, ArgumentReader& reader) {
  int64_t reference = reader.number("sourceReference", 0);
  const Json& given = reader.object("source");
  if (reference == 0 && given.contains("sourceReference") &&
      given["sourceReference"].is_number_integer()) {
    reference = given["sourceReference"].get<int64_t>();
  }
  const std::optional<FileId> file =
      sources_ == nullptr ? std::nullopt : sources_->find_reference(reference);
  if (!reader.error().empty() || !file) {
    refuse(request,
           reader.error().empty() ? fmt::format("no source {}", reference) : reader.error());
    return;
  }
  answer(request, {{"content", sources_->text(*file)}});
}

void DapSession::completions(const DapRequest& request, ArgumentReader& reader) {
  DebugRun* run = paused(request);
  if (run == nullptr) {
    return;
  }
  const std::string text = reader.text("text");
  const int64_t id = reader.number("frameId", 1, 1);
  const int64_t column = reader.number("column", 1) - positions_.first_column;
  if (!reader.error().empty()) {
    refuse(request, reader.error());
    return;
  }
  size_t end = std::min(static_cast<size_t>(std::max<int64_t>(column, 0)), text.size());
  size_t begin = end;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 ||
                       text[begin - 1] == '_')) {
    --begin;
  }
  const std::string word = text.substr(begin, end - begin);
  Json targets = Json::array();
  const std::optional<ShownFrame> frame = run->frame(static_cast<uint64_t>(id - 1));
  for (const ShownVariable& one :
       frame ? run->variables(frame->frame) : std::vector<ShownVariable>()) {
    if (one.name.starts_with(word)) {
      targets.push_back(
          {{"label", one.name}, {"type", "variable"}, {"start", begin}, {"length", word.size()}});
    }
  }
  answer(request, {{"targets", std::move(targets)}});
}

}  // namespace tacet::debugger
