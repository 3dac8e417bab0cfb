// Numbers as people read them: the unit follows the size.

const number = (value: number, digits: number) => value.toLocaleString('en', { maximumSignificantDigits: digits });

export function durationText(seconds: number): string {
  const [factor, unit] = seconds < 1e-3 ? [1e6, 'µs'] : seconds < 1 ? [1e3, 'ms'] : [1, 's'];
  return `${number(seconds * factor, 3)} ${unit}`;
}

export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let rank = 0;
  let size = bytes;
  while (size >= 1000 && rank + 1 < units.length) {
    size /= 1000;
    ++rank;
  }
  return `${rank === 0 ? size : number(size, 3)} ${units[rank]}`;
}

export function countText(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

/// A whole number in groups of three digits; any other text as it is.
export function groupedText(text: string): string {
  return /^-?\d{5,}$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text;
}

/// An array on one line, with blanks between its elements.
export function valueText(value: unknown): string {
  return JSON.stringify(value).replaceAll(',', ', ');
}
