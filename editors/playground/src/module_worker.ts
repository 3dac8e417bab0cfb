// The page's end of a worker, and the module that all workers are instances of.

import type { FromWorker, ToWorker } from './worker_messages';

const GZIP = 0x1f;

/// Compiles the module while it arrives. It is packed, so that hosts need not compress it; those that
/// send packed files as what is in them have it unpacked by the browser.
async function compile(file: string, cache: RequestCache): Promise<WebAssembly.Module> {
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

/// Compiled once; loaded again after it could not be.
export class ModuleFile {
  private loading: Promise<WebAssembly.Module> | null = null;
  /// After a failure, not what the browser remembers of it.
  private cache: RequestCache = 'default';

  constructor(private readonly file: string) {}

  compiled(): Promise<WebAssembly.Module> {
    this.loading ??= compile(this.file, this.cache).catch((error) => {
      this.loading = null;
      this.cache = 'reload';
      throw error;
    });
    return this.loading;
  }
}

export class ModuleWorker {
  private readonly worker: Worker | null = null;
  private hasStarted = false;
  private isDone = false;
  private unheard: FromWorker[] = [];
  private hear: ((message: FromWorker) => void) | null = null;

  constructor(file: ModuleFile) {
    if (location.protocol === 'file:') {
      this.fail('browsers run it only from a host, such as `python3 -m http.server` in its folder');
      return;
    }
    this.worker = new Worker('worker.js');
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.deliver(event.data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.fail(event.message || 'worker.js is not there');
    };
    file.compiled().then(
      (module) => this.post({ kind: 'start', module }),
      (error: Error) => this.fail(error.message));
  }

  /// Calls `hear` for each message, also earlier ones, but not before this returns. After `failed`
  /// there are no more.
  listen(hear: (message: FromWorker) => void): void {
    this.hear = hear;
    queueMicrotask(() => this.unheard.splice(0).forEach(hear));
  }

  post(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  end(): void {
    this.isDone = true;
    this.worker?.terminate();
  }

  private fail(message: string): void {
    this.deliver({ kind: 'failed', failure: 'load', message });
  }

  private deliver(told: FromWorker): void {
    if (this.isDone) {
      return;
    }
    let message = told;
    if (message.kind === 'started') {
      this.hasStarted = true;
    } else if (message.kind === 'failed') {
      this.end();
      message = this.hasStarted ? message : { ...message, failure: 'load' };
    }
    if (this.hear) {
      this.hear(message);
    } else {
      this.unheard.push(message);
    }
  }
}
