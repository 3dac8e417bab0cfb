-- Makes Neovim know the file type; all else waits for the first such file.
if vim.g.loaded_tacet then
  return
end
vim.g.loaded_tacet = true

-- Indentation, comments and, where the tree-sitter parser is missing, colours are Vim's.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
vim.opt.runtimepath:append(vim.fn.fnamemodify(here, ':h') .. '/vim')
vim.cmd('runtime ftdetect/tacet.vim')
if vim.filetype and vim.filetype.add then
  vim.filetype.add({ extension = { tacet = 'tacet', tlhe = 'tacet' } })
end

require('tacet').commands()
require('tacet').colours()
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'tacet',
  callback = function(event) require('tacet').attach(event.buf) end,
})
