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
