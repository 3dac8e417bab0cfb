// The language server over WebSockets, as a page speaks to it, and as one that means no good.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/playground/served.h"

namespace tacet::playground {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using nlohmann::json;

constexpr const char* kUri = "playground:/program.tacet";

class Page {
 public:
  explicit Page(const Served& served) : socket_(context_) {
    socket_.next_layer().connect({asio::ip::address_v4::loopback(), served.port()});
    socket_.set_option(websocket::stream_base::decorator([origin = served.origin()](auto& request) {
      request.set(beast::http::field::origin, origin);
    }));
    socket_.handshake(served.host(), served.folder() + "/language");
  }

  void send(const std::string& text) {
    beast::error_code ignored;  // the other side may have closed
    socket_.write(asio::buffer(text), ignored);
  }

  void notify(const std::string& method, json params) {
    send(json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump());
  }

  /// The answer to a request; null if the other side closes.
  auto ask(const std::string& method, json params) -> json {
    send(json{{"jsonrpc", "2.0"}, {"id", ++n_}, {"method", method}, {"params", std::move(params)}}
             .dump());
    return wait([&](const json& message) { return message.contains("id") && message["id"] == n_; });
  }

  auto wait(const std::function<bool(const json&)>& is_it) -> json {
    for (;;) {
      beast::flat_buffer buffer;
      beast::error_code error;
      socket_.read(buffer, error);
      if (error) {
        return {};
      }
      json message = json::parse(beast::buffers_to_string(buffer.data()));
      if (is_it(message)) {
        return message;
      }
    }
  }

  auto begin() -> json {
    const json capabilities = {{"textDocument", {{"hover", {{"contentFormat", {"markdown"}}}}}}};
    json answer = ask(
        "initialize",
        {{"processId", nullptr}, {"capabilities", capabilities}, {"workspaceFolders", folders_}});
    notify("initialized", json::object());
    return answer;
  }

  void open(const std::string& text, const std::string& uri = kUri) {
    notify("textDocument/didOpen",
           {{"textDocument",
             {{"uri", uri}, {"languageId", "tacet"}, {"version", 1}, {"text", text}}}});
  }

  /// How the other side closed, when it has.
  auto closed() -> std::pair<int, std::string> {
    wait([](const json&) { return false; });
    return {socket_.reason().code, std::string(socket_.reason().reason.c_str())};
  }

  void set_folder(const std::string& uri) { folders_ = {{{"uri", uri}, {"name", "root"}}}; }

 private:
  asio::io_context context_;
  websocket::stream<asio::ip::tcp::socket> socket_;
  json folders_ = json::array();
  int n_ = 0;
};

auto at(int line, int character) -> json {
  return {{"textDocument", {{"uri", kUri}}},
          {"position", {{"line", line}, {"character", character}}}};
}

constexpr const char* kProgram =
    "#version 0.1.0\n"
    "/// Twice a number.\n"
    "fn(mpc) twice(a: secret i64 in 0..9) -> secret i64 { a + a }\n";

TEST(LanguageSession, AnswersAsTheLanguageServerDoes) {
  const Served served;
  Page page(served);
  EXPECT_EQ(page.begin()["result"]["serverInfo"]["name"], "tacet");
  page.open(kProgram);
  const json published = page.wait([](const json& message) {
    return message.value("method", "") == "textDocument/publishDiagnostics";
  });
  EXPECT_EQ(published["params"]["diagnostics"], json::array());
  const json hover = page.ask("textDocument/hover", at(2, 9));
  EXPECT_NE(hover.dump().find("Twice a number"), std::string::npos) << hover;
  const json runnables = page.ask("tacet/runnables", {{"textDocument", {{"uri", kUri}}}});
  EXPECT_EQ(runnables["result"][0]["name"], "twice");
  EXPECT_EQ(runnables["result"][0]["device"], "mpc");
  EXPECT_EQ(runnables["result"][0]["inputs"],
            json::parse(R"([{"name":"a","type":"secret i64","bound":[0,9]}])"));
  EXPECT_EQ(runnables["result"][0]["results"], json::parse(R"([{"type":"secret i64"}])"));
}

constexpr const char* kInner =
    "#version 0.1.0\n"
    "fn(he) inner(a: secret [i64; 4] in 0..9, b: secret [i64; 4] in 0..9) -> secret i64 {\n"
    "    sum(for i: 4 { a[i] * b[i] })\n"
    "}\n";

/// A stage, when its schedule was found.
auto stage_of(Page& page, const std::string& stage) -> std::string {
  for (;;) {
    json params = at(2, 8);
    params["stage"] = stage;
    const json answer = page.ask("tacet/stage", params);
    if (answer.is_null() || answer.contains("result") ||
        answer["error"]["message"].get<std::string>().find("ask again") == std::string::npos) {
      return answer.contains("result") ? answer["result"]["text"].get<std::string>()
                                       : answer.dump();
    }
  }
}

TEST(LanguageSession, DrawsLayoutsAndCircuits) {
  const Served served;
  Page page(served);
  page.begin();
  page.open(kInner);
  const std::string layout = stage_of(page, "layout-svg");
  EXPECT_TRUE(layout.starts_with("<svg ")) << layout;
  for (const char* words : {">a[i]<", ">b[i]<", ">→ out<", ">slot<"}) {
    EXPECT_NE(layout.find(words), std::string::npos) << words << layout;
  }
  const std::string circuit = stage_of(page, "circuit-svg");
  EXPECT_TRUE(circuit.starts_with("<svg ")) << circuit;
  EXPECT_NE(circuit.find("product of ciphertexts"), std::string::npos) << circuit;
  for (const char* words : {">a<", ">b<", ">= out<", "data-name=\"a\""}) {
    EXPECT_NE(circuit.find(words), std::string::npos) << words << circuit;
  }
  const json in_text = page.ask("textDocument/hover", at(1, 13));
  EXPECT_EQ(in_text.dump().find("data:image"), std::string::npos) << in_text;
  page.notify("workspace/didChangeConfiguration",
              {{"settings", {{"hover", {{"pictures", true}}}}}});
  const json drawn = page.ask("textDocument/hover", at(1, 13));
  EXPECT_NE(drawn.dump().find("data:image/svg+xml;base64,"), std::string::npos) << drawn;
}

TEST(LanguageSession, HasDocumentsOfItsOwn) {
  const Served served;
  Page one(served);
  Page other(served);
  one.begin();
  other.begin();
  one.open(kProgram);
  EXPECT_FALSE(one.ask("textDocument/hover", at(2, 9))["result"].is_null());
  EXPECT_TRUE(other.ask("textDocument/hover", at(2, 9)).contains("error"));
}

TEST(LanguageSession, ReadsNoFilesOfTheMachine) {
  std::string name = (std::filesystem::temp_directory_path() / "tacet-page-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  std::ofstream(folder / "secret.tacet") << "#version 0.1.0\nconst launch_code = 12345\n";
  const Served served;
  Page page(served);
  page.set_folder("file://" + folder.string());
  page.begin();
  const std::string uri = "file://" + (folder / "a.tacet").string();
  page.open("#version 0.1.0\nimport secret\n", uri);
  page.notify(
      "workspace/didChangeWatchedFiles",
      {{"changes", {{{"uri", "file://" + (folder / "secret.tacet").string()}, {"type", 1}}}}});
  const json published = page.wait([&](const json& message) {
    return message.value("method", "") == "textDocument/publishDiagnostics" &&
           message["params"]["uri"] == uri;
  });
  EXPECT_FALSE(published["params"]["diagnostics"].empty()) << published;
  const json found = page.ask("workspace/symbol", {{"query", "launch"}});
  EXPECT_EQ(found.dump().find("launch_code"), std::string::npos) << found;
  std::filesystem::remove_all(folder);
}

TEST(LanguageSession, RunsNothing) {
  const Served served;
  Page page(served);
  page.begin();
  page.open(kProgram);
  const json answer =
      page.ask("workspace/executeCommand",
               {{"command", "tacet.run"}, {"arguments", {{{"uri", kUri}, {"fn", "twice"}}}}});
  EXPECT_TRUE(answer.contains("error")) << answer;
}

TEST(LanguageSession, EndsAtAMessageThatIsTooLong) {
  const Served served;
  Page page(served);
  page.begin();
  page.open(std::string((size_t{1} << 20) + 1, ' '));
  EXPECT_EQ(page.closed().first, websocket::close_code::too_big);
  Page next(served);
  EXPECT_FALSE(next.begin().is_null());
}

TEST(LanguageSession, LooksAtNoProgramThatIsTooLong) {
  const Served served;
  Page page(served);
  page.begin();
  page.open(std::string(600'000, ' '));
  EXPECT_TRUE(page.ask("textDocument/hover", at(0, 0)).contains("error"));
}

TEST(LanguageSession, LivesThroughWhatIsNoMessage) {
  const Served served;
  Page page(served);
  page.begin();
  for (const char* text : {"", "{", "null", "[]", "{\"id\":{}}"}) {
    page.send(text);
  }
  page.open(kProgram);
  EXPECT_FALSE(page.ask("textDocument/hover", at(2, 9))["result"].is_null());
}

TEST(LanguageSession, IsRefusedWhenThereAreTooMany) {
  const Served served({"--sessions", "1"});
  Page first(served);
  EXPECT_FALSE(first.begin().is_null());
  Page second(served);
  const auto [code, why] = second.closed();
  EXPECT_EQ(code, websocket::close_code::try_again_later);
  EXPECT_EQ(why, "limit of 1 sessions reached");
}

TEST(LanguageSession, MakesRoomWhenItEnds) {
  const Served served({"--sessions", "1"});
  for (int i = 0; i < 5; ++i) {
    std::optional<Page> page;
    for (bool is_admitted = false; !is_admitted;) {  // the one before may still be put away
      try {
        page.emplace(served);
        is_admitted = !page->begin().is_null();
      } catch (const boost::system::system_error&) {
        is_admitted = false;
      }
    }
    EXPECT_TRUE(page->ask("shutdown", nullptr).contains("result"));
    page->notify("exit", nullptr);
    EXPECT_EQ(page->closed().first, websocket::close_code::normal);
  }
}

}  // namespace
}  // namespace tacet::playground
