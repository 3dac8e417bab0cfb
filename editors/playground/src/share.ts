// A program as part of the page's address, behind `#`, which browsers send nowhere.

export interface Shared {
  name: string;
  text: string;
  target?: string;
  device?: string;
  inputs?: Record<string, string>;
  /// Whether it runs as soon as it is there, in a page that runs programs itself.
  runs?: boolean;
}

const VERSION = 'v1=';

/// The text of a program has at most 512 KiB; a link that is packed to hold more is not one of ours.
const MOST_BYTES = 2 << 20;

async function through(bytes: Uint8Array, transform: GenericTransformStream): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(transform as ReadableWritablePair<Uint8Array, Uint8Array>);
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let n = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    n += part.value.length;
    if (n > MOST_BYTES) {
      await reader.cancel();
      throw new RangeError('the program of the link is too long');
    }
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

const isText = (value: unknown): value is string => typeof value === 'string';

/// What of a link, or of what the browser kept, makes sense; nothing if it has no program.
export function sharedOf(value: any): Shared | null {
  if (!isText(value?.text) || !isText(value.name) || !/^\w+\.(tacet|tlhe)$/.test(value.name)) {
    return null;
  }
  const inputs = Object.entries(value.inputs ?? {}).filter((entry): entry is [string, string] => isText(entry[1]));
  return {
    name: value.name, text: value.text, inputs: Object.fromEntries(inputs),
    ...(isText(value.target) ? { target: value.target } : {}),
    ...(isText(value.device) ? { device: value.device } : {}),
    ...(value.runs === true ? { runs: true } : {}),
  };
}

export async function fragmentOf(shared: Shared): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream('deflate-raw'));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return `#${VERSION}${btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/// Whether a fragment is meant to have a program.
export const hasProgram = (fragment: string) => fragment.length > 1;

/// Nothing if the fragment has no program.
export async function readFragment(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith(`#${VERSION}`)) {
    return null;
  }
  try {
    const letters = atob(fragment.slice(1 + VERSION.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return sharedOf(JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')))));
  } catch {
    return null;
  }
}
