" Tacet's language server for ALE: diagnostics, hovers, definitions, completion, fixes.

call ale#Set('tacet_executable', 'tacet')

function! TacetProjectRoot(buffer) abort
  let l:manifest = ale#path#FindNearestFile(a:buffer, 'tacet.toml')
  return empty(l:manifest) ? fnamemodify(bufname(a:buffer), ':p:h') : fnamemodify(l:manifest, ':h')
endfunction

call ale#linter#Define('tacet', {
\   'name': 'tacet',
\   'lsp': 'stdio',
\   'executable': {buffer -> ale#Var(buffer, 'tacet_executable')},
\   'command': '%e lsp',
\   'project_root': function('TacetProjectRoot'),
\})
