-- Colours for what depends on a secret: the word `secret`, and since Neovim 0.9 names, by the server's
-- modifier `secret`. All are links that end in `TacetSecret`, which a colour scheme or a user can define.

local M = {}

-- Contrast with black and white backgrounds: 7.8 and 12.3; for schemes of high contrast 11.9 and 14.8.
local groups = {
  TacetSecretLight = 'guifg=#6b2fb3 ctermfg=55 gui=bold cterm=bold',
  TacetSecretDark = 'guifg=#d9b8ff ctermfg=183 gui=bold cterm=bold',
  TacetSecretLightContrast = 'guifg=#4b0099 ctermfg=54 gui=bold,underline cterm=bold,underline',
  TacetSecretDarkContrast = 'guifg=#e6d0ff ctermfg=189 gui=bold,underline cterm=bold,underline',
}

-- What shows secrets: Vim's syntax, and since Neovim 0.8, which has groups with such names, the tree and
-- the server.
local has_captures = vim.fn.has('nvim-0.8') == 1
local links = { 'tacetKeywordDirectiveSecret' }
if has_captures then
  vim.list_extend(links, { '@keyword.directive.secret.tacet', '@lsp.mod.secret.tacet' })
end

--- The share of the light of white that a colour has, as the WCAG computes it.
local function luminance(colour)
  local sum = 0
  for i, weight in ipairs({ 0.2126, 0.7152, 0.0722 }) do
    local part = math.floor(colour / 256 ^ (3 - i)) % 256 / 255
    sum = sum + weight * (part <= 0.03928 and part / 12.92 or ((part + 0.055) / 1.055) ^ 2.4)
  end
  return sum
end

--- The luminance of what the colour scheme writes text with, and of what on; nothing where a terminal
--- decides.
local function luminances()
  local is_exact = vim.o.termguicolors
  for _, ui in ipairs(vim.api.nvim_list_uis()) do
    is_exact = is_exact or ui.rgb
  end
  local function of(what)
    local name = vim.fn.synIDattr(vim.fn.hlID('Normal'), what, 'gui')
    local colour = name == '' and -1 or vim.api.nvim_get_color_by_name(name)
    return colour >= 0 and luminance(colour) or nil
  end
  if is_exact then
    return of('fg'), of('bg')
  end
end

--- The group for the background. Without `high_contrast` the colour scheme decides whether it is one of
--- high contrast: of black on white or the reverse, or almost so.
local function group_of_background(high_contrast)
  local front, back = luminances()
  local is_light = vim.o.background == 'light'
  if back then
    is_light = back > 0.18
  end
  if high_contrast == nil and front and back then
    high_contrast = (math.max(front, back) + 0.05) / (math.min(front, back) + 0.05) >= 18
  end
  return 'TacetSecret' .. (is_light and 'Light' or 'Dark') .. (high_contrast and 'Contrast' or '')
end

--- Defines the groups that nobody else defined.
function M.define(high_contrast)
  for name, colours in pairs(groups) do
    vim.cmd(('highlight default %s %s'):format(name, colours))
  end
  local is_ours = vim.fn.hlexists('TacetSecret') == 0
  if not is_ours then
    local now = vim.fn.execute('highlight TacetSecret')
    is_ours = now:find('cleared', 1, true) ~= nil or groups[now:match('links to (%w+)')] ~= nil
  end
  if is_ours then
    vim.cmd('highlight! link TacetSecret ' .. group_of_background(high_contrast))
  end
  for _, name in ipairs(links) do
    vim.cmd(('highlight default link %s TacetSecret'):format(name))
  end
  if not has_captures then
    vim.treesitter.highlighter.hl_map['keyword.directive.secret'] = 'TacetSecret'
  end
end

return M
