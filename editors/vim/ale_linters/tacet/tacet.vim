" Tacet's language server for ALE: diagnostics, hovers, definitions, completion, fixes.

call ale#Set('tacet_executable', 'tacet')

function! TacetProjectRoot(buffer) abort
  let l:manifest = ale#path#FindNearestFile(a:buffer, 'tacet.toml')
  return empty(l:manifest) ? fnamemodify(bufname(a:buffer), ':p:h') : fnamemodify(l:manifest, ':h')
endfunction

" ALE itself is silent about a program that is missing.
function! TacetExecutable(buffer) abort
  let l:program = ale#Var(a:buffer, 'tacet_executable')
  if !executable(l:program) && get(g:, 'tacet_missing', '') !=# l:program
    let g:tacet_missing = l:program
    echohl WarningMsg
    echomsg 'Tacet: there is no program `' . l:program . '`: install Tacet, or set g:ale_tacet_executable to its path'
    echohl None
  endif
  return l:program
endfunction

call ale#linter#Define('tacet', {
\   'name': 'tacet',
\   'lsp': 'stdio',
\   'executable': function('TacetExecutable'),
\   'command': '%e lsp',
\   'project_root': function('TacetProjectRoot'),
\})
