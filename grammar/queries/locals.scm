; Which name means which: scopes, what they define, what refers to it.

[
  (source_file)
  (val_item)
  (tmln_item)
  (sptl_item)
  (extern_item)
  (fn_item)
  (test_item)
  (block)
  (let_expression)
  (for_expression)
  (for_statement)
] @local.scope

(parameter name: (identifier) @local.definition)
(size_parameter name: (identifier) @local.definition)
(type_parameter name: (identifier) @local.definition)
(function_parameter name: (identifier) @local.definition)
(input_declaration name: (identifier) @local.definition)
(spec_binding name: (identifier) @local.definition)
(binding name: (identifier) @local.definition)
(encode_destination name: (identifier) @local.definition)
(for_expression variable: (identifier) @local.definition)
(for_statement variable: (identifier) @local.definition)

(identifier) @local.reference
