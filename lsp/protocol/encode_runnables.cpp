#include <nlohmann/json.hpp>

#include "lsp/protocol/encode.h"
#include "lsp/protocol/json.h"

namespace tacet::lsp {

static auto json(const Position& position) -> Json {
  return {{"line", position.line}, {"character", position.column}};
}

static auto json(const RunnableItem::Input& input) -> Json {
  Json out = {{"name", input.name}, {"type", input.type}};
  if (!input.owner.empty()) {
    out["owner"] = input.owner;
  }
  if (input.bound) {
    out["bound"] = {Json::parse(input.bound->first), Json::parse(input.bound->second)};
  }
  return out;
}

static auto json(const RunnableItem::Output& output) -> Json {
  Json out = {{"type", output.type}};
  if (!output.name.empty()) {
    out["name"] = output.name;
  }
  if (!output.owner.empty()) {
    out["owner"] = output.owner;
  }
  return out;
}

auto encode_runnables(std::span<const RunnableItem> items) -> std::string {
  Json all = Json::array();
  for (const RunnableItem& item : items) {
    Json inputs = Json::array();
    for (const RunnableItem::Input& input : item.inputs) {
      inputs.push_back(json(input));
    }
    Json results = Json::array();
    for (const RunnableItem::Output& output : item.results) {
      results.push_back(json(output));
    }
    Json out = {{"name", item.name},
                {"kind", item.kind},
                {"range", {{"start", json(item.range.start)}, {"end", json(item.range.end)}}},
                {"inputs", std::move(inputs)},
                {"results", std::move(results)}};
    if (!item.device.empty()) {
      out["device"] = item.device;
    }
    all.push_back(std::move(out));
  }
  return to_text(all);
}

auto encode_explored(const ExploredAnswer& explored) -> std::string {
  Json points = Json::array();
  for (const ExploredItem& item : explored.points) {
    Json out = {{"label", item.label}, {"implementation", item.implementation}};
    if (item.milliseconds) {
      out["milliseconds"] = *item.milliseconds;
    }
    if (item.bytes) {
      out["bytes"] = *item.bytes;
    }
    if (!item.why.empty()) {
      out["why"] = item.why;
    }
    if (item.is_chosen) {
      out["isChosen"] = true;
    }
    if (item.is_on_front) {
      out["isOnFront"] = true;
    }
    if (!item.text.empty()) {
      out["text"] = item.text;
    }
    points.push_back(std::move(out));
  }
  Json out = {
      {"name", explored.name}, {"isMeasured", explored.is_measured}, {"points", std::move(points)}};
  if (!explored.picture.empty()) {
    out["picture"] = explored.picture;
  }
  if (explored.is_unfinished) {
    out["isUnfinished"] = true;
  }
  return to_text(out);
}

}  // namespace tacet::lsp
