// The Markdown that the server writes in hovers and documentation: paragraphs, headings, lists, rules,
// blocks of code, pictures as data, and in a line code, emphasis and links. Nothing of it is taken for
// HTML.

import { element, picture } from './dom';

export type HighlightCode = (code: string) => Node;
/// Follows a link; where there is none, links are words.
export type Follow = (address: string) => void;

const INLINE = /`([^`]+)`|(?<!\\)\*\*([^*]+)\*\*|(?<!\\)\*([^*]+)\*|!\[([^\]]*)\]\(([^)\s]+)\)|\[([^\]]+)\]\(([^)\s]+)\)/g;
const SVG_DATA = 'data:image/svg+xml;base64,';

function image(address: string, description: string): Node {
  if (!address.startsWith(SVG_DATA)) {
    return document.createTextNode(description);
  }
  const bytes = Uint8Array.from(atob(address.slice(SVG_DATA.length)), (letter) => letter.charCodeAt(0));
  return picture(new TextDecoder().decode(bytes)) ?? document.createTextNode(description);
}

function inline(text: string, into: HTMLElement, follow?: Follow): HTMLElement {
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    into.append(unescaped(text.slice(end, match.index)));
    end = match.index + match[0].length;
    const [, code, strong, emphasis, description, source, words, address] = match;
    if (code !== undefined) {
      into.append(element('code', {}, code));
    } else if (strong !== undefined) {
      into.append(element('strong', {}, strong));
    } else if (emphasis !== undefined) {
      into.append(element('em', {}, emphasis));
    } else if (source !== undefined) {
      into.append(image(source, description ?? ''));
    } else if (follow && address !== undefined) {
      into.append(element('button', { type: 'button', class: 'link', click: () => follow(address) }, words ?? ''));
    } else {
      into.append(words ?? '');
    }
  }
  into.append(unescaped(text.slice(end)));
  return into;
}

function unescaped(text: string): string {
  return text.replace(/\\([\\*_<>[\]#~|`])/g, '$1');
}

/// The list that an item so far to the right belongs to: the last one, or one in its last item.
function listAt(out: HTMLElement, depth: number): Element {
  let list = out.lastElementChild?.tagName === 'UL' ? out.lastElementChild : out.appendChild(element('ul'));
  for (let i = 0; i < depth; ++i) {
    const item = list.lastElementChild ?? list.appendChild(element('li'));
    list = item.lastElementChild?.tagName === 'UL' ? item.lastElementChild : item.appendChild(element('ul'));
  }
  return list;
}

export function renderMarkdown(markdown: string, highlight: HighlightCode, follow?: Follow): HTMLElement {
  const out = element('div', { class: 'markdown' });
  const lines = markdown.split('\n');
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) {
      out.append(inline(paragraph.join(' '), element('p'), follow));
      paragraph = [];
    }
  };
  for (let i = 0; i < lines.length; ++i) {
    const line = lines[i]!;
    const fence = /^```(\w*)/.exec(line);
    if (fence) {
      flush();
      const code: string[] = [];
      while (++i < lines.length && !lines[i]!.startsWith('```')) {
        code.push(lines[i]!);
      }
      const text = code.join('\n');
      out.append(element('pre', {}, fence[1] === 'tacet' ? highlight(text) : text));
    } else if (/^(---|\*\*\*)\s*$/.test(line)) {
      flush();
      out.append(element('hr'));
    } else if (/^#{1,6} /.test(line)) {
      flush();
      out.append(inline(line.replace(/^#+ /, ''), element('h4')));
    } else if (/^ *[-*] /.test(line)) {
      flush();
      const indent = line.search(/\S/);
      listAt(out, indent >> 1).append(inline(line.slice(indent + 2), element('li'), follow));
    } else if (line.trim() === '') {
      flush();
    } else {
      paragraph.push(line);
    }
  }
  flush();
  return out;
}
