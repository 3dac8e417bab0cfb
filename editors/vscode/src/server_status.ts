// What the server says of itself, as text that people read. Knows nothing of VS Code.

/** The answer to `tacet/serverStatus`. */
export interface ServerStatus {
  readonly health: string;
  readonly quiescent: boolean;
  readonly version: string;
  readonly processId: number;
  readonly memory: { readonly resident: number; readonly peak: number };
  readonly files: number;
  readonly openDocuments: number;
  readonly requests: { readonly pending: number; readonly received: number };
  readonly runs: number;
  readonly background: number;
  readonly queries: readonly QueryCount[];
}

interface QueryCount {
  readonly name: string;
  readonly kept: number;
  readonly executed: number;
  readonly unchanged: number;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function row(cells: readonly (string | number)[], widths: readonly number[]): string {
  return cells
    .map((cell, i) => (i === 0 ? String(cell).padEnd(widths[0]!) : String(cell).padStart(widths[i]!)))
    .join('  ')
    .trimEnd();
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((cells) => String(cells[i]).length)));
  return all.map((cells) => row(cells, widths));
}

/** `program` is the file that runs. */
export function statusText(status: ServerStatus, program: string): string {
  const facts: [string, string | number][] = [
    ['version', status.version],
    ['program', program],
    ['process', status.processId],
    ['state', status.quiescent ? 'idle' : 'busy'],
    ['memory', `${megabytes(status.memory.resident)}, peak ${megabytes(status.memory.peak)}`],
    ['files', status.files],
    ['open documents', status.openDocuments],
    ['requests', `${status.requests.received}, of which ${status.requests.pending} pending`],
    ['programs running', status.runs],
    ['background tasks', status.background],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  const queries = status.queries.map((one) => [one.name, one.kept, one.executed, one.unchanged]);
  return [
    ...facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
    ...table(['query', 'kept', 'computed', 'unchanged'], queries),
    '',
  ].join('\n');
}
