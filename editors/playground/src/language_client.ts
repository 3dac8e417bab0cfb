// The language server at the other end of a channel: JSON-RPC, a message in each message. Comes back by
// itself when the connection is lost, if the backend thinks so.

import type { Backend, Channel } from './backend';

export interface Position { line: number; character: number }
export interface Range { start: Position; end: Position }
export interface TextEdit { range: Range; newText: string }

export class RequestError extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

export type State = 'connecting' | 'ready' | 'lost';
type Handler = (params: any) => unknown;

/// From an edit to the session that it wakes.
const WAKING_PAUSE = 1000;

export class LanguageClient {
  /// With `lost`, why, and whether the client connects again by itself.
  onState: (state: State, why: string, isRetried: boolean) => void = () => {};
  /// Called when a session has begun, to open documents in it.
  onReady: () => void = () => {};
  capabilities: any = {};
  private channel: Channel | null = null;
  private nextId = 1;
  private waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();
  private handlers = new Map<string, Handler>();
  private isReady = false;
  private isLost = false;
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly backend: Backend, private readonly initialization: object) {}

  get ready(): boolean {
    return this.isReady;
  }

  /// What the server says or asks; what is returned answers it.
  on(method: string, handler: Handler): void {
    this.handlers.set(method, handler);
  }

  /// At once, if the next attempt is waited for.
  connect(): void {
    clearTimeout(this.again);
    this.again = undefined;
    if (this.channel) {
      return;
    }
    this.isLost = false;
    this.onState('connecting', '', false);
    this.channel = this.backend.openLanguage({
      opened: () => void this.begin(),
      received: (message) => this.receive(JSON.parse(message)),
      lost: (why) => this.lose(why),
    });
  }

  /// The text was changed: a server that stopped and is not restarted by itself gets another chance.
  wake(): void {
    if (this.isLost && this.again === undefined) {
      this.again = setTimeout(() => this.connect(), WAKING_PAUSE);
    }
  }

  request<T = any>(method: string, params: unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      this.waiting.set(id, { resolve, reject });
      if (!this.send({ id, method, params })) {
        this.waiting.delete(id);
        reject(new RequestError(0, 'the language server is not connected'));
      }
    });
  }

  notify(method: string, params: unknown): void {
    this.send({ method, params });
  }

  private async begin(): Promise<void> {
    try {
      const answer = await this.request('initialize', this.initialization);
      this.capabilities = answer.capabilities;
    } catch {
      return; // the connection went, and is made again
    }
    this.notify('initialized', {});
    this.isReady = true;
    this.backend.sessionBegan();
    this.onState('ready', '', false);
    this.onReady();
  }

  private send(message: object): boolean {
    return this.channel?.send(JSON.stringify({ jsonrpc: '2.0', ...message })) ?? false;
  }

  private receive(message: any): void {
    if (message.method !== undefined) {
      const result = this.handlers.get(message.method)?.(message.params);
      if (message.id !== undefined) {
        this.send({ id: message.id, result: result ?? null });
      }
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) {
      waiting?.reject(new RequestError(message.error.code, message.error.message));
    } else {
      waiting?.resolve(message.result);
    }
  }

  private lose(why: string): void {
    this.isReady = false;
    this.isLost = true;
    this.channel = null;
    for (const { reject } of this.waiting.values()) {
      reject(new RequestError(0, 'the connection was lost'));
    }
    this.waiting.clear();
    const pause = this.backend.pauseAfterLoss();
    this.onState('lost', why, pause !== null);
    if (pause !== null) {
      this.again = setTimeout(() => this.connect(), pause);
    }
  }
}
