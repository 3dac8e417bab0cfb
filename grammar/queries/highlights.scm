; Which colour each piece of a Tacet program takes.
;
; No node is captured twice, so that editors in which the first pattern wins and editors in which
; the last one wins show the same. Where the names that editors use differ, the name here is one
; that all of them find by its first part.

; ---- comments and literals ----

[(line_comment) (block_comment)] @comment
(doc_comment) @comment.documentation

(integer) @constant.numeric.integer
(float) @constant.numeric.float
(version_number) @constant.numeric
(boolean) @constant.builtin.boolean
(string) @string

; What is left for the compiler to fill.
[(hole) (statement_hole)] @constant.builtin.hole
(hole_statement "???" @constant.builtin.hole)

; ---- keywords ----

"#version" @keyword.directive

"import" @keyword.import

["val" "tmln" "sptl" "fn" "extern" "feq" "pipeline"] @keyword.function
(test_item "test" @keyword.function)

(type_item "type" @keyword.type)
(const_item "const" @keyword)
(party_item "party" @keyword)
(input_declaration ["input" "from"] @keyword)

(purity) @keyword.modifier
(implements "impls" @keyword)
(where_clause "where" @keyword)
(fn_item schedule: (schedule "schedule" @keyword))
(open_schedule "schedule" @keyword)
(bound "in" @keyword.operator)
(parameter "from" @keyword.modifier)
(result ["to" "within"] @keyword.modifier)
(bound "norm" @keyword.modifier)
(receiver "to" @keyword.modifier)
(exploded_dimension "as" @keyword.operator)
(cast_expression "as" @keyword.operator)

["let" "var"] @keyword
(let_expression "in" @keyword)

(if_expression ["if" "else"] @keyword.conditional)
(conditional_expression ["if" "else"] @keyword.conditional)

(for_statement ["for" "in" "step" "max"] @keyword.repeat)
(while_statement ["while" "max"] @keyword.repeat)
(do_statement ["do" "while" "max"] @keyword.repeat)
(for_expression "for" @keyword.repeat)
(break_statement "break" @keyword.repeat)
(continue_statement "continue" @keyword.repeat)

(return_statement "return" @keyword.return)
(returns_statement "returns" @keyword.return)

; The device boundary.
["encode" "encode-begin" "submit" "await"] @keyword.coroutine

; What a program may not see, and what it may: a colour scheme can set the full names.
(visibility "secret" @keyword.directive.secret)
(visibility "public" @keyword.directive.public)

; ---- tags: the place in the specification, and whether the value is still there ----

(tags "@" @punctuation.special)
(annotation_statement "@" @punctuation.special)
(annotation_place) @keyword
(annotation_key ["input" "output"] @keyword)
[(quotient) (dimension)] @attribute
(flow) @attribute.flow
(quotient_node name: (identifier) @label)

; ---- names where they are defined ----

(val_item name: (identifier) @function)
(tmln_item name: (identifier) @function)
(sptl_item name: (identifier) @function)
(extern_item name: (identifier) @function)
(feq_item name: (identifier) @function)
(fn_item name: (identifier) @function)
(pipeline_item name: (identifier) @function)
(type_item name: (identifier) @type.definition)
(const_item name: (identifier) @constant)
(party_item name: (identifier) @constant.party)
(import_item name: (identifier) @namespace)

(parameter name: (identifier) @variable.parameter)
(size_parameter name: (identifier) @variable.parameter)
(function_parameter name: (identifier) @function)
(type_parameter name: (identifier) @type)
(type_parameter bound: (identifier) @type)
(type_parameter "|" @operator)
(input_declaration name: (identifier) @variable.parameter)
(result name: (identifier) @variable.parameter)
(record_field name: (identifier) @variable.member)
(extern_property key: (identifier) @variable.member)
(extern_resource name: (identifier) @variable.member)

(spec_binding name: (identifier) @variable)
(binding name: (identifier) @variable)
(encode_destination name: (identifier) @variable)
(for_statement variable: (identifier) @variable)
(for_expression variable: (identifier) @variable)
(exploded_dimension name: (identifier) @variable)
[(wildcard) (dim)] @variable.builtin

; ---- names where they are used ----

(extern_item device: (identifier) @constant.builtin)
(fn_item device: (identifier) @constant.builtin)
(encode_begin_expression device: (identifier) @constant.builtin)

(implements specification: (identifier) @function)
(pipeline_item entry: (identifier) @function)

(parameter owner: (identifier) @constant.party)
(result owner: (identifier) @constant.party)
(input_declaration owner: (identifier) @constant.party)
(receiver party: (identifier) @constant.party)

((call_expression function: (identifier) @function.builtin)
 (#any-of? @function.builtin
  "sum" "product" "reduce" "rotate" "len" "concat" "reveal"
  "rand_uniform" "rand_bool" "rand_normal" "rand_u64" "rand_int" "rand_permutation"
  "sqrt" "rsqrt" "reciprocal" "exp" "log" "sigmoid" "tanh" "erf" "sin" "cos" "abs" "min" "max"
  "sort" "sort_by" "top_k"
  "encode_event" "submit_event" "sync_event" "alloc" "dealloc"))
((call_expression function: (identifier) @function.call)
 (#not-any-of? @function.call
  "sum" "product" "reduce" "rotate" "len" "concat" "reveal"
  "rand_uniform" "rand_bool" "rand_normal" "rand_u64" "rand_int" "rand_permutation"
  "sqrt" "rsqrt" "reciprocal" "exp" "log" "sigmoid" "tanh" "erf" "sin" "cos" "abs" "min" "max"
  "sort" "sort_by" "top_k"
  "encode_event" "submit_event" "sync_event" "alloc" "dealloc"))
(encode_statement method: (identifier) @function.builtin)
(preprocessing name: (identifier) @function.builtin)

(encode_statement encoder: (identifier) @variable)
(schedule_entry site: (identifier) @variable)
(annotation_key name: (identifier) @variable)
(annotation_key field: (identifier) @variable.member)
(field_expression field: (identifier) @variable.member)

; A name as a value, wherever one may stand.
(_ left: (identifier) @variable)
(_ right: (identifier) @variable)
(_ operand: (identifier) @variable)
(_ value: (identifier) @variable)
(_ element: (identifier) @variable)
(_ array: (identifier) @variable)
(_ index: (identifier) @variable)
(_ record: (identifier) @variable)
(_ consequence: (identifier) @variable)
(_ condition: (identifier) @variable)
(_ alternative: (identifier) @variable)
(_ target: (identifier) @variable)
(_ body: (identifier) @variable)
(_ step: (identifier) @variable)
(_ max: (identifier) @variable)
(block result: (identifier) @variable)
(for_expression extent: (identifier) @variable)
(for_statement lower: (identifier) @variable)
(for_statement upper: (identifier) @variable)
(slice_expression lower: (identifier) @variable)
(slice_expression upper: (identifier) @variable)
(arguments (identifier) @variable)
(template_arguments (identifier) @variable)

(primitive_type) @type.builtin
(named_type name: (identifier) @type)
(array_type extent: (identifier) @constant)
(bound lower: (identifier) @constant)
(bound upper: (identifier) @constant)
(flag name: (identifier) @attribute)

; ---- operators and punctuation ----

(binary_expression operator: _ @operator)
(unary_expression operator: _ @operator)
(operator) @operator
["=" "->" ":-" "<-" ".." "::"] @operator
(reference_type "&" @operator)

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
(flags ["<" ">"] @punctuation.bracket)
(template_arguments ["<" ">"] @punctuation.bracket)
(size_parameters ["<" ">"] @punctuation.bracket)

["," "." ";" ":"] @punctuation.delimiter
"'" @punctuation.special
