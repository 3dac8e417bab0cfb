// Starts the module while the page still loads: a script of its own, small, before all others.

import { ModuleFile, ModuleWorker } from './module_worker';

export interface StartedModule { file: ModuleFile; language: ModuleWorker }

declare global {
  interface Window { tacetModule?: StartedModule }
}

const file = new ModuleFile('tacet.wasm.gz');
window.tacetModule = { file, language: new ModuleWorker(file) };
