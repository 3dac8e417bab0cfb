// The last known costs of a program that has mistakes at the moment. Knows nothing of VS Code.

/** A cost at the end of a line. */
export interface LineCost {
  readonly line: number;
  /** The line without the blanks around it. */
  readonly text: string;
  readonly label: string;
}

/** A document keeps no more lines. */
const MOST_LINES = 2000;

/** `12 rounds · 199 B`, `3 rotations · 1 ct×ct · …`, `aby3, 3 parties: 14 rounds · 212 B` */
export function isCost(label: string): boolean {
  return /(^|: )[\d,]+ (rounds?|rotations?)( · |$)/.test(label);
}

/** Replaces what is known of the same lines, the oldest first if there are too many. */
export function withNewer(known: readonly LineCost[], newer: readonly LineCost[]): LineCost[] {
  const keys = new Set(newer.map(({ line, text }) => `${line} ${text}`));
  return [...known.filter(({ line, text }) => !keys.has(`${line} ${text}`)), ...newer].slice(-MOST_LINES);
}

/**
 * Where known costs are in a text that was edited since: at the nearest line with the same words
 * that has none of its own. A line that was changed has no known cost.
 */
export function placed(known: readonly LineCost[], lines: readonly string[], hasCost: (line: number) => boolean): LineCost[] {
  const places = new Map<string, number[]>();
  lines.forEach((line, at) => {
    const text = line.trim();
    places.set(text, [...(places.get(text) ?? []), at]);
  });
  const found = new Map<number, LineCost>();
  // The newest are last, and win.
  for (const cost of [...known].reverse()) {
    const distance = (at: number) => Math.abs(at - cost.line);
    const free = (places.get(cost.text) ?? []).filter((at) => !found.has(at));
    const line = free.sort((one, other) => distance(one) - distance(other))[0];
    if (line !== undefined && !hasCost(line)) {
      found.set(line, { ...cost, line });
    }
  }
  return [...found.values()].sort((one, other) => one.line - other.line);
}

/** The line of the head of a device function; undefined if there is none of that name. */
export function lineOfFunction(name: string, lines: readonly string[]): number | undefined {
  const head = new RegExp(`^\\s*fn\\s*\\(\\w+\\)\\s*(pure\\s+)?${name.replace(/\W/g, '\\$&')}\\s*\\(`);
  const line = lines.findIndex((text) => head.test(text));
  return line < 0 ? undefined : line;
}
