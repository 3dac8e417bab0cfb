// Elements, from what they are made of.

type Child = Node | string | null | undefined | false;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | boolean | ((event: any) => void)> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      made.addEventListener(name, value);
    } else if (typeof value === 'boolean') {
      made.toggleAttribute(name, value);
    } else {
      made.setAttribute(name, value);
    }
  }
  made.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return made;
}

export function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/// A picture of the server's. Its colours are the page's, and nothing in it can do anything.
export function picture(svg: string): SVGElement | null {
  // The page's policy does not even let styles be read that it does not know.
  const plain = svg.replace(/<style>[^<]*<\/style>/g, '');
  const parsed = new DOMParser().parseFromString(plain, 'image/svg+xml').documentElement;
  if (parsed.nodeName !== 'svg') {
    return null;
  }
  for (const one of parsed.querySelectorAll('style, script, foreignObject, image, a, use')) {
    one.remove();
  }
  return document.importNode(parsed, true) as unknown as SVGElement;
}

/// A drawing of the page's own, as the `d` of its path in a square of 16.
export function icon(path: string, name: string): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon ${name}`);
  svg.setAttribute('aria-hidden', 'true');
  const drawn = document.createElementNS(space, 'path');
  drawn.setAttribute('d', path);
  svg.append(drawn);
  return svg;
}

export const lock = () => icon('M4 7V5a4 4 0 0 1 8 0v2h1v7H3V7zm2 0h4V5a2 2 0 0 0-4 0z', 'lock');
