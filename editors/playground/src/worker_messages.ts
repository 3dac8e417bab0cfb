// What the page and the workers that run the module say to each other. A worker's first message
// says what it is, a session of the language server or a runner of programs; it does nothing else.

export interface ModuleSource { file: string; cache: RequestCache }

export type ToWorker =
  /// The module, or where it is.
  | { kind: 'start'; module: WebAssembly.Module | ModuleSource }
  /// A message of the language server's protocol.
  | { kind: 'receive'; message: string }
  /// As `POST /run` of a server.
  | { kind: 'run'; id: number; request: string };

/// Why a worker is of no use any more; `load` if it never was.
export type Failure = 'load' | 'memory' | 'stack' | 'crashed';

export type FromWorker =
  /// With the module, for other workers.
  | { kind: 'started'; module: WebAssembly.Module }
  | { kind: 'message'; message: string }
  /// `bytes` is the memory of the module, which never shrinks.
  | { kind: 'ran'; id: number; report: string; bytes: number }
  /// The last that a worker says.
  | { kind: 'failed'; failure: Failure; message: string };
