; What can be folded away.

[
  (spec_block)
  (block)
  (feq_item)
  (extern_properties)
  (extern_resource)
  (schedule)
  (record_type)
  (annotation_statement)
  (for_expression)
  (array_expression)
  (parameters)
  (arguments)
  (block_comment)
] @fold
