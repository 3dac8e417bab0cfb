// The server of `tacet playground`, which the page came from.

import type { Backend, Channel, ChannelEvents, Loss, RunAnswer } from './backend';
import type { Report } from './result_view';
import { DEVICES } from './runnable';

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 8000;

function address(): string {
  // The page is in a folder whose name is the token: what it asks for is beside it.
  const language = new URL('language', location.href);
  language.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  language.hash = '';
  language.search = '';
  return language.href;
}

export class ServerBackend implements Backend {
  readonly words = { connecting: 'connecting…', ready: 'connected', lost: 'not connected' };
  readonly devices = DEVICES;
  readonly elsewhere = '';
  readonly runsLinks = false;
  private pause = FIRST_PAUSE;

  openLanguage(events: ChannelEvents): Channel {
    const socket = new WebSocket(address());
    socket.onopen = () => events.opened();
    socket.onmessage = (event) => events.received(String(event.data));
    socket.onclose = (event) => events.lost(event.reason);
    return {
      send: (message) => {
        const isOpen = socket.readyState === WebSocket.OPEN;
        if (isOpen) {
          socket.send(message);
        }
        return isOpen;
      },
    };
  }

  pauseAfterLoss(): number {
    const { pause } = this;
    this.pause = Math.min(2 * pause, LONGEST_PAUSE);
    return pause;
  }

  sessionBegan(): void {
    this.pause = FIRST_PAUSE;
  }

  lossOf(why: string): Loss {
    const text = why
      ? `The playground is full: ${why}. Close a page, or try again later.`
      : 'The connection to the playground is lost. Your text is kept. Is `tacet playground` still running?';
    return { text, choice: 'Retry' };
  }

  async run(request: object, signal: AbortSignal): Promise<RunAnswer> {
    try {
      const answer = await fetch('run', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(request), signal,
      });
      if (answer.ok) {
        return { kind: 'report', report: await answer.json() as Report };
      }
      const message = (await answer.text()).trim();
      return answer.status === 429
        ? { kind: 'retry', message: `The playground is busy: ${message}.` }
        : { kind: 'refused', message };
    } catch (error) {
      if (signal.aborted) {
        throw error;
      }
      return { kind: 'retry', message: 'The playground does not answer. Is `tacet playground` still running?' };
    }
  }
}
