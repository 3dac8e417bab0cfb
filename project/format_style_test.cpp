#include "project/format_style.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace tacet::project {
namespace {

namespace fs = std::filesystem;
using formatter::Style;

class FormatStyle : public ::testing::Test {
 protected:
  FormatStyle() {
    std::string name = (fs::temp_directory_path() / "tacet-style-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    // What is above the folder must not count.
    write(".editorconfig", "root = true\n");
  }
  ~FormatStyle() override { fs::remove_all(folder_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path, std::ios::binary) << text;
  }
  [[nodiscard]] auto style(const std::string& path) const -> Style {
    return FormatStyles().of((folder_ / path).string());
  }

  fs::path folder_;
};

TEST_F(FormatStyle, IsTheDefaultWhereNobodySaysAnything) {
  EXPECT_EQ(style("a.tacet"), Style{});
}

TEST_F(FormatStyle, InnerFoldersGoBeforeOuterOnes) {
  write(".editorconfig", "root=true\n[*]\nmax_line_length=80\nindent_size=2\n");
  write("src/.editorconfig", "[*.tacet]\nmax_line_length = 60\n");
  EXPECT_EQ(style("a.tacet").width, 80U);
  EXPECT_EQ(style("src/a.tacet").width, 60U);
  EXPECT_EQ(style("src/a.tacet").indent, 2U);
  EXPECT_EQ(style("src/a.cm").width, 80U);
}

TEST_F(FormatStyle, RootEndsTheSearch) {
  write(".editorconfig", "root=true\n[*]\nmax_line_length=80\n");
  write("src/.editorconfig", "root = true\n[*]\nindent_size = 2\n");
  EXPECT_EQ(style("src/deep/a.tacet").width, 100U);
  EXPECT_EQ(style("src/deep/a.tacet").indent, 2U);
}

TEST_F(FormatStyle, TheManifestOverridesEditorConfig) {
  write("tacet.toml", "[format]\nwidth = 72\n");
  write("src/.editorconfig", "[*]\nmax_line_length=60\nindent_size=2\n");
  EXPECT_EQ(style("src/a.tacet").width, 72U);
  EXPECT_EQ(style("src/a.tacet").indent, 2U);
}

TEST_F(FormatStyle, TabsAreAsWideAsTheySay) {
  write(".editorconfig", "root=true\n[*]\nindent_style=tab\nindent_size=8\n[*.cm]\ntab_width=2\n");
  EXPECT_EQ(style("a.tacet").indentation, Style::Indentation::Tabs);
  EXPECT_EQ(style("a.tacet").indent, 8U);
  EXPECT_EQ(style("a.tacet").tab_width, 8U);
  EXPECT_EQ(style("a.cm").indent, 2U);
  write("tacet.toml", "[format]\ntabs = false\nindent = 3\n");
  EXPECT_EQ(style("a.tacet").indentation, Style::Indentation::Spaces);
  EXPECT_EQ(style("a.tacet").indent, 3U);
}

TEST_F(FormatStyle, StrangeValuesAreSkipped) {
  write(".editorconfig",
        "root=true\n[*]\nmax_line_length=wide\nindent_size=0\nindent_style=both\nend_of_line=cr\n");
  EXPECT_EQ(style("a.tacet"), Style{});
  write(".editorconfig", "root=true\n[*]\nmax_line_length=off\nend_of_line=crlf\n");
  EXPECT_EQ(style("a.tacet").width, formatter::kNoWidth);
  EXPECT_EQ(style("a.tacet").line_end, Style::LineEnd::Windows);
}

TEST_F(FormatStyle, ErrorsInTheManifestAreReported) {
  write("tacet.toml", "[format]\nwidth = 5\n");
  FormatStyles styles;
  EXPECT_EQ(styles.of((folder_ / "a.tacet").string()), Style{});
  ASSERT_EQ(styles.problems().size(), 1U);
  EXPECT_NE(styles.problems()[0].find("from 20 to"), std::string::npos) << styles.problems()[0];
}

}  // namespace
}  // namespace tacet::project
