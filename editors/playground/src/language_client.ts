// The language server at the other end of a WebSocket: JSON-RPC, a message in each message. Comes
// back by itself when the connection is lost.

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

const LONGEST_PAUSE = 8000;

export class LanguageClient {
  onState: (state: State, why: string) => void = () => {};
  /// Called when a session has begun, to open documents in it.
  onReady: () => void = () => {};
  capabilities: any = {};
  private socket?: WebSocket;
  private nextId = 1;
  private waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();
  private handlers = new Map<string, Handler>();
  private pause = 250;
  private isReady = false;
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly address: string, private readonly initialization: object) {}

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
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) {
      return;
    }
    this.onState('connecting', '');
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.onopen = () => void this.begin();
    socket.onmessage = (event) => this.receive(JSON.parse(String(event.data)));
    socket.onclose = (event) => this.lose(event.reason);
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
    this.pause = 250;
    this.onState('ready', '');
    this.onReady();
  }

  private send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      return false;
    }
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
    return true;
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
    for (const { reject } of this.waiting.values()) {
      reject(new RequestError(0, 'the connection was lost'));
    }
    this.waiting.clear();
    this.onState('lost', why);
    this.again = setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
  }
}
