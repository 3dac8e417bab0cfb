" *.cm is Tacet's if it begins as a module does; others use the ending too.
autocmd BufRead,BufNewFile *.tacet,*.tlhe setfiletype tacet
autocmd BufRead,BufNewFile *.cm if getline(1) =~# '^#version ' | set filetype=tacet | endif
