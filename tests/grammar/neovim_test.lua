-- Neovim loads the compiled grammar with its queries, parses a program, follows an edit and
-- colours what the highlight query says. Leaves with status 1 if anything of it fails.
local function check()
  vim.opt.runtimepath:append(os.getenv('TACET_RUNTIME'))
  vim.cmd('edit ' .. os.getenv('TACET_PROGRAM'))
  local treesitter = vim.treesitter
  local parser = treesitter.get_parser(0, 'tacet')
  local root = parser:parse()[1]:root()
  assert(root:type() == 'source_file', root:type())
  assert(not root:has_error(), 'the program has an error')

  local get = treesitter.query and treesitter.query.get or treesitter.query.get_query
  local function captures(tree)
    local found = {}
    local query = get('tacet', 'highlights')
    for id, node in query:iter_captures(tree, 0, 0, -1) do
      local name = query.captures[id]
      found[name] = (found[name] or 0) + 1
      assert(node:end_() >= node:start(), 'a capture that ends before it begins')
    end
    return found
  end
  local before = captures(root)
  for _, name in ipairs({ 'keyword.function', 'keyword.directive.secret', 'function.builtin',
                          'function.call', 'type.builtin', 'comment.documentation' }) do
    assert((before[name] or 0) > 0, 'nothing is ' .. name)
  end

  vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'fn(he) last(a: secret i64) { sum(a) }' })
  local after = captures(parser:parse()[1]:root())
  assert(after['keyword.directive.secret'] == before['keyword.directive.secret'] + 1)
  assert(after['function.builtin'] == before['function.builtin'] + 1)

  for _, name in ipairs({ 'folds', 'locals', 'indents', 'injections' }) do
    assert(get('tacet', name), 'no query ' .. name)
  end
  local start = treesitter.start or function(buffer, language)
    treesitter.highlighter.new(treesitter.get_parser(buffer, language))
  end
  start(0, 'tacet')
  vim.cmd('redraw!')
end

local ok, message = pcall(check)
if not ok then
  io.stderr:write(tostring(message) .. '\n')
  vim.cmd('cquit 1')
end
vim.cmd('qall!')
