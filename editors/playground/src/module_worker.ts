// The page's end of a worker, and the module that all workers are instances of.

import type { FromWorker, ToWorker } from './worker_messages';

/// Loaded and compiled once: by the first worker, since the page is busy with itself while it loads.
export class ModuleFile {
  private compiled: WebAssembly.Module | null = null;
  /// After a failure, not what the browser remembers of it.
  private cache: RequestCache = 'default';

  constructor(private readonly file: string) {}

  /// What a worker starts with.
  start(): ToWorker {
    const { cache } = this;
    this.cache = 'reload';
    return { kind: 'start', module: this.compiled ?? { file: this.file, cache } };
  }

  keep(compiled: WebAssembly.Module): void {
    this.compiled = compiled;
  }
}

export class ModuleWorker {
  private readonly worker: Worker | null = null;
  private hasStarted = false;
  private isDone = false;
  private unheard: FromWorker[] = [];
  private hear: ((message: FromWorker) => void) | null = null;

  constructor(private readonly file: ModuleFile) {
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
    this.post(file.start());
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

  private deliver(received: FromWorker): void {
    if (this.isDone) {
      return;
    }
    let message = received;
    if (message.kind === 'started') {
      this.hasStarted = true;
      this.file.keep(message.module);
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
