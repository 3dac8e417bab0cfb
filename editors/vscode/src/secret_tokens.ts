// Which names of a text the server marks as secret. Knows nothing of VS Code.

/** Part of a line. */
export interface Span {
  readonly line: number;
  readonly begin: number;
  readonly end: number;
}

export interface TokensEdit {
  readonly start: number;
  readonly deleteCount: number;
  readonly data?: Uint32Array | undefined;
}

const FIELDS = 5;

/** The tokens after a change, all places of which are those before it. */
export function applyEdits(before: Uint32Array, edits: readonly TokensEdit[]): Uint32Array {
  const parts: number[] = [];
  let done = 0;
  for (const { start, deleteCount, data } of [...edits].sort((one, other) => one.start - other.start)) {
    parts.push(...before.subarray(done, start), ...(data ?? []));
    done = start + deleteCount;
  }
  parts.push(...before.subarray(done));
  return Uint32Array.from(parts);
}

/** The tokens with the modifier of this number. */
export function spansWith(data: Uint32Array, modifier: number): Span[] {
  const found: Span[] = [];
  let line = 0;
  let begin = 0;
  for (let i = 0; i + FIELDS <= data.length; i += FIELDS) {
    begin = data[i]! > 0 ? data[i + 1]! : begin + data[i + 1]!;
    line += data[i]!;
    if ((data[i + 4]! & (1 << modifier)) !== 0) {
      found.push({ line, begin, end: begin + data[i + 2]! });
    }
  }
  return found;
}
