// The panels beside the text, one of which is shown: a list of tabs that arrows move in. A tab that
// does not apply is hidden.

import { byId } from './dom';

export class Tabs {
  private readonly tabs = [...byId('tabs').querySelectorAll<HTMLElement>('[role=tab]')];

  constructor(private readonly changed: () => void) {
    for (const tab of this.tabs) {
      tab.addEventListener('click', () => this.show(this.nameOf(tab)));
      tab.addEventListener('keydown', (event) => {
        const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
        if (step !== 0) {
          const open = this.tabs.filter((one) => !one.hidden);
          const next = open[(open.indexOf(tab) + step + open.length) % open.length]!;
          this.show(this.nameOf(next));
          next.focus();
          event.preventDefault();
        }
      });
    }
  }

  isShown(name: string): boolean {
    return this.tabs.some((tab) => this.nameOf(tab) === name && tab.getAttribute('aria-selected') === 'true');
  }

  /// Hides tabs, or shows them again.
  offer(names: readonly string[], isOffered: boolean): void {
    for (const tab of this.tabs.filter((one) => names.includes(this.nameOf(one)))) {
      tab.hidden = !isOffered;
    }
    if (!isOffered && names.some((name) => this.isShown(name))) {
      this.show('run');
    }
  }

  show(name: string): void {
    for (const tab of this.tabs) {
      const isIt = this.nameOf(tab) === name;
      tab.setAttribute('aria-selected', String(isIt));
      tab.tabIndex = isIt ? 0 : -1;
      byId(tab.getAttribute('aria-controls')!).hidden = !isIt;
    }
    this.changed();
  }

  private nameOf(tab: HTMLElement): string {
    return tab.id.replace(/^tab-/, '');
  }
}
