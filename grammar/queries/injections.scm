; Editors that know a language for comments mark up what stands in them.

([(line_comment) (block_comment) (doc_comment)] @injection.content
 (#set! injection.language "comment"))
