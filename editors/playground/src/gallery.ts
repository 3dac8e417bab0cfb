// The examples, in groups, with a sentence each; and which of them the editor shows.

import { byId, element } from './dom';
import type { Shared } from './share';

export interface Example extends Shared { title: string; group: string; about: string; file: string }

export class Gallery {
  private readonly dialog = byId<HTMLDialogElement>('gallery');
  private readonly search = byId<HTMLInputElement>('gallery-search');
  private readonly list = byId('gallery-list');

  constructor(readonly examples: Example[], choose: (example: Example) => void) {
    const groups = new Map<string, HTMLElement>();
    for (const example of examples) {
      if (!groups.has(example.group)) {
        const group = element('section', { class: 'group', 'aria-label': example.group }, element('h3', {}, example.group));
        groups.set(example.group, this.list.appendChild(group));
      }
      groups.get(example.group)!.append(element('button', {
        type: 'button', class: 'example', 'data-title': example.title,
        click: () => {
          this.dialog.close();
          choose(example);
        },
      }, element('b', {}, example.title), element('span', {}, example.about)));
    }
    this.search.addEventListener('input', () => this.filter());
    this.dialog.addEventListener('keydown', (event) => this.move(event));
    byId('examples').addEventListener('click', () => this.open());
  }

  /// The example whose text this is.
  of(text: string): Example | undefined {
    return this.examples.find((example) => example.text === text);
  }

  private open(): void {
    this.search.value = '';
    this.filter();
    const shown = byId('examples').dataset.title;
    for (const button of this.buttons()) {
      button.toggleAttribute('aria-current', button.dataset.title === shown);
    }
    this.dialog.showModal();
    this.search.focus();
  }

  private buttons(): HTMLButtonElement[] {
    return [...this.list.querySelectorAll<HTMLButtonElement>('.example')];
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/);
    for (const button of this.buttons()) {
      const text = `${button.textContent} ${button.parentElement!.getAttribute('aria-label')}`.toLowerCase();
      button.hidden = !words.every((word) => text.includes(word));
    }
    for (const group of this.list.children) {
      (group as HTMLElement).hidden = !group.querySelector('.example:not([hidden])');
    }
    byId('gallery-none').hidden = this.buttons().some((button) => !button.hidden);
  }

  /// Arrows go through what is found; Enter in the search takes the first.
  private move(event: KeyboardEvent): void {
    const found = this.buttons().filter((button) => !button.hidden);
    const now = found.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const next = now + (event.key === 'ArrowDown' ? 1 : -1);
      (next < 0 ? this.search : found[Math.min(next, found.length - 1)])?.focus();
    } else if (event.key === 'Enter' && document.activeElement === this.search) {
      event.preventDefault();
      found[0]?.click();
    }
  }
}
