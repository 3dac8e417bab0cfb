# Tacet in Kakoune: colours, comments, indentation; the language server through kakoune-lsp.

hook global BufCreate .*\.(tacet|tlhe) %{ set-option buffer filetype tacet }
hook global BufCreate .*\.cm %{
    evaluate-commands %sh{
        case "$(head -c 9 -- "$kak_buffile" 2>/dev/null)" in '#version '*) echo 'set-option buffer filetype tacet' ;; esac
    }
}

hook global WinSetOption filetype=tacet %{
    require-module tacet
    set-option buffer comment_line '//'
    set-option buffer comment_block_begin '/*'
    set-option buffer comment_block_end '*/'
    set-option buffer indentwidth 4
    add-highlighter window/tacet ref tacet
    hook -group tacet-indent window InsertChar \n tacet-indent-on-new-line
    hook -group tacet-indent window InsertChar [)\]\x7d] tacet-indent-on-closing
    hook -once -always window WinSetOption filetype=.* %{
        remove-highlighter window/tacet
        remove-hooks window tacet-.+
    }
}

declare-option -hidden str tacet_folder %sh{ dirname "$kak_source" }

provide-module tacet %{
    add-highlighter shared/tacet regions
    add-highlighter shared/tacet/code default-region group
    add-highlighter shared/tacet/string region '"' '"|$' fill string
    add-highlighter shared/tacet/documentation region '///(?!/)' $ fill documentation
    add-highlighter shared/tacet/line region '//' $ fill comment
    add-highlighter shared/tacet/block region '/\*' '\*/' fill comment
    source "%opt{tacet_folder}/tacet_words.kak"

    define-command -hidden tacet-indent-on-new-line %{
        evaluate-commands -draft -itersel %{
            # As far in as the line before, and a step further behind an open bracket.
            try %{ execute-keys -draft <semicolon> K <a-&> }
            try %{ execute-keys -draft k x <a-k>[(\[\x7b]\h*$<ret> j <a-gt> }
            try %{ execute-keys -draft k x s^\h+$<ret> d }
            try %{ execute-keys -draft k x s^\h*\K///\h*<ret> y gh j <a-semicolon> P }
        }
    }
    define-command -hidden tacet-indent-on-closing %{
        evaluate-commands -draft -itersel %{
            try %{ execute-keys -draft <a-h> <a-k>^\h*[)\]\x7d]$<ret> h m <a-S> 1<a-&> }
        }
    }
}
