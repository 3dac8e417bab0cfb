" A line stands one step further in than the line before for each bracket that line leaves open, but
" never more than one; and one step out for a bracket that it begins with.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=TacetIndent(v:lnum)
setlocal indentkeys=0{,0},0),0],!^F,o,O
setlocal nosmartindent autoindent
let b:undo_indent = 'setlocal indentexpr< indentkeys< smartindent< autoindent<'

if exists('*TacetIndent')
  finish
endif

" The line without strings and comments.
function s:code(number) abort
  return substitute(substitute(getline(a:number), '"[^"]*"', '""', 'g'), '//.*$', '', '')
endfunction

" How many brackets the line leaves open; those it closes first are not counted against it.
function s:left_open(code) abort
  let depth = 0
  for mark in split(substitute(a:code, '[^][(){}]', '', 'g'), '\zs')
    let depth = mark =~# '[[({]' ? depth + 1 : max([depth - 1, 0])
  endfor
  return depth
endfunction

function TacetIndent(number) abort
  let before = prevnonblank(a:number - 1)
  if before == 0
    return 0
  endif
  let depth = indent(before) + (s:left_open(s:code(before)) > 0 ? shiftwidth() : 0)
  return max([depth - (s:code(a:number) =~# '^\s*[])}]' ? shiftwidth() : 0), 0])
endfunction
