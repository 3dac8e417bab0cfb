// The panels beside the text, one of which is shown: a list of tabs that arrows move in.

export class Tabs {
  private readonly tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]')];

  constructor(private readonly changed: () => void) {
    this.tabs.forEach((tab, i) => {
      tab.addEventListener('click', () => this.show(this.nameOf(tab)));
      tab.addEventListener('keydown', (event) => {
        const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
        if (step !== 0) {
          const next = this.tabs[(i + step + this.tabs.length) % this.tabs.length]!;
          this.show(this.nameOf(next));
          next.focus();
          event.preventDefault();
        }
      });
    });
  }

  isShown(name: string): boolean {
    return this.tabs.some((tab) => this.nameOf(tab) === name && tab.getAttribute('aria-selected') === 'true');
  }

  show(name: string): void {
    for (const tab of this.tabs) {
      const isIt = this.nameOf(tab) === name;
      tab.setAttribute('aria-selected', String(isIt));
      tab.tabIndex = isIt ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls')!)!.hidden = !isIt;
    }
    this.changed();
  }

  private nameOf(tab: HTMLElement): string {
    return tab.id.replace(/^tab-/, '');
  }
}
