-- What a user writes in init.lua, but for the paths.
local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h')
vim.opt.runtimepath:append(root .. '/editors/nvim')
require('tacet').setup({ cmd = { vim.env.TACET, 'lsp' } })
