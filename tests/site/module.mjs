// The module for browsers under Node: command lines in a file system that is this machine's, and
// sessions of the language server.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const require = createRequire(import.meta.url);

function passed(module, text) {
  const size = module.lengthBytesUTF8(text) + 1;
  const place = module._malloc(size);
  module.stringToUTF8(text, place, size);
  return place;
}

function given(module, place) {
  const text = module.UTF8ToString(place);
  module._free(place);
  return text;
}

/// The module `tacet.js` with its `tacet.wasm` beside it.
export async function loadModule(path, onMessage = () => {}) {
  const make = require(resolve(path));
  const module = await make({
    wasmBinary: readFileSync(join(dirname(resolve(path)), 'tacet.wasm')),
    onMessage: (text) => onMessage(JSON.parse(text)),
  });
  return {
    /// Shows a folder of this machine at the same path, and enters it.
    enter(folder) {
      module.FS.mkdirTree(folder);
      module.FS.mount(module.NODEFS, { root: folder }, folder);
      module.FS.chdir(folder);
    },
    command(words) {
      const place = passed(module, JSON.stringify(words));
      const answer = JSON.parse(given(module, module._tacet_module_command(place)));
      module._free(place);
      return answer;
    },
    run(request) {
      const place = passed(module, JSON.stringify(request));
      const answer = JSON.parse(given(module, module._tacet_module_run(place)));
      module._free(place);
      return answer;
    },
    /// Sends a message to the language server and works until there is nothing left to do.
    receive(message) {
      const place = passed(module, JSON.stringify(message));
      module._tacet_module_receive(place);
      module._free(place);
    },
    work: () => module._tacet_module_work(),
  };
}
