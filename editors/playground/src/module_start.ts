// Starts the module while the page still loads: a script of its own, small, before all others.

import { ModuleFile, ModuleWorker } from './module_worker';

export interface StartedModule { file: ModuleFile; language: ModuleWorker }

declare global {
  interface Window { tacetModule?: StartedModule }
}

/// `tacet.wasm.gz`, or what the site's maker knows the host to pack.
const file = new ModuleFile((document.currentScript as HTMLScriptElement).dataset.module!);
window.tacetModule = { file, language: new ModuleWorker(file) };
