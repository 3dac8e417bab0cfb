-- A session of Neovim with Tacet's plugin: an error is shown, explained and fixed, while typing
-- too; hovering, the outline and formatting work, and what the plugin adds. Every step says what it
-- saw.

local function say(text) io.stdout:write(text .. '\n') end
local function fail(text) say('FAIL ' .. text); vim.cmd('cquit 1') end
local function expect(is_true, text) if not is_true then fail(text) end end
-- The client whose server has to be there: without it there is nothing to wait for.
local needed
local function wait(what, is_true)
  local function is_over() return is_true() or (needed ~= nil and needed.is_stopped()) end
  vim.wait(20000, is_over, 5)
  expect(is_true(), (needed and needed.is_stopped() and 'the server ended while waiting for ' or 'waited in vain for ') .. what)
end
local function lines() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') end

-- Of what Neovim is going to drop, our plugin uses nothing.
local deprecated = {}
local real_deprecate = vim.deprecate
if real_deprecate then
  vim.deprecate = function(name, ...)
    local from = debug.traceback()
    if from:find('lua/tacet.lua', 1, true) then
      table.insert(deprecated, name)
    elseif not from:find('neovim.lua', 1, true) then
      return real_deprecate(name, ...)
    end
  end
end
local is_newer = vim.fn.has('nvim-0.10') == 1
expect(is_newer or not vim.env.TACET_NEWER, 'not Neovim 0.10 or later')

-- Opening the file was enough.
local careless = vim.api.nvim_buf_get_lines(0, 0, -1, false)
expect(vim.bo.filetype == 'tacet', 'not the file type: ' .. vim.bo.filetype)
local plugin = require('tacet')
wait('the client', function() return plugin.client(0) end)
local client = plugin.client(0)
local id = client.id
needed = client

-- The tree-sitter parser has read it, and the queries are found.
local tree = vim.treesitter.get_parser(0, 'tacet'):parse()[1]
expect(tree:root():type() == 'source_file', 'not parsed: ' .. tree:root():type())
local buffer = vim.api.nvim_get_current_buf()
expect(vim.treesitter.highlighter.active[buffer], 'the tree does not highlight')
local get_query = vim.treesitter.query.get or vim.treesitter.query.get_query
for _, query in ipairs({ 'highlights', 'locals', 'injections', 'folds', 'indents' }) do
  expect(get_query('tacet', query), 'no query ' .. query)
end

local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 10000)
  local answer = answers and answers[id]
  expect(answer and not answer.error, method .. ' failed: ' .. vim.inspect(answer))
  return answer.result
end
local function place(line, column)
  return {
    textDocument = vim.lsp.util.make_text_document_params(),
    position = { line = line, character = column },
  }
end

-- So do the queries of Zed, which cannot be run here.
local root = vim.fn.fnamemodify(vim.env.MYVIMRC or debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h')
local parse_query = vim.treesitter.query.parse or vim.treesitter.parse_query
local files = vim.fn.glob(root .. '/editors/zed/languages/tacet/*.scm', true, true)
expect(#files == 4, 'not four queries in ' .. root)
for _, file in ipairs(files) do
  local text = table.concat(vim.fn.readfile(file), '\n')
  local is_right, problem = pcall(parse_query, 'tacet', text)
  expect(is_right, file .. ': ' .. tostring(problem))
end

-- The missing semicolon is found where it is missing.
wait('a diagnostic', function() return #vim.diagnostic.get(0) > 0 end)
local found = vim.diagnostic.get(0)[1]
say(('diagnostic %d:%d %s'):format(found.lnum, found.col, found.message))
expect(#vim.diagnostic.get(0) == 1, 'one mistake, one diagnostic: ' .. vim.inspect(vim.diagnostic.get(0)))
expect(found.lnum == 17 and found.message:find(';', 1, true), 'not the missing semicolon')

-- Its fix, as a code action, fixes it.
local range = {
  start = { line = found.lnum, character = found.col },
  ['end'] = { line = found.end_lnum, character = found.end_col },
}
local actions = request('textDocument/codeAction', {
  textDocument = vim.lsp.util.make_text_document_params(), range = range,
  context = { diagnostics = {}, only = { 'quickfix' } },
})
expect(actions and #actions == 1, 'not one quick fix: ' .. vim.inspect(actions))
say('fix ' .. actions[1].title)
-- Its edits are requested when it is chosen, as `vim.lsp.buf.code_action` does.
local fix = actions[1].edit and actions[1] or request('codeAction/resolve', actions[1])
vim.lsp.util.apply_workspace_edit(fix.edit, client.offset_encoding)
expect(vim.api.nvim_buf_get_lines(0, 17, 18, false)[1] == '    let y = x + 1;', 'not fixed: ' .. lines())
wait('the diagnostic to go', function() return #vim.diagnostic.get(0) == 0 end)

-- Hints for types stand in the text, words have the colours of the tree and of the server.
if is_newer then
  local hints
  wait('hints', function()
    hints = vim.lsp.inlay_hint.get({ bufnr = 0 })
    return #hints > 0
  end)
  local hint = hints[1].inlay_hint
  local label = type(hint.label) == 'string' and hint.label or hint.label[1].value
  say(('hint %d:%d %s'):format(hint.position.line, hint.position.character, label))
  expect(hint.position.line == 17 and label:find('i64', 1, true), 'not the type of y')
  local function captured(line, column, name)
    for _, capture in ipairs(vim.treesitter.get_captures_at_pos(0, line, column)) do
      if capture.lang == 'tacet' and capture.capture:find(name, 1, true) then return true end
    end
  end
  expect(captured(3, 0, 'keyword') and captured(2, 5, 'comment'), 'not coloured by the tree')
  local function token(line, column)
    local found = vim.lsp.semantic_tokens.get_at_pos(0, line, column)
    return found and found[1] and found[1].type
  end
  wait('the colours of the server', function() return token(17, 8) and token(16, 3) end)
  say('tokens ' .. token(16, 3) .. ' ' .. token(17, 8))
  expect(token(16, 3) == 'function' and token(17, 8) == 'variable', 'coloured otherwise')
end

-- A name is renamed where it stands and where it is used, and back.
for _, name in ipairs({ 'one_more', 'add_one' }) do
  vim.api.nvim_win_set_cursor(0, { 17, 30 })
  vim.lsp.buf.rename(name)
  wait('the new name', function()
    return lines():find('val   ' .. name .. '(', 1, true) and lines():find('impls ' .. name .. ',', 1, true)
  end)
end

-- Typing a mistake shows it, and taking it back hides it.
vim.api.nvim_buf_set_lines(0, 18, 19, false, { '    y + )' })
wait('the typed mistake', function() return #vim.diagnostic.get(0) > 0 end)
say('typed ' .. vim.diagnostic.get(0)[1].message)
vim.api.nvim_buf_set_lines(0, 18, 19, false, { '    y' })
wait('the typed mistake to go', function() return #vim.diagnostic.get(0) == 0 end)

-- Omni-completion gives the name that is being typed. Without a screen there is no insert mode and
-- no menu: what Neovim would put into the menu is checked, and the first entry taken.
vim.api.nvim_buf_set_lines(0, 18, 19, false, { '    ke' })
vim.api.nvim_win_set_cursor(0, { 19, 6 })
local offered
local real_complete, real_mode, real_get_mode = vim.fn.complete, vim.fn.mode, vim.api.nvim_get_mode
vim.fn.mode = function() return 'i' end
vim.api.nvim_get_mode = function() return { mode = 'i', blocking = false } end
vim.fn.complete = function(column, items) offered = { column = column, items = items } end
expect(vim.lsp.omnifunc(1, '') == -2, 'omni-completion is not active')
wait('completions', function() return offered end)
vim.fn.complete, vim.fn.mode, vim.api.nvim_get_mode = real_complete, real_mode, real_get_mode
expect(#offered.items > 0, 'no completion')
local first = offered.items[1]
say(('completion %s at %d, %s'):format(first.word, offered.column, first.menu or ''))
expect(first.word == 'keep' and offered.column == 5, 'not keep: ' .. vim.inspect(offered))
vim.api.nvim_buf_set_text(0, 18, offered.column - 1, 18, 6, { first.word .. '(x)' })
expect(vim.api.nvim_buf_get_lines(0, 18, 19, false)[1] == '    keep(x)', 'completed otherwise: ' .. lines())
-- It is a call that the server understands: it says that it is not what the specification has.
wait('the completed call to be understood', function()
  local all = vim.diagnostic.get(0)
  return #all == 1 and all[1].message:find('computes `keep(x)`', 1, true)
end)
vim.api.nvim_buf_set_lines(0, 18, 19, false, { '    y' })

-- Hovering over the specification that `keep` implements shows its head and documentation.
local hover = request('textDocument/hover', place(16, 30))
expect(hover and hover.contents, 'no hover')
local text = hover.contents.value
say('hover ' .. text:gsub('\n', ' | '))
expect(text:find('add_one', 1, true) and text:find('Adds one', 1, true), 'not the hover of add_one')
local target = request('textDocument/definition', place(16, 30))
expect(target and target[1], 'no definition')
local at = (target[1].targetSelectionRange or target[1].range).start
say(('definition %d:%d'):format(at.line, at.character))
expect(at.line == 3 and at.character == 6, 'the definition is elsewhere')

local symbols = request('textDocument/documentSymbol', { textDocument = vim.lsp.util.make_text_document_params() })
local names = {}
for _, symbol in ipairs(symbols) do table.insert(names, symbol.name) end
say('symbols ' .. table.concat(names, ' '))
expect(vim.deep_equal(names, { 'add_one', 'at_once', 'in_no_buffer', 'keep' }), 'not the outline')

-- Formatting rewrites the careless head and nothing else.
local edits = request('textDocument/formatting', {
  textDocument = vim.lsp.util.make_text_document_params(),
  options = { tabSize = 4, insertSpaces = true },
})
vim.lsp.util.apply_text_edits(edits, buffer, client.offset_encoding)
local wanted = [[
#version 0.1.0

/// Adds one, and is written carelessly.
val add_one(x: i64) -> i64 {
    returns x + 1
}

/// Nothing is waited for.
tmln at_once(start: Event) -> Event {
    returns start
}

sptl in_no_buffer(space: BufferSpace) -> BufferSpace {
    returns space
}

fn keep(x: i64) -> i64 impls add_one, at_once, in_no_buffer {
    let y = x + 1;
    y
}]]
expect(lines() == wanted, 'formatted otherwise:\n' .. lines())

-- Typing a line indents it.
vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', 'fn f(x: i64) -> i64 {', 'x', '}' })
vim.cmd('normal! Gk==')
expect(vim.api.nvim_get_current_line() == '    x', 'not indented: ' .. vim.api.nvim_get_current_line())
vim.cmd('normal! G==')
expect(vim.api.nvim_get_current_line() == '}', 'not taken back: ' .. vim.api.nvim_get_current_line())

-- The oblivious form of a function stands beside it, and follows edits.
vim.cmd('silent write | edit secrets.tacet')
wait('the client of the second file', function() return plugin.client(0) end)
expect(plugin.client(0).id == id, 'a second server was started')
local source = vim.api.nvim_get_current_win()

-- What depends on a secret has a group of its own, whose colour fits light and dark backgrounds, and more
-- so where the colour scheme has high contrast; one of the user's stays.
local function colour(group, mode)
  return vim.fn.synIDattr(vim.fn.synIDtrans(vim.fn.hlID(group)), 'fg#', mode)
end
local function expect_secrets(group, gui, terminal)
  local names = is_newer and { 'TacetSecret', '@keyword.directive.secret.tacet', '@lsp.mod.secret.tacet' } or { 'TacetSecret' }
  for _, name in ipairs(names) do
    local found = vim.fn.synIDattr(vim.fn.synIDtrans(vim.fn.hlID(name)), 'name')
    expect(found == group, ('%s is shown as %s, not as %s'):format(name, found, group))
    expect(colour(name, 'gui') == gui and colour(name, 'cterm') == terminal, 'not the colours of ' .. group)
  end
end
vim.o.termguicolors = true
for _, background in ipairs({ 'light', 'dark' }) do
  vim.cmd('colorscheme default')
  vim.o.background = background
  vim.cmd('doautocmd OptionSet background')
  local is_light = background == 'light'
  expect_secrets(is_light and 'TacetSecretLight' or 'TacetSecretDark', is_light and '#6b2fb3' or '#d9b8ff', is_light and '55' or '183')
  vim.cmd(is_light and 'highlight Normal guifg=black guibg=white' or 'highlight Normal guifg=white guibg=black')
  vim.cmd('doautocmd ColorScheme')
  expect_secrets(is_light and 'TacetSecretLightContrast' or 'TacetSecretDarkContrast', is_light and '#4b0099' or '#e6d0ff', is_light and '54' or '189')
end
if is_newer then
  local function is_secret(line, column)
    local found = vim.lsp.semantic_tokens.get_at_pos(0, line, column)
    return found and found[1] and found[1].modifiers.secret
  end
  wait('the colours of secrets', function() return is_secret(4, 7) end)
  expect(is_secret(3, 15) and is_secret(4, 11) and not is_secret(3, 8), 'not the names of secrets')
  local word = vim.inspect_pos(0, 3, 18).treesitter
  expect(word[#word].hl_group == '@keyword.directive.secret.tacet', 'not the word: ' .. vim.inspect(word))
else
  local map = vim.treesitter.highlighter.hl_map
  expect(map['keyword.directive.secret'] == 'TacetSecret', 'the word has another group')
end
vim.cmd('highlight! link TacetSecret Special')
vim.cmd('doautocmd ColorScheme')
expect_secrets('Special', colour('Special', 'gui'), colour('Special', 'cterm'))
say('secrets have colours')

vim.api.nvim_win_set_cursor(0, { 5, 4 })
vim.cmd('TacetOblivious')
expect(#vim.api.nvim_list_wins() == 2 and vim.api.nvim_get_current_win() == source, 'no window beside')
local beside = vim.api.nvim_win_get_buf(vim.api.nvim_list_wins()[1] == source and vim.api.nvim_list_wins()[2]
  or vim.api.nvim_list_wins()[1])
local function form() return table.concat(vim.api.nvim_buf_get_lines(beside, 0, -1, false), '\n') end
wait('the oblivious form', function() return form():find('larger', 1, true) end)
expect(not form():find('return b;', 1, true), 'not oblivious: ' .. form())
local first_form = form()
vim.api.nvim_buf_set_lines(0, 4, 5, false, { '    if b < a {' })
vim.cmd('doautocmd TextChanged')
wait('the form of the edited text', function() return form() ~= first_form end)
say('oblivious form of ' .. #vim.split(form(), '\n') .. ' lines')

-- So does any other stage; a problem is shown in its place.
vim.cmd('TacetStage mpc')
local shares = vim.fn.bufnr('tacet-mpc://')
local function shown() return table.concat(vim.api.nvim_buf_get_lines(shares, 0, -1, false), '\n') end
wait('the program of the parties', function() return shown():find('^mpc_program') end)
vim.cmd('TacetStage schedule')
local schedule = vim.fn.bufnr('tacet-schedule://')
wait('why there is no schedule', function()
  return table.concat(vim.api.nvim_buf_get_lines(schedule, 0, -1, false), '\n'):find('there is no', 1, true)
end)

-- An array program is run under encryption, on random numbers: the first of the choices.
vim.fn.inputlist = function() return 1 end
vim.cmd('silent edit! program.tlhe')
wait('the client of the program', function() return plugin.client(0) end)
vim.cmd('TacetRun')
wait('the run', function() return plugin.last_run end)
say('run ' .. vim.inspect(plugin.last_run):gsub('%s+', ' '):sub(1, 80))

-- Neovim's own commands do what the requests above did: they fix the error, and format.
if is_newer then
  vim.cmd('silent edit! mistake.tacet')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, careless)
  wait('the diagnostic again', function() return #vim.diagnostic.get(0) == 1 end)
  vim.api.nvim_win_set_cursor(0, { 18, 16 })
  vim.lsp.buf.code_action({ apply = true, context = { only = { 'quickfix' } } })
  wait('the fix', function() return lines():find('x + 1;', 1, true) end)
  vim.lsp.buf.format({ async = false })
  expect(lines() == wanted, 'formatted otherwise by vim.lsp.buf.format:\n' .. lines())
  vim.cmd('silent edit! program.tlhe')
  wait('the client of the program', function() return plugin.client(0) end)
end

-- A new server takes the place of the old one.
needed = nil
vim.cmd('TacetRestart')
wait('the new client', function() return plugin.client(0) and plugin.client(0).id ~= id end)
expect(client.is_stopped(), 'the old server still runs')
client = plugin.client(0)

-- A program that is not there is reported once, with what to do, and so is a command without a server.
local warnings = {}
local real_notify = vim.notify
vim.notify = function(text)
  if text:find('Tacet:', 1, true) == 1 then table.insert(warnings, text) end
end
local cmd = plugin.options.cmd
needed = nil
plugin.setup({ cmd = { 'no-such-tacet', 'lsp' } })
vim.cmd('TacetRestart')
vim.cmd('silent edit! secrets.tacet')
local n_windows = #vim.api.nvim_list_wins()
expect(#warnings == 1 and warnings[1]:find('PATH has no program `no%-such%-tacet`: install Tacet'), 'not reported once: ' .. vim.inspect(warnings))
vim.cmd('TacetOblivious')
vim.cmd('TacetRun')
expect(#warnings == 3 and #vim.api.nvim_list_wins() == n_windows, 'commands without a server: ' .. vim.inspect(warnings))
plugin.setup({ cmd = { vim.fn.exepath('false') } })
vim.cmd('TacetRestart')
wait('the server that fails to end', function() return not plugin.client(0) end)
warnings = {}
vim.cmd('TacetOblivious')
expect(#warnings == 1 and warnings[1]:find('no server runs for this file', 1, true), 'not reported: ' .. vim.inspect(warnings))
say('missing programs are reported')
vim.notify = real_notify
plugin.setup({ cmd = cmd })
vim.cmd('TacetRestart')
wait('the client again', function() return plugin.client(0) end)
client = plugin.client(0)

-- The server exits when asked to.
vim.lsp.stop_client(client.id)
expect(#deprecated == 0, 'deprecated: ' .. table.concat(deprecated, ', '))
wait('the server to end', function() return client.is_stopped() end)
say('PASS Neovim ' .. tostring(vim.version().major) .. '.' .. vim.version().minor)
vim.cmd('qall!')
