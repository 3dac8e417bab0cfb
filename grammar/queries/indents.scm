; How lines are indented. Helix reads @indent and @outdent, Neovim's plugins the names behind them.

[
  (spec_block)
  (block)
  (feq_item)
  (extern_properties)
  (extern_resource)
  (schedule)
  (record_type)
  (annotation_statement)
  (encode_statement)
  (for_expression)
  (array_expression)
  (tuple_expression)
  (parenthesized_expression)
  (array_type)
  (exploded_dimensions)
  (vectorized_dimensions)
  (parameters)
  (results)
  (arguments)
  (tags)
] @indent @indent.begin

["}" "]" ")"] @outdent @indent.branch @indent.end

[(line_comment) (doc_comment) (block_comment) (string)] @indent.auto
