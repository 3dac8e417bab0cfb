" A session of Vim with our files and ALE: the mistake is reported, keywords have colours, a line is
" indented. Writes what it saw to $RESULT.
set nocompatible hidden
let s:here = expand('<sfile>:p:h')
execute 'set runtimepath^=' . fnameescape(fnamemodify(s:here, ':h:h') . '/editors/vim')
set runtimepath^=/usr/share/vim-ale
filetype plugin indent on
syntax on
let g:ale_linters = {'tacet': ['tacet']}
let g:ale_tacet_executable = $TACET
let g:ale_lint_on_enter = 1
runtime! plugin/ale.vim

let s:said = []
function s:expect(what, is_true) abort
  call add(s:said, (a:is_true ? 'ok ' : 'FAIL ') . a:what)
endfunction
function s:colour(pattern) abort
  call cursor(1, 1)
  call search(a:pattern)
  return synIDattr(synID(line('.'), col('.'), 1), 'name')
endfunction

edit mistake.tacet
call s:expect('the file type', &filetype ==# 'tacet')
call s:expect('a keyword', s:colour('\<tmln\>') ==# 'tacetKeywordFunction')
call s:expect('a documentation comment', s:colour('Adds one') ==# 'tacetCommentDocumentation')
call s:expect('a type', s:colour('\<Event\>') ==# 'tacetTypeBuiltin')
call s:expect('a definition', s:colour('\<at_once\>') ==# 'tacetFunction')
if exists(':ALELint')
  call ale#Queue(0)
  let s:tries = 0
  while s:tries < 200 && empty(ale#engine#GetLoclist(bufnr('%')))
    sleep 50m
    let s:tries += 1
  endwhile
  let s:found = ale#engine#GetLoclist(bufnr('%'))
  call s:expect('the missing semicolon', !empty(s:found) && s:found[0].text =~# ';' && s:found[0].lnum == 18)
  let s:n_missing = 0
  redir => s:messages
  for s:i in range(2)
    let g:ale_tacet_executable = '/no/such/tacet'
    call ale#Queue(0)
    sleep 300m
  endfor
  messages
  redir END
  let s:n_missing = count(s:messages, 'there is no program `/no/such/tacet`: install Tacet')
  " Once when it is shown, once in the list of messages.
  call s:expect('a missing server is reported once, not ' . s:n_missing . ' times', s:n_missing == 2)
else
  call add(s:said, 'no ALE')
endif
call append('$', ['', 'fn f(x: i64) -> i64 {', 'x', '}'])
normal! Gk==
call s:expect('indentation', getline('.') ==# '    x')
normal! G==
call s:expect('a closing brace', getline('.') ==# '}')
call writefile(s:said, $RESULT)
qall!
