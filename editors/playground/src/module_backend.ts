// The compiler and the engines in the page itself: a worker is the language server, another one runs
// programs, so that the editor answers while a run works.

import type { Backend, Channel, ChannelEvents, Loss, RunAnswer } from './backend';
import type { StartedModule } from './module_start';
import { ModuleWorker, type ModuleFile } from './module_worker';
import type { Report } from './result_view';
import type { Failure, FromWorker } from './worker_messages';

/// A session that lasted so long is not in a loop of crashes.
const SOUND_MS = 10_000;
/// Memory of a module is given back by ending it.
const MOST_KEPT_BYTES = 512 << 20;

/// The last line that says something: what the module printed before it gave up says more than that.
function reasonOf(failure: Failure, message: string): string {
  if (failure === 'memory') {
    return 'out of memory';
  }
  if (failure === 'stack') {
    return 'the program is nested too deeply for this browser';
  }
  const lines = message.split('\n').map((line) => line.trim().replace(/\.$/, ''));
  return lines.filter((line) => line !== '' && !line.startsWith('Aborted(')).pop() ?? 'crashed';
}

export class ModuleBackend implements Backend {
  readonly words = { connecting: 'loading…', ready: 'ready', lost: 'stopped' };
  readonly devices = ['ref', 'he'] as const;
  readonly elsewhere = 'Several parties need several processes: `tacet playground` and `tacet run` have them, on your own machine. Here the program runs in plaintext.';
  readonly runsLinks = true;
  private readonly file: ModuleFile;
  /// Made in advance, for the first session.
  private first: ModuleWorker | null;
  private runner: ModuleWorker | null = null;
  private nextRun = 1;
  private beganAt = -SOUND_MS;
  private crashes = 0;
  /// Of the last session.
  private failure: Failure | null = null;

  constructor(started: StartedModule) {
    this.file = started.file;
    this.first = started.language;
  }

  openLanguage(events: ChannelEvents): Channel {
    const worker = this.first ?? new ModuleWorker(this.file);
    this.first = null;
    let isOpen = false;
    worker.listen((message) => {
      if (message.kind === 'started') {
        isOpen = true;
        events.opened();
      } else if (message.kind === 'message') {
        events.received(message.message);
      } else if (message.kind === 'failed') {
        isOpen = false;
        this.failure = message.failure;
        events.lost(reasonOf(message.failure, message.message));
      }
    });
    return {
      send: (message) => {
        if (isOpen) {
          worker.post({ kind: 'receive', message });
        }
        return isOpen;
      },
    };
  }

  /// What crashed once may do so again with the same text.
  pauseAfterLoss(): number | null {
    if (this.failure === 'load') {
      return null;
    }
    if (performance.now() - this.beganAt >= SOUND_MS) {
      this.crashes = 0;
    }
    this.crashes += 1;
    return this.crashes === 1 ? 0 : null;
  }

  sessionBegan(): void {
    this.beganAt = performance.now();
  }

  lossOf(why: string, isRetried: boolean): Loss {
    if (this.failure === 'load') {
      return { text: `The playground could not be loaded: ${why}. Your text is kept.`, choice: 'Retry' };
    }
    return isRetried
      ? { text: `The language server stopped and was restarted: ${why}. Your text is kept.`, choice: 'Dismiss' }
      : { text: `The language server stopped again: ${why}. It starts when you change the program.`, choice: 'Restart' };
  }

  async run(request: object, signal: AbortSignal): Promise<RunAnswer> {
    const answer = await this.answer(JSON.stringify(request), signal);
    if (answer.kind === 'ran') {
      if (answer.bytes > MOST_KEPT_BYTES) {
        this.endRunner();
      }
      return { kind: 'report', report: JSON.parse(answer.report) as Report };
    }
    this.endRunner();
    const reason = reasonOf(answer.failure, answer.message);
    if (answer.failure === 'load') {
      return { kind: 'retry', message: `The playground could not be loaded: ${reason}.` };
    }
    const outcome = answer.failure === 'memory' ? 'memory' : 'crashed';
    const message = answer.failure === 'memory' ? 'the run needs more memory than a page has' : reason;
    return { kind: 'report', report: { outcome, message: `${message}; run it with \`tacet run\` on your own machine` } };
  }

  /// The end of a run, good or bad. There is one at a time; stopping it ends its worker.
  private answer(request: string, signal: AbortSignal): Promise<FromWorker & { kind: 'ran' | 'failed' }> {
    return new Promise((resolve, reject) => {
      const id = this.nextRun++;
      const isNew = this.runner === null;
      const worker = this.runner ??= new ModuleWorker(this.file);
      signal.addEventListener('abort', () => {
        this.endRunner();
        reject(signal.reason);
      }, { once: true });
      const send = () => worker.post({ kind: 'run', id, request });
      worker.listen((message) => {
        if (message.kind === 'started') {
          send();
        } else if (message.kind === 'failed' || (message.kind === 'ran' && message.id === id)) {
          resolve(message);
        }
      });
      if (!isNew) {
        send();
      }
    });
  }

  private endRunner(): void {
    this.runner?.end();
    this.runner = null;
  }
}
