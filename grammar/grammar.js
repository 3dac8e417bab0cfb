// The syntax of Tacet: modules (*.tacet, *.cm) and array programs (*.tlhe).
//
// The node kinds and field names below are the vocabulary of the whole code base: the typed
// views in compiler/core/syntax are generated from them, and the compiler's own parser gives the
// same tree, node for node, on every well-formed program.
//
// Words that are not reserved in `reserved words` of the language book stay usable as names.
// Where such a word may start an expression as well as a construct, `_name` lists it, and one
// token of lookahead decides.

const PREC = {
  let_in: 1,
  conditional: 2,
  range: 3,
  path: 4,
  bit_or: 5,
  bit_xor: 6,
  bit_and: 7,
  shift: 8,
  logical_or: 9,
  logical_and: 10,
  comparison: 11,
  concatenation: 12,
  additive: 13,
  multiplicative: 14,
  cast: 15,
  unary: 16,
  device: 17,
  postfix: 18,
};

const list = (rule) => optional(list1(rule));
const list1 = (rule) => seq(rule, repeat(seq(",", rule)), optional(","));
// A list that has at least one comma: a tuple rather than something in parentheses.
const tuple_list = (rule) => seq(rule, ",", list(rule));

module.exports = grammar({
  name: "tacet",

  word: ($) => $.identifier,

  extras: ($) => [/[ \t\r\n\f\v\uFEFF]/, $.doc_comment, $.line_comment, $.block_comment],

  inline: ($) => [$._tail_value],

  supertypes: ($) => [$._item, $._statement, $._expression, $._type],

  conflicts: ($) => [],

  rules: {
    source_file: ($) =>
      choice(
        seq($.version_header, repeat($._item)),
        seq(repeat($.input_declaration), field("body", $._any_expression)),
      ),

    version_header: ($) => seq("#version", field("version", $.version_number)),
    version_number: (_) => /[0-9]+\.[0-9]+\.[0-9]+/,

    input_declaration: ($) =>
      seq("input", field("name", $._name), ":", field("shape", $.array_shape),
          "from", field("owner", $._name)),
    array_shape: ($) => seq("[", list1(field("extent", $._size)), "]"),

    // ---- items ----

    _item: ($) =>
      choice($.val_item, $.tmln_item, $.sptl_item, $.extern_item, $.feq_item, $.fn_item,
             $.type_item, $.const_item, $.party_item, $.pipeline_item, $.import_item,
             $.test_item),

    val_item: ($) =>
      seq("val", field("name", $._name), optional(seq("'", field("sizes", $.size_parameters))),
          field("parameters", alias($.spec_parameters, $.parameters)),
          optional(seq("->", field("results", alias($.spec_results, $.results)))),
          optional(field("constraints", $.where_clause)),
          field("body", $.spec_block)),
    tmln_item: ($) =>
      seq("tmln", field("name", $._name), field("parameters", alias($.spec_parameters, $.parameters)),
          "->", field("results", alias($.spec_results, $.results)), field("body", $.spec_block)),
    sptl_item: ($) =>
      seq("sptl", field("name", $._name), field("parameters", alias($.spec_parameters, $.parameters)),
          "->", field("results", alias($.spec_results, $.results)), field("body", $.spec_block)),

    spec_parameters: ($) => seq("(", list(alias($.spec_parameter, $.parameter)), ")"),
    spec_parameter: ($) => seq(field("name", $._name), ":", field("type", $._type)),
    spec_results: ($) =>
      choice(alias($.spec_result, $.result),
             seq("(", tuple_list(alias($.spec_result, $.result)), ")")),
    spec_result: ($) => seq(optional(seq(field("name", $._name), ":")), field("type", $._type)),

    extern_item: ($) =>
      seq("extern", "(", field("device", $._name), ")", optional(field("purity", $.purity)),
          field("name", $._name), field("parameters", alias($.extern_parameters, $.parameters)),
          optional(seq("->", field("results", alias($.spec_results, $.results)))),
          optional(field("properties", $.extern_properties))),
    purity: (_) => "pure",
    extern_parameters: ($) => seq("(", list(alias($.spec_result, $.parameter)), ")"),
    extern_properties: ($) =>
      seq("{", list(choice($.extern_property, $.extern_resource)), "}"),
    extern_property: ($) =>
      seq(field("key", $._property_key), ":",
          field("value", choice($.string, $.integer, $._name))),
    extern_resource: ($) =>
      seq(field("name", $._name), "{", list($.extern_property), "}"),
    _property_key: ($) => choice($._name, alias("input", $.identifier), alias("output", $.identifier)),

    feq_item: ($) =>
      seq("feq", field("name", $._name), "{", repeat1(field("member", $._class_member)), "}"),
    _class_member: ($) =>
      choice($.val_item, $.tmln_item, $.sptl_item, $.extern_item, $.fn_item),

    fn_item: ($) =>
      seq("fn", optional(seq("(", field("device", $._name),
                              optional(seq(",", field("device", $._name))), ")")),
          field("name", $._name),
          optional(seq("'", field("sizes", $.size_parameters))),
          field("parameters", $.parameters),
          optional(seq("->", field("results", $.results))),
          optional(field("constraints", $.where_clause)),
          optional(field("implements", $.implements)),
          optional(choice(field("schedule", $.schedule), $.open_schedule)),
          field("body", $.block)),
    size_parameters: ($) => seq("<", list1(choice($.type_parameter, $.size_parameter)), ">"),
    size_parameter: ($) => field("name", $._name),
    // `T: number`, `T: i64 | fxp`
    type_parameter: ($) =>
      seq(field("name", $._name), ":", field("bound", $._bound_type),
          repeat(seq("|", field("bound", $._bound_type)))),
    _bound_type: ($) => choice($._name, $.primitive_type),
    where_clause: ($) =>
      seq("where", field("condition", $._expression), repeat(seq(",", field("condition", $._expression)))),
    parameters: ($) => seq("(", list(choice($.function_parameter, $.parameter)), ")"),
    // `f: fn(secret i64) -> secret i64`
    function_parameter: ($) => seq(field("name", $._name), ":", field("type", $.function_type)),
    function_type: ($) =>
      seq("fn", "(", list(field("type", $._type)), ")", "->", field("result", $._type)),
    parameter: ($) =>
      seq(field("name", $._name),
          optional(seq(":", field("type", $._flagged), optional(field("bound", $.bound)))),
          optional(seq("from", field("owner", $._name))),
          optional(field("tags", $.tags))),
    bound: ($) =>
      choice(seq("in", field("lower", $._bound_operand), "..", field("upper", $._bound_operand),
                 optional($._norm)),
             $._norm),
    _norm: ($) => seq("norm", field("norm", $._bound_operand)),
    _bound_operand: ($) =>
      choice($.integer, $.float, $._name, $.parenthesized_expression,
             alias($.negative_number, $.unary_expression)),
    negative_number: ($) =>
      seq(field("operator", "-"), field("operand", choice($.integer, $.float, $._name))),
    results: ($) => choice($.result, seq("(", tuple_list($.result), ")")),
    result: ($) =>
      seq(field("type", $._flagged),
          optional(seq("within", field("tolerance", choice($.integer, $.float)))),
          optional(seq("to", field("owner", $._name))), optional(field("tags", $.tags))),
    implements: ($) => seq("impls", list1(field("specification", $._name))),

    type_item: ($) =>
      seq("type", field("name", $._name), "=", field("type", $._type), optional(";")),
    const_item: ($) =>
      seq("const", field("name", $._name), "=", field("value", $._any_expression), optional(";")),
    party_item: ($) => seq("party", field("name", $._name), optional(";")),
    pipeline_item: ($) =>
      seq("pipeline", field("name", $._name), "{", field("entry", $._name), "}"),
    import_item: ($) => seq("import", field("name", choice($._name, $.string)), optional(";")),
    test_item: ($) => seq("test", field("name", $.string), field("body", $.block)),

    // ---- schedules ----

    schedule: ($) => seq("schedule", "{", repeat($.schedule_entry), "}"),
    // `schedule ?`: the compiler searches, as without it; tools write what it finds.
    open_schedule: ($) => seq("schedule", $.hole),
    schedule_entry: ($) =>
      seq(field("site", $._name), ":", field("layout", $.layout), optional(",")),
    layout: ($) =>
      seq(optional(field("preprocessing", $.preprocessing)),
          choice(seq(field("exploded", $.exploded_dimensions),
                     optional(field("vectorized", $.vectorized_dimensions))),
                 field("vectorized", $.vectorized_dimensions))),
    preprocessing: ($) =>
      seq(field("name", $._name), optional(seq("(", list(field("argument", $.integer)), ")"))),
    exploded_dimensions: ($) => seq("{", list($.exploded_dimension), "}"),
    vectorized_dimensions: ($) => seq("[", list($.vectorized_dimension), "]"),
    exploded_dimension: ($) =>
      seq(field("dimension", $.integer), optional(seq("as", field("name", $._name))),
          ":", field("extent", $.integer), optional(seq("::", field("stride", $.integer)))),
    vectorized_dimension: ($) =>
      seq(field("dimension", $.integer), ":", field("extent", $.integer),
          optional(seq("::", field("stride", $.integer)))),

    // ---- types ----

    _type: ($) =>
      choice($.visible_type, $.primitive_type, $.named_type, $.array_type, $.slice_type,
             $.reference_type, $.record_type),
    _flagged: ($) => choice($._type, $.flagged_type, $.template_type),

    visible_type: ($) => seq(field("visibility", $.visibility), field("type", $._type)),
    visibility: (_) => choice("public", "secret"),
    primitive_type: ($) =>
      choice("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64",
             "Event", "BufferSpace", "Encoder", "Fence", "Future", "RngState",
             prec.right(seq("fxp", optional(seq(alias(token.immediate("<"), "<"),
                                                field("fraction_bits", $.integer), ">"))))),
    named_type: ($) => field("name", $._name),
    array_type: ($) =>
      seq("[", field("element", $._type), ";", list1(field("extent", $._size)), "]"),
    // A length: numbers, names, and arithmetic on them.
    _size: ($) =>
      choice($.integer, $._name, alias($.size_group, $.parenthesized_expression),
             alias($.size_operation, $.binary_expression)),
    size_group: ($) => seq("(", field("value", $._size), ")"),
    size_operation: ($) =>
      choice(
        ...[
          ["+", PREC.additive], ["-", PREC.additive],
          ["*", PREC.multiplicative], ["/", PREC.multiplicative], ["%", PREC.multiplicative],
        ].map(([operator, precedence]) =>
          prec.left(precedence,
            seq(field("left", $._size), field("operator", operator), field("right", $._size)))),
      ),
    slice_type: ($) => seq("[", field("element", $._type), "]"),
    reference_type: ($) => seq("&", field("referent", $._type)),
    record_type: ($) => seq("{", list($.record_field), "}"),
    record_field: ($) => seq(field("name", $._name), ":", field("type", $._flagged)),
    flagged_type: ($) => seq(field("type", $._type), "'", field("flags", $.flags)),
    template_type: ($) =>
      seq(field("type", $._type), "'", field("argument", $._type), optional(field("flags", $.flags))),
    flags: ($) => seq("<", list($.flag), ">"),
    flag: ($) =>
      seq(field("name", $._name), optional(seq("=", field("value", choice($.string, $.integer))))),

    // ---- tags ----

    tags: ($) => seq("@", $._tag_list),
    _tag_list: ($) => choice($.tag, seq("[", list($.tag), "]")),
    tag: ($) =>
      choice(seq(field("quotient", $.quotient), "(", field("node", $.quotient_node), ")",
                 optional(field("flow", $.flow))),
             seq(field("node", $.quotient_node), field("flow", $.flow))),
    quotient: (_) => choice("node", "none", "input"),
    quotient_node: ($) =>
      seq(field("dimension", $.dimension),
          optional(seq(".", choice(field("name", $._name), field("name", $.dim),
                                   seq("(", tuple_list(field("name", $._name)), ")"))))),
    dimension: (_) => choice("val", "tmln", "sptl"),
    flow: (_) => token(choice("-usable", "-saved", "-need", "-dead", "-?")),

    // ---- specifications ----

    spec_block: ($) => seq("{", repeat($._spec_statement), "}"),
    _spec_statement: ($) => choice($.definition, $.returns_statement),
    definition: ($) => seq(list($.spec_binding), ":-", field("value", $._any_expression)),
    spec_binding: ($) => seq(field("name", $._name), optional(seq(":", field("type", $._type)))),
    returns_statement: ($) => seq("returns", field("value", $._any_expression)),

    // ---- statements ----

    block: ($) => seq("{", repeat($._statement), optional(field("result", $._any_expression)), "}"),

    _statement: ($) =>
      choice($.let_statement, $.var_statement, $.assignment_statement, $.call_statement,
             $.hole_statement, $.annotation_statement, $.encode_statement, $.if_expression,
             $.block, $.for_statement, $.while_statement, $.do_statement, $.break_statement,
             $.continue_statement, $.return_statement),

    let_statement: ($) => seq("let", list1($.binding), "=", field("value", $._tail_value), ";"),
    var_statement: ($) =>
      seq("var", list1($.binding), optional(seq("=", field("value", $._tail_value))), ";"),
    binding: ($) =>
      seq(field("name", choice($._name, $.wildcard)), optional(seq(":", field("type", $._flagged))),
          optional(field("tags", $.tags))),
    wildcard: (_) => "_",
    // What may stand behind `=`: an expression, or a block or `if` that yields a value.
    _tail_value: ($) => choice($._any_expression, $.if_expression, $.block),

    assignment_statement: ($) =>
      seq(field("target", choice($._postfix, alias($.dereference, $.unary_expression))), "=", field("value", $._tail_value), ";"),
    dereference: ($) => seq(field("operator", "*"), field("operand", $._postfix)),
    call_statement: ($) => seq(field("call", choice($.call_expression, $.tagged_expression)), ";"),
    hole_statement: (_) => seq("???", ";"),

    annotation_statement: ($) =>
      seq("@", field("place", $.annotation_place), "{", list($.annotation), "}", ";"),
    annotation_place: (_) => choice("in", "out"),
    annotation: ($) => seq(field("key", $.annotation_key), ":", $._tag_list),
    annotation_key: ($) =>
      choice("input", "output", seq(field("name", $._name), optional(seq(".", field("field", $._name)))),
             field("name", $.dim)),

    encode_statement: ($) =>
      seq("encode", field("encoder", $._name), ".", field("method", $._name),
          optional(field("visibility", $.visibility)),
          "[", list($.encode_destination), "<-", field("value", $._any_expression), "]",
          optional(field("tags", $.tags)), ";"),
    encode_destination: ($) => seq(field("name", $._name), optional(field("tags", $.tags))),

    if_expression: ($) =>
      prec.right(seq("if", optional(field("tags", $.tags)), field("condition", $._any_expression),
          field("consequence", $.block),
          optional(seq("else", field("alternative", choice($.if_expression, $.block)))))),

    // Over a range, or over the elements of arrays.
    for_statement: ($) =>
      seq("for", $._loop_variables, "in",
          choice(
            seq(field("lower", $._expression), "..", field("upper", $._expression),
                optional(seq("step", field("step", $._expression))),
                optional(seq("max", field("max", $._expression)))),
            seq(field("array", $._expression), repeat(seq(",", field("array", $._expression))))),
          field("body", $.block)),
    _loop_variables: ($) =>
      seq(field("variable", $._name), repeat(seq(",", field("variable", $._name)))),
    while_statement: ($) =>
      seq("while", field("condition", $._any_expression),
          optional(seq("max", field("max", $._expression))), field("body", $.block)),
    do_statement: ($) =>
      seq("do", field("body", $.block), "while", field("condition", $._any_expression),
          optional(seq("max", field("max", $._expression))), ";"),
    break_statement: (_) => seq("break", ";"),
    continue_statement: (_) => seq("continue", ";"),
    return_statement: ($) => seq("return", optional(field("value", $._tail_value)), ";"),

    // ---- expressions ----

    _any_expression: ($) => choice($._expression, $.conditional_expression, $.let_expression,
                                   $.range_expression, $.path_expression),

    conditional_expression: ($) =>
      prec.right(PREC.conditional,
        seq(field("consequence", choice($._expression, $.range_expression, $.path_expression)), "if",
            field("condition", choice($._expression, $.range_expression, $.path_expression)), "else",
            field("alternative", $._any_expression))),
    let_expression: ($) =>
      prec.right(PREC.let_in,
        seq("let", list1($.binding), "=", field("value", $._any_expression), "in",
            field("body", $._any_expression))),
    range_expression: ($) =>
      prec.left(PREC.range, seq(field("left", $._expression), "..", field("right", $._expression))),
    path_expression: ($) =>
      prec.right(PREC.path, seq(field("left", $._expression), "::",
                                field("right", choice($._expression, $.path_expression)))),

    // Everything that binds tighter than `..` and `::`.
    _expression: ($) =>
      choice(alias($.logical_expression, $.binary_expression), $._operand),

    logical_expression: ($) =>
      choice(
        ...[
          ["|", PREC.bit_or], ["^", PREC.bit_xor], ["&", PREC.bit_and],
          ["<<", PREC.shift], [">>", PREC.shift], [">>>", PREC.shift],
          ["||", PREC.logical_or], ["&&", PREC.logical_and],
          ["<", PREC.comparison], ["<=", PREC.comparison], [">", PREC.comparison],
          [">=", PREC.comparison], ["==", PREC.comparison], ["!=", PREC.comparison],
          ["++", PREC.concatenation],
        ].map(([operator, precedence]) =>
          prec.left(precedence,
            seq(field("left", $._expression), field("operator", operator),
                field("right", $._expression)))),
      ),

    // Arithmetic and everything tighter: what may stand between `'<` and `>`.
    _operand: ($) => choice($.binary_expression, $.cast_expression, $._unary),

    _unary: ($) =>
      choice($.unary_expression, $.submit_expression, $.await_expression,
             $.encode_begin_expression, $._postfix),

    _postfix: ($) =>
      choice($.call_expression, $.index_expression, $.slice_expression, $.field_expression,
             $.tagged_expression,
             $.for_expression, alias($.repetition, $.for_expression), $.parenthesized_expression,
             $.tuple_expression, $.array_expression,
             $.hole, $.statement_hole, $._name, $.dim, $.integer, $.float, $.boolean, $.string),

    binary_expression: ($) =>
      choice(
        ...[
          ["+", PREC.additive], ["-", PREC.additive],
          ["*", PREC.multiplicative], ["/", PREC.multiplicative], ["%", PREC.multiplicative],
        ].map(([operator, precedence]) =>
          prec.left(precedence,
            seq(field("left", $._operand), field("operator", operator),
                field("right", $._operand)))),
      ),

    cast_expression: ($) =>
      prec.left(PREC.cast, seq(field("value", choice($.cast_expression, $._unary)), "as", field("type", $._type))),

    unary_expression: ($) =>
      prec(PREC.unary,
        seq(field("operator", choice("-", "!", "~", "&", "*")), field("operand", $._unary))),

    submit_expression: ($) =>
      prec(PREC.device,
        seq("submit", optional(field("tags", $.tags)), field("operand", $._unary))),
    await_expression: ($) =>
      prec(PREC.device,
        seq("await", optional(field("tags", $.tags)), field("operand", $._unary))),
    encode_begin_expression: ($) =>
      seq("encode-begin", optional(field("tags", $.tags)), field("device", $._name)),

    call_expression: ($) =>
      prec(PREC.postfix,
        seq(field("function", $._postfix), optional(seq("'", field("template", $._template))),
            field("arguments", $.arguments))),
    _template: ($) => choice($.template_arguments, $._flagged),
    template_arguments: ($) => seq("<", list(choice($._operand, $.primitive_type)), ">"),
    arguments: ($) => seq("(", list(choice($._any_expression, $.operator, $.receiver)), ")"),
    // `+` in `reduce(+, 0, e)`.
    operator: (_) => choice("+", "*"),
    // `to alice` in `reveal(e, to alice)`.
    receiver: ($) => seq("to", field("party", $._name)),

    index_expression: ($) =>
      prec(PREC.postfix,
        seq(field("array", $._postfix), "[",
            field("index", choice($._expression, $.path_expression)), "]")),
    // `a[lo..hi]`, `a[..hi]`, `a[lo..]`, `a[lo..hi : step]`.
    slice_expression: ($) =>
      prec(PREC.postfix,
        seq(field("array", $._postfix), "[", optional(field("lower", $._expression)), "..",
            optional(field("upper", $._expression)),
            optional(seq(":", field("step", $._expression))), "]")),
    field_expression: ($) =>
      prec(PREC.postfix, seq(field("record", $._postfix), ".", field("field", $._name))),
    tagged_expression: ($) =>
      prec(PREC.postfix, seq(field("value", $._postfix), field("tags", $.tags))),

    // Over the numbers below a length, or over the elements of arrays.
    for_expression: ($) =>
      seq("for", $._loop_variables, ":", field("extent", $._any_expression),
          repeat(seq(",", field("extent", $._any_expression))),
          "{", field("body", $._any_expression), "}"),

    // `[e; n]`: equal elements, a loop without a variable.
    repetition: ($) =>
      seq("[", field("body", $._any_expression), ";", field("extent", $._any_expression), "]"),

    parenthesized_expression: ($) => seq("(", field("value", $._any_expression), ")"),
    tuple_expression: ($) => seq("(", tuple_list(field("element", $._any_expression)), ")"),
    array_expression: ($) => seq("[", list(field("element", $._any_expression)), "]"),

    hole: (_) => "?",
    statement_hole: (_) => "???",

    // A name. The listed words start a construct as well; as names they stand where that
    // construct cannot.
    _name: ($) => choice($.identifier, alias($._contextual_word, $.identifier)),
    _contextual_word: (_) =>
      prec(-1, choice("for", "while", "do", "break", "continue", "to")),

    identifier: (_) => /[A-Za-z][A-Za-z0-9_]*/,
    dim: (_) => /_dim[0-9]/,
    integer: (_) => /[0-9]+/,
    float: (_) => /[0-9]+\.[0-9]+/,
    boolean: (_) => choice("true", "false"),
    string: (_) => /"[^"\r\n]*"/,

    doc_comment: (_) => token(/\/\/\/([^\/\r\n][^\r\n]*)?/),
    line_comment: (_) => token(/\/\/[^\r\n]*/),
    block_comment: (_) => token(seq("/*", /[^*]*\*+([^/*][^*]*\*+)*/, "/")),
  },
});
