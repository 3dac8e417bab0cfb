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

async function through(bytes: Uint8Array, transform: GenericTransformStream): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(transform as ReadableWritablePair<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(stream).arrayBuffer());
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
    const shared = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw'))));
    return typeof shared.text === 'string' && /^\w+\.(tacet|tlhe)$/.test(shared.name) ? shared : null;
  } catch {
    return null;
  }
}
