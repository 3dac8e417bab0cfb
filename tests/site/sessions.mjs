// Sessions of the language server: the native program's over its standard streams, and the module's.

import { spawn } from 'node:child_process';

/// Both have `send(message)` and `done()`, which gives all that came until the answer to the last request.
class Session {
  received = [];
  waiting = null;

  take(message) {
    this.received.push(message);
    if (message.method !== undefined && message.id !== undefined) {
      this.send({ id: message.id, result: null });
    }
    if (message.id === this.last && message.method === undefined) {
      this.waiting?.();
    }
  }

  async request(id, method, params) {
    this.last = id;
    const answered = new Promise((resolve) => { this.waiting = resolve; });
    this.send({ id, method, params });
    await answered;
    return this.received.find((message) => message.id === id && message.method === undefined);
  }

  notify(method, params) {
    this.send({ method, params });
  }
}

export class NativeSession extends Session {
  constructor(program) {
    super();
    this.child = spawn(program, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    let bytes = Buffer.alloc(0);
    this.child.stdout.on('data', (more) => {
      bytes = Buffer.concat([bytes, more]);
      for (;;) {
        const end = bytes.indexOf('\r\n\r\n');
        const size = Number(/Content-Length: (\d+)/i.exec(bytes.subarray(0, Math.max(0, end)).toString())?.[1] ?? NaN);
        if (end < 0 || bytes.length < end + 4 + size) {
          return;
        }
        const body = bytes.subarray(end + 4, end + 4 + size).toString();
        bytes = bytes.subarray(end + 4 + size);
        this.take(JSON.parse(body));
      }
    });
  }

  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.child.stdin.write(body);
  }

  end() {
    this.child.stdin.end();
  }
}

export class ModuleSession extends Session {
  constructor(load) {
    super();
    this.ready = load((message) => this.take(message)).then((module) => { this.module = module; });
  }

  send(message) {
    this.module.receive({ jsonrpc: '2.0', ...message });
    this.schedule(0);
  }

  schedule(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const next = this.module.work();
      if (next >= 0) {
        this.schedule(next);
      }
    }, delay);
  }

  end() {
    clearTimeout(this.timer);
  }
}
