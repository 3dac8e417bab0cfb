#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// A document algebra after Wadler: text with places where lines may break, and groups whose
/// places break all together or not at all. It does not know what language it lays out.
///
/// A document is a flat row of 32-bit words. While it is built, every group is given the width it
/// needs on one line, the text up to the next possible break behind it included; so the printer
/// looks at every word once, ahead of nothing, and needs no stack however deep groups nest.
namespace tacet::doc {

/// What the words of a document mean; a word is a kind in its low bits and a payload above them.
enum class Element : uint32_t {
  Text,      ///< payload: bytes; next word: offset in the source; one column per byte
  WideText,  ///< the same, and a third word: columns
  Literal,   ///< payload: bytes; next word: offset in the document's own text
  Overhang,  ///< as Text; takes no room when lines are fitted
  Verbatim,  ///< as Text, may hold line ends; a third word: its column in the source
  Space,
  Line,      ///< a space, or a line end where the group breaks
  SoftLine,  ///< nothing, or a line end where the group breaks
  FillLine,  ///< a space, or a line end where what follows does not fit; payload: width needed
  HardLine,
  EmptyLine,
  OpenGroup,  ///< payload: width needed
  CloseGroup,
  Indent,   ///< payload: columns
  Dedent,   ///< payload: columns
  IfBreak,  ///< payload: bytes if broken; next words: bytes if flat, offset of both
};

constexpr uint32_t kElementBits = 4;
/// The width of what fits on no line.
constexpr uint32_t kNever = (1U << (32 - kElementBits)) - 1;

/// A finished document. Offsets refer to the source that is given to `print` with it.
struct Doc {
  std::vector<uint32_t> words;
  std::string literals;
};

/// Builds a document from front to back.
///
/// Breaks are requests: several in a row, and a break before or behind a space, make one line end;
/// `empty_line` makes one empty line, never more. The indentation of a line is the one that holds
/// where its first text stands. So no document prints two empty lines or blanks at a line's end.
class Builder {
 public:
  /// Text of the source that holds no line end, `n_columns` wide.
  void text(uint32_t offset, uint32_t n_bytes) {
    put_text(Element::Text, offset, n_bytes, n_bytes);
  }
  void wide_text(uint32_t offset, uint32_t n_bytes, uint32_t n_columns);
  /// Text that is not in the source.
  void literal(std::string_view text);
  /// Text that may stand out beyond the width, such as a comment at a line's end. A break must
  /// follow for the next text not to stand out as well.
  void overhang(uint32_t offset, uint32_t n_bytes);
  /// Text of the source that may hold line ends. Its further lines keep their place relative to
  /// the first, which began at `column` of the source.
  void verbatim(std::string_view source, uint32_t offset, uint32_t n_bytes, uint32_t column);

  void space();
  /// A space, or a line end if the group breaks.
  void line() { put_break(Element::Line, 1); }
  /// Nothing, or a line end if the group breaks.
  void soft_line() { put_break(Element::SoftLine, 0); }
  /// A line end; every group around it breaks.
  void hard_line();
  /// A line end and an empty line; every group around it breaks.
  void empty_line();
  /// `broken` or `flat`, as the innermost group is. Outside of groups: `broken`.
  void if_break(std::string_view broken, std::string_view flat);

  /// Outside of groups every line breaks.
  void open_group();
  void close_group();
  /// Makes the innermost open group and those around it break.
  void break_groups() { ++n_hard_; }

  /// Between these, `fill_line`s each break only if what stands up to the next one does not fit.
  void open_fill() { fills_.push_back(kNoFill); }
  void fill_line();
  void close_fill();

  void indent(uint32_t n_columns) { put(Element::Indent, n_columns); }
  void dedent(uint32_t n_columns) { put(Element::Dedent, n_columns); }

  /// The document, which must have no open groups or fills. The builder is empty afterwards.
  auto finish() -> Doc;
  /// The same into `doc`, whose memory is used again.
  void finish(Doc& doc);

 private:
  static constexpr uint32_t kNoFill = UINT32_MAX;

  /// Something whose width is being measured: a group, or what follows a fill line.
  struct Measure {
    uint32_t word = kNoFill;    ///< where the width goes
    uint64_t flat_width = 0;    ///< at its start; of itself once it has ended
    uint64_t n_hard = 0;        ///< at its start
    uint64_t broken_width = 0;  ///< at its end
  };

  void put(Element element, uint32_t payload) {
    doc_.words.push_back(static_cast<uint32_t>(element) | payload << kElementBits);
  }
  void put_text(Element element, uint32_t offset, uint32_t n_bytes, uint32_t n_columns) {
    put(element, n_bytes);
    doc_.words.push_back(offset);
    flat_width_ += n_columns;
    broken_width_ += n_columns;
  }
  void put_break(Element element, uint32_t flat_width) {
    settle();
    put(element, 0);
    flat_width_ += flat_width;
  }
  [[nodiscard]] auto begin_measure(Element element) -> Measure;
  void end_measure(Measure measure);
  void settle();

  Doc doc_;
  std::vector<Measure> groups_;
  std::vector<uint32_t> fills_;      ///< per open fill, its last line in fill_lines_
  std::vector<Measure> fill_lines_;  ///< fill lines whose content has not ended
  std::vector<Measure> ended_;       ///< measured but for the text behind them
  uint64_t flat_width_ = 0;          ///< of everything so far, on one line
  uint64_t broken_width_ = 0;        ///< of all text so far as it prints in broken groups
  uint64_t n_hard_ = 0;              ///< breaks so far that no group can take back
};

struct PrintOptions {
  enum class Blanks : uint8_t { Spaces, Tabs };

  uint32_t width = 100;
  /// How far a tab reaches, in the source and in what is printed.
  uint32_t tab_width = 4;
  /// What indentation is made of; what is left over of a tab are spaces.
  Blanks blanks = Blanks::Spaces;
  std::string_view line_end = "\n";
};

/// Lays the document out and appends it to `out`. No line end is added at the end, and breaks
/// before the first text and behind the last one print nothing. O(document's length).
void print(const Doc& doc, std::string_view source, const PrintOptions& options, std::string& out);

}  // namespace tacet::doc
