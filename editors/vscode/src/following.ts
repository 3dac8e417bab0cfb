// Keeps something up to date with a place that moves. Knows nothing of VS Code.

export interface Place {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
}

const PAUSES_BETWEEN = 5;

/**
 * Asks again whenever the place moves or its text changes, at most one question at a time and at
 * most one every `pause` milliseconds. An answer to an older question never replaces a newer one.
 * While an answer is unfinished, the same is asked again after a few pauses.
 */
export class Following<Answer> {
  private waiting: Place | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isAsking = false;
  private isClosed = false;

  constructor(
    private readonly ask: (place: Place) => Promise<Answer | undefined>,
    private readonly show: (place: Place, answer: Answer) => void,
    private readonly pause: number,
    private readonly isUnfinished: (answer: Answer) => boolean = () => false,
  ) {}

  moved(place: Place): void {
    this.later(place, this.pause);
  }

  private later(place: Place, pause: number): void {
    this.waiting = place;
    if (!this.isClosed && this.timer === undefined && !this.isAsking) {
      this.timer = setTimeout(() => void this.next(), pause);
    }
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private async next(): Promise<void> {
    this.timer = undefined;
    const place = this.waiting;
    this.waiting = undefined;
    if (place === undefined || this.isClosed) {
      return;
    }
    this.isAsking = true;
    let answer: Answer | undefined;
    try {
      answer = await this.ask(place);
    } catch {
      // The text was changed meanwhile, or the server is not there: what is shown stays.
    }
    this.isAsking = false;
    // Of another place, it would be gone in a moment.
    const isStale = this.waiting !== undefined && (this.waiting as Place).uri !== place.uri;
    if (answer !== undefined && !this.isClosed && !isStale) {
      this.show(place, answer);
    }
    if (this.waiting !== undefined) {
      this.moved(this.waiting);
    } else if (answer !== undefined && this.isUnfinished(answer)) {
      this.later(place, this.pause * PAUSES_BETWEEN);
    }
  }
}
