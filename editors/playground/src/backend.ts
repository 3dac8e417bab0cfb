// What is behind the page: the server of `tacet playground`, or a module in the page itself.

import type { Report } from './result_view';
import type { Device } from './runnable';

/// Carries messages of the language server's protocol, one at a time.
export interface Channel {
  /// Whether the message is on its way.
  send(message: string): boolean;
}

export interface ChannelEvents {
  opened(): void;
  received(message: string): void;
  /// Once, at the end; `why` is empty if nobody knows.
  lost(why: string): void;
}

export type RunAnswer =
  | { kind: 'report'; report: Report }
  /// The request makes no sense to the other end.
  | { kind: 'refused'; message: string }
  /// It may work later.
  | { kind: 'retry'; message: string };

/// A banner with one button. One to dismiss stays until it is.
export interface Loss { text: string; choice: 'Retry' | 'Restart' | 'Dismiss' }

/// What the page says of the connection.
export interface ConnectionWords { connecting: string; ready: string; lost: string }

export interface Backend {
  readonly words: ConnectionWords;
  readonly devices: readonly Device[];
  /// In one sentence, where the other devices are; empty if there are none.
  readonly elsewhere: string;
  /// Whether the program of a link may run before somebody wants it.
  readonly runsLinks: boolean;
  /// A new session of the language server.
  openLanguage(events: ChannelEvents): Channel;
  /// Milliseconds from the loss of a session to the next attempt; null if somebody has to want it.
  pauseAfterLoss(): number | null;
  /// A session has begun.
  sessionBegan(): void;
  /// What a banner says of a lost session, which is begun again by itself if `isRetried`.
  lossOf(why: string, isRetried: boolean): Loss;
  /// Fails with an `AbortError` if it is stopped.
  run(request: object, signal: AbortSignal): Promise<RunAnswer>;
}
