// A worker of the page: one instance of the module, and its work. `tacet.js`, beside this file, has
// `makeTacet`.

import type { Failure, FromWorker, ModuleSource, ToWorker } from './worker_messages';

interface Tacet {
  _malloc(bytes: number): number;
  _free(at: number): void;
  _tacet_module_receive(message: number): void;
  _tacet_module_work(): number;
  _tacet_module_run(request: number): number;
  UTF8ToString(at: number): string;
  stringToUTF8(text: string, at: number, bytes: number): void;
  lengthBytesUTF8(text: string): number;
  readonly HEAPU8: Uint8Array;
}

interface TacetOptions {
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): object;
  onMessage(message: string): void;
  print(line: string): void;
  printErr(line: string): void;
}

declare const self: { onmessage: ((event: { data: ToWorker }) => void) | null };
declare function importScripts(...files: string[]): void;
declare function postMessage(message: FromWorker): void;
declare function makeTacet(options: TacetOptions): Promise<Tacet>;

const GZIP = 0x1f;
/// What the module printed of its end.
const MOST_LINES = 8;
const lastLines: string[] = [];

let tacet: Tacet | null = null;
let hasFailed = false;
/// Messages that no work was done for, in their order.
const received: string[] = [];
let isScheduled = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/// Calls `work` after the messages that have arrived: several edits in a row are one piece of work.
const later = new MessageChannel();
later.port1.onmessage = () => guarded(work);

function schedule(): void {
  if (!isScheduled) {
    isScheduled = true;
    later.port2.postMessage(null);
  }
}

function failureOf(error: unknown, message: string): Failure {
  if (error instanceof RangeError || /too much recursion|call stack/i.test(message)) {
    return /memory|allocat|buffer/i.test(message) ? 'memory' : 'stack';
  }
  return /\bOOM\b|out of memory|bad_alloc|could not allocate/i.test(`${message}\n${lastLines.join('\n')}`) ? 'memory' : 'crashed';
}

function fail(error: unknown): void {
  hasFailed = true;
  const thrown = error instanceof Error ? error.message : 'uncaught exception';
  postMessage({ kind: 'failed', failure: failureOf(error, thrown), message: [...lastLines, thrown].join('\n') });
}

/// Whatever escapes from the module leaves it in no state to be used again.
function guarded(action: () => void): void {
  if (hasFailed) {
    return;
  }
  try {
    action();
  } catch (error) {
    fail(error);
  }
}

function withText<T>(module: Tacet, text: string, use: (at: number) => T): T {
  const bytes = module.lengthBytesUTF8(text) + 1;
  const at = module._malloc(bytes);
  if (at === 0) {
    throw new RangeError('out of memory');
  }
  module.stringToUTF8(text, at, bytes);
  const result = use(at);
  module._free(at);
  return result;
}

function work(): void {
  isScheduled = false;
  clearTimeout(timer);
  const module = tacet!;
  for (const message of received.splice(0)) {
    withText(module, message, (at) => module._tacet_module_receive(at));
  }
  const pause = module._tacet_module_work();
  if (pause === 0) {
    schedule();
  } else if (pause > 0) {
    timer = setTimeout(() => guarded(work), pause);
  }
}

function run(id: number, request: string): void {
  const module = tacet!;
  const answer = withText(module, request, (at) => module._tacet_module_run(at));
  const report = module.UTF8ToString(answer);
  module._free(answer);
  postMessage({ kind: 'ran', id, report, bytes: module.HEAPU8.length });
}

/// Compiles the module while it arrives. It is packed, so that hosts need not compress it; those that
/// declare packed files as such have it unpacked by the browser.
async function load({ file, cache }: ModuleSource): Promise<WebAssembly.Module> {
  const response = await fetch(file, { cache });
  if (!response.ok || !response.body) {
    throw new Error(`${file} is not there (HTTP ${response.status})`);
  }
  const reader = response.body.getReader();
  const first = await reader.read();
  const bytes = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(first.value ?? new Uint8Array()),
    pull: async (stream) => {
      const { done, value } = await reader.read();
      if (done) {
        stream.close();
      } else {
        stream.enqueue(value);
      }
    },
  });
  const unpacked = first.value?.[0] === GZIP
    ? bytes.pipeThrough(new DecompressionStream('gzip') as unknown as ReadableWritablePair<Uint8Array, Uint8Array>)
    : bytes;
  return WebAssembly.compileStreaming(new Response(unpacked as BodyInit, { headers: { 'Content-Type': 'application/wasm' } }));
}

async function start(given: WebAssembly.Module | ModuleSource): Promise<void> {
  if (hasFailed) {
    return;
  }
  const keep = (line: string) => {
    lastLines.push(line);
    lastLines.splice(0, lastLines.length - MOST_LINES);
  };
  try {
    const module = given instanceof WebAssembly.Module ? given : await load(given);
    tacet = await makeTacet({
      instantiateWasm: (imports, done) => {
        WebAssembly.instantiate(module, imports).then(done).catch(fail);
        return {};
      },
      onMessage: (message) => postMessage({ kind: 'message', message }),
      print: keep,
      printErr: keep,
    });
    postMessage({ kind: 'started', module });
  } catch (error) {
    fail(error);
  }
}

self.onmessage = ({ data }) => {
  if (data.kind === 'start') {
    void start(data.module);
  } else if (data.kind === 'receive') {
    received.push(data.message);
    schedule();
  } else {
    guarded(() => run(data.id, data.request));
  }
};

// While the page loads and compiles the module.
guarded(() => importScripts('tacet.js'));
