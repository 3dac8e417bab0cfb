-- Tacet in Neovim 0.7 and later: the language server, the tree-sitter parser, commands.

local M = {}

-- What `setup` may change.
M.options = {
  -- How the server is started.
  cmd = { 'tacet', 'lsp' },
  -- What the server is told: see docs/subsystems/language_server.md.
  settings = { inlayHints = { types = true, tags = false, draws = false, costs = true }, codeLens = { enable = true } },
  -- Where parser/tacet.so and queries/tacet are; found beside the program if nil. False: Vim's colours.
  tree_sitter = nil,
  -- Show inlay hints (Neovim 0.10) and code lenses.
  inlay_hints = true,
  code_lenses = true,
  -- Colours of secrets for schemes of high contrast. Nil: if the colour scheme is one.
  high_contrast = nil,
  -- Called with the client and the buffer.
  on_attach = nil,
}

local clients = {}

local function warn(text)
  vim.notify('Tacet: ' .. text, vim.log.levels.WARN)
end

-- The program that was reported missing, which is said once.
local missing

--- Whether the server's program is there; says what to do if not.
local function has_program()
  local program = M.options.cmd[1]
  if vim.fn.executable(program) == 1 then
    missing = nil
    return true
  end
  if missing ~= program then
    missing = program
    local place = program:find('/', 1, true) and 'there is no program' or 'PATH has no program'
    warn(('%s `%s`: install Tacet, or set `cmd` in require("tacet").setup; then :TacetRestart'):format(place, program))
  end
  return false
end

--- Calls a method of a client, which takes the client itself since 0.11.
local function call(client, method, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[method](client, ...)
  end
  return client[method](...)
end

--- The folder that holds parser/tacet.so: of the option, of an installation, of a build folder.
local function runtime_folder()
  if M.options.tree_sitter ~= nil then
    return M.options.tree_sitter or nil
  end
  local program = vim.fn.resolve(vim.fn.exepath(M.options.cmd[1]))
  local prefix = vim.fn.fnamemodify(program, ':h:h')
  for _, pattern in ipairs({ '/grammar/runtime', '/lib/tacet/tree-sitter', '/lib/*/tacet/tree-sitter' }) do
    local found = vim.fn.glob(prefix .. pattern, true, true)[1]
    if found then
      return found
    end
  end
end

--- Highlights a buffer by tree-sitter, if the parser is there; true if so.
local function highlight(buffer)
  local folder = runtime_folder()
  if not folder then
    return false
  end
  if not vim.tbl_contains(vim.opt.runtimepath:get(), folder) then
    vim.opt.runtimepath:append(folder)
  end
  if vim.treesitter.start then
    return (pcall(vim.treesitter.start, buffer, 'tacet'))
  end
  local is_there, parser = pcall(vim.treesitter.get_parser, buffer, 'tacet')
  if is_there then
    require('vim.treesitter.highlighter').new(parser)
  end
  return is_there
end

--- The nearest folder around a file that has tacet.toml or .git; the file's own if there is none.
local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  for _, mark in ipairs({ 'tacet.toml', '.git' }) do
    local at = folder
    while true do
      if (vim.uv or vim.loop).fs_stat(at .. '/' .. mark) then
        return at
      end
      local above = vim.fn.fnamemodify(at, ':h')
      if above == at then
        break
      end
      at = above
    end
  end
  return folder
end

--- Lenses are looked at now, and when the text or the buffer changes. Since 0.12 Neovim does so itself.
local function refresh_lenses(buffer)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  local function refresh()
    if vim.api.nvim_get_current_buf() == buffer and M.client(buffer) then
      vim.lsp.codelens.refresh(vim.fn.has('nvim-0.10') == 1 and { bufnr = buffer } or nil)
    end
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, { buffer = buffer, callback = refresh })
  vim.schedule(refresh)
end

local function attached(client, buffer)
  vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
  if M.options.code_lenses then
    refresh_lenses(buffer)
  end
  if M.options.inlay_hints and vim.lsp.inlay_hint and vim.fn.has('nvim-0.10') == 1 then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
  if M.options.on_attach then
    M.options.on_attach(client, buffer)
  end
end

--- The client that serves a buffer, or nil.
function M.client(buffer)
  local number = buffer == 0 and vim.api.nvim_get_current_buf() or buffer
  for _, id in pairs(clients) do
    if vim.lsp.buf_is_attached(number, id) then
      return vim.lsp.get_client_by_id(id)
    end
  end
end

--- The client that serves a buffer; a warning, and nil, if none does.
local function client_or_warning(buffer)
  local client = M.client(buffer)
  if not client then
    missing = nil
    if has_program() then
      warn('no server runs for this file; :TacetRestart starts one, :checkhealth vim.lsp shows why it ended')
    end
  end
  return client
end

--- Starts the server for the workspace around a buffer, unless it runs, and attaches the buffer.
local function start(buffer)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  if not has_program() then
    return
  end
  local config = {
    name = 'tacet',
    cmd = M.options.cmd,
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    settings = { tacet = M.options.settings },
    init_options = M.options.settings,
    on_attach = attached,
    on_exit = function(_, _, id) clients[root] = clients[root] ~= id and clients[root] or nil end,
  }
  local running = clients[root] and vim.lsp.get_client_by_id(clients[root])
  if vim.lsp.start then
    clients[root] = vim.lsp.start(config, {
      bufnr = buffer,
      reuse_client = function(client) return running ~= nil and client.id == running.id end,
    })
    return
  end
  clients[root] = running and running.id or vim.lsp.start_client(config)
  if clients[root] then
    vim.lsp.buf_attach_client(buffer, clients[root])
  end
end

--- What is done for each buffer of the file type.
function M.attach(buffer)
  -- Documents that are only shown have a scheme. They are pieces of programs, which Vim's colours are
  -- better with than a parser is.
  if vim.bo[buffer].buftype ~= '' or vim.api.nvim_buf_get_name(buffer):find('^%a[%w+.-]*:') then
    return
  end
  if highlight(buffer) then
    vim.bo[buffer].syntax = ''
  end
  start(buffer)
end

--- Stops the servers and starts them again, for all their buffers.
function M.restart()
  local stopped = vim.tbl_values(clients)
  clients, missing = {}, nil
  for _, id in ipairs(stopped) do
    local client = vim.lsp.get_client_by_id(id)
    if client then
      call(client, 'stop')
    end
  end
  vim.wait(2000, function()
    return #vim.tbl_filter(function(id) return vim.lsp.get_client_by_id(id) end, stopped) == 0
  end, 10)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == 'tacet' then
      M.attach(buffer)
    end
  end
end

--- The stages that can be shown, in the order of the compiler.
M.stages = { 'tree', 'ast', 'hir', 'ssa', 'quotients', 'annotated', 'cps', 'random', 'oblivious', 'array', 'schedule',
  'circuit', 'approximations', 'loops', 'program', 'dot', 'mpc' }

--- The buffer that shows a stage of a source; made if it is not there.
local function stage_buffer(source, stage)
  local name = ('tacet-%s://%s'):format(stage, vim.api.nvim_buf_get_name(source))
  local buffer = vim.fn.bufnr('^' .. vim.fn.escape(name, '[]{}?*\\') .. '$')
  if buffer == -1 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, name)
  end
  return buffer
end

--- Shows the text, from the line on where the item at the cursor begins.
local function show_stage(buffer, answer)
  if answer.languageId == 'tacet' and vim.bo[buffer].filetype ~= 'tacet' then
    vim.bo[buffer].filetype = 'tacet'
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(answer.text:gsub('\n$', ''), '\n'))
  vim.bo[buffer].modifiable = false
  local window = vim.fn.bufwinid(buffer)
  if window ~= -1 and answer.line > 0 then
    vim.api.nvim_win_call(window, function() vim.fn.winrestview({ topline = answer.line + 1, lnum = answer.line + 1 }) end)
  end
end

--- Asks for a stage of the item at the cursor, again while a schedule is being searched for. What was
--- shown stays where there is none, or else it says why there is none.
local function ask_for_stage(source, stage, buffer)
  local client = M.client(source)
  if not client or not vim.api.nvim_buf_is_valid(buffer) or vim.api.nvim_get_current_buf() ~= source then
    return
  end
  local place = vim.lsp.util.make_position_params(0, client.offset_encoding)
  place.stage = stage
  call(client, 'request', 'tacet/stage', place, function(problem, answer)
    if not vim.api.nvim_buf_is_valid(buffer) then
      return
    end
    if not problem then
      show_stage(buffer, answer)
      return
    end
    local is_unfinished = problem.message:find('ask again', 1, true) ~= nil
    local is_empty = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) == ''
    if is_unfinished or is_empty or not problem.message:find('^there is no') then
      show_stage(buffer, { languageId = 'plaintext', text = problem.message, line = 0 })
    end
    if is_unfinished then
      vim.defer_fn(function() ask_for_stage(source, stage, buffer) end, 300)
    end
  end, source)
end

--- Shows beside the source what the compiler makes of it, or of the function at the cursor: one of
--- `stages`. It follows the cursor and every edit.
function M.stage(stage)
  if not vim.tbl_contains(M.stages, stage) then
    warn(('there is no stage `%s`'):format(stage))
    return
  end
  local source = vim.api.nvim_get_current_buf()
  if not client_or_warning(source) then
    return
  end
  local buffer = stage_buffer(source, stage)
  if vim.fn.bufwinid(buffer) == -1 then
    local window = vim.api.nvim_get_current_win()
    vim.cmd('vertical rightbelow sbuffer ' .. buffer)
    vim.api.nvim_set_current_win(window)
  end
  local group = vim.api.nvim_create_augroup(('tacet_%s_%d'):format(stage, source), { clear = true })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'TextChanged', 'TextChangedI' }, {
    group = group,
    buffer = source,
    callback = function()
      if vim.fn.bufwinid(buffer) ~= -1 then
        ask_for_stage(source, stage, buffer)
      end
    end,
  })
  ask_for_stage(source, stage, buffer)
end

--- How the compiler would run the device function at the cursor.
function M.oblivious()
  M.stage('oblivious')
end

--- Runs the array program at the cursor under encryption: the last one that does not begin below,
--- or else the first.
function M.run()
  local buffer = vim.api.nvim_get_current_buf()
  local client = client_or_warning(buffer)
  if not client then
    return
  end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local document = { textDocument = vim.lsp.util.make_text_document_params() }
  vim.cmd('silent update')
  local answer = call(client, 'request_sync', 'textDocument/codeLens', document, 5000, buffer)
  local command
  for _, lens in ipairs(answer and answer.result or {}) do
    if lens.range.start.line <= line or not command then
      local resolved = call(client, 'request_sync', 'codeLens/resolve', lens, 5000, buffer)
      local found = resolved and resolved.result and resolved.result.command
      command = found and found.command == 'tacet.run' and found or command
    end
  end
  if not command then
    warn('neither an array program nor a function on secret shares without mistakes stands at the cursor')
    return
  end
  call(client, 'request', 'workspace/executeCommand', { command = command.command, arguments = command.arguments },
    function(problem, result)
      if problem then
        vim.notify('Tacet: ' .. problem.message, vim.log.levels.ERROR)
      else
        M.last_run = result
      end
    end, buffer)
end

--- What lenses do that lead somewhere: their places go to the quickfix list.
local function show_places(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  call(client, 'request', 'workspace/executeCommand', { command = command.command, arguments = command.arguments },
    function(_, places)
      if places and places ~= vim.NIL and #places > 0 then
        vim.fn.setqflist(vim.lsp.util.locations_to_items(places, client.offset_encoding))
        vim.cmd('copen')
      end
    end, context.bufnr)
end

--- Colours what depends on a secret, now and after each change of the colour scheme.
function M.colours()
  local function define() require('tacet.secrets').define(M.options.high_contrast) end
  local group = vim.api.nvim_create_augroup('tacet_colours', { clear = true })
  vim.api.nvim_create_autocmd({ 'ColorScheme', 'VimEnter', 'UIEnter' }, { group = group, callback = define })
  vim.api.nvim_create_autocmd('OptionSet', { group = group, pattern = 'background', callback = define })
  define()
end

--- Defines the commands.
function M.commands()
  vim.api.nvim_create_user_command('TacetOblivious', M.oblivious, {})
  vim.api.nvim_create_user_command('TacetStage', function(command) M.stage(command.args) end, {
    nargs = 1,
    complete = function(begun)
      return vim.tbl_filter(function(stage) return vim.startswith(stage, begun) end, M.stages)
    end,
  })
  vim.api.nvim_create_user_command('TacetRun', M.run, {})
  vim.api.nvim_create_user_command('TacetRestart', M.restart, {})
  vim.lsp.commands['tacet.showImplementations'] = show_places
end

--- Changes options: before the first file is opened, or followed by `:TacetRestart`.
function M.setup(options)
  M.options = vim.tbl_deep_extend('force', M.options, options or {})
end

return M
