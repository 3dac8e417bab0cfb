// How often a server that ends unexpectedly is started again. Knows nothing of VS Code.

const MOST = 4;
const WITHIN_MILLISECONDS = 3 * 60_000;

/** Allows a few restarts within some minutes, so that a server that always ends does not loop. */
export class Restarts {
  private times: number[] = [];

  /** Whether the server may be started again at `now`, in milliseconds; counts it if so. */
  allow(now: number): boolean {
    this.times = this.times.filter((time) => now - time < WITHIN_MILLISECONDS);
    if (this.times.length >= MOST) {
      return false;
    }
    this.times.push(now);
    return true;
  }

  /** Forgets the past, when somebody asks for a restart. */
  forget(): void {
    this.times = [];
  }
}
