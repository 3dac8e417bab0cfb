// The playground: an editor that speaks to the language server, runs programs and shows what the
// compiler makes of them.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { openLintPanel } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import type { Backend } from './backend';
import { hideBanner, showBanner } from './banner';
import { languageClient } from './connection';
import { ChoicesPanel } from './choices_panel';
import { byId, element } from './dom';
import { offsetAt, OpenDocument, refreshed } from './document';
import { actions, format, goTo, showActions } from './features/actions';
import { completion } from './features/completion';
import { decorations, type LensCommand } from './features/decorations';
import { diagnostics, showDiagnostics } from './features/diagnostics';
import { hover } from './features/hover';
import { Gallery, type Example } from './gallery';
import { keep, readKept } from './kept';
import { tacetLanguage } from './language';
import { linkPictures, pictureLinks } from './links';
import { ModuleBackend } from './module_backend';
import { Panes } from './panes';
import { programs, replaceProgram, type Setting } from './program';
import { RunPanel } from './run_panel';
import { fragmentOf, hasProgram, readFragment, sharedOf, type Shared } from './share';
import { ServerBackend } from './server_backend';
import { StagePanel } from './stage_panel';
import { Tabs } from './tabs';

const KEPT = 'tacet-playground';
const THEME = 'tacet-playground-theme';
const WRAP = 'tacet-playground-wrap';

/// A page without a server has a script that starts the module.
const backend: Backend = window.tacetModule ? new ModuleBackend(window.tacetModule) : new ServerBackend();
const client = languageClient(backend);
const opened = new OpenDocument(client);
const panes = new Panes();
let gallery: Gallery | undefined;
let hasBegun = false;
let sayTimer: ReturnType<typeof setTimeout> | undefined;

/// In the line at the bottom, for a while.
function say(message: string, ...more: HTMLElement[]): void {
  byId('said').replaceChildren(message, ...more);
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => byId('said').replaceChildren(), more.length > 0 ? 15000 : 5000);
}

function runLens(command: LensCommand): void {
  if (command.command === 'tacet.run') {
    runs.choose(command.arguments?.[0]?.fn ?? '');
    void runs.run();
    return;
  }
  void client
    .request('workspace/executeCommand', { command: command.command, arguments: command.arguments })
    .then((places) => goTo(opened, view, places, say))
    .catch((error: Error) => say(error.message));
}

function rested(): void {
  void runs.refresh();
  stages.refresh();
  choices.refresh();
  keep(KEPT, JSON.stringify(current()));
}

/// The program of the last visit.
function keptProgram(): Shared | null {
  try {
    return sharedOf(JSON.parse(readKept(KEPT) ?? 'null'));
  } catch {
    return null;
  }
}

function current(): Shared {
  return { name: opened.name, text: view.state.doc.toString(), ...runs.shared() };
}

function goToOffset(anchor: number): void {
  panes.show('editor');
  view.dispatch({ selection: { anchor }, scrollIntoView: true });
  view.focus();
}

const tabs = new Tabs(() => {
  stages.refresh();
  choices.refresh();
});
const runs = new RunPanel(backend, opened, {
  text: () => view.state.doc.toString(),
  show: () => {
    tabs.show('run');
    panes.show('result');
  },
  selected: () => {
    choices.select(runs.selected());
    tabs.offer(['layout', 'circuit'], stages.select(runs.selected()));
  },
  goTo: (line, column) => goToOffset(offsetAt(view.state.doc, { line: line - 1, character: column - 1 })),
});
const choices = new ChoicesPanel(opened, () => view, () => tabs.isShown('choices'), (name) => {
  runs.choose(name);
  tabs.show('run');
});
const stages = new StagePanel(opened, () => view, (panel) => tabs.isShown(panel));

/// What the page's policy knows styles by.
const nonce = EditorView.cspNonce.of(document.body.dataset.nonce ?? '');
const wrapping = new Compartment();
let wraps = readKept(WRAP) !== 'false';

const extensions = () => [
  nonce,
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightActiveLine(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightSelectionMatches(),
  tacetLanguage,
  opened.extension(),
  programs(setUp),
  pictureLinks(),
  wrapping.of(wraps ? EditorView.lineWrapping : []),
  diagnostics,
  completion(opened),
  hover(opened),
  decorations(opened, runLens, rested),
  actions(opened, say),
  EditorView.updateListener.of((update) => {
    if (update.docChanged) {
      client.wake();
      runs.outdate();
      showName();
    }
    if (update.selectionSet) {
      stages.refresh();
    }
  }),
  EditorView.contentAttributes.of({ 'aria-label': 'Program', spellcheck: 'false', tabindex: '0' }),
  keymap.of([
    { key: 'Mod-Enter', run: () => (void runs.run(), true) },
    ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
  ]),
];

const view = new EditorView({ parent: byId('editor'), extensions: nonce });

/// Which example the editor shows; `(changed)` if it was edited since.
function showName(): void {
  const button = byId('examples');
  const shown = gallery?.of(view.state.doc.toString());
  if (shown) {
    button.dataset.title = shown.title;
  }
  const title = button.dataset.title;
  byId('example-title').textContent = shown ? shown.title : title ? `${title} (changed)` : 'Your program';
  byId('example-about').textContent = shown?.about ?? '';
  byId('example-about').hidden = !shown;
}

/// What belongs to the text that the editor has now. Examples run at once, and what a link wants to run
/// if the page itself runs it.
function setUp(setting: Setting): void {
  const example = gallery?.of(view.state.doc.toString());
  delete byId('examples').dataset.title;
  runs.load(setting, example !== undefined || (setting.runs === true && backend.runsLinks));
  byId<HTMLSelectElement>('language').value = setting.name.endsWith('.tlhe') ? 'tlhe' : 'tacet';
  if (client.ready) {
    opened.rename(setting.name, view.state.doc.toString());
    // Not within the update that this may be part of.
    queueMicrotask(() => view.dispatch({ effects: refreshed.of(null) }));
  } else {
    opened.name = setting.name;
  }
  showName();
}

/// The first program of the page.
function begin(shared: Shared): void {
  view.setState(EditorState.create({ doc: shared.text, extensions: extensions() }));
  opened.name = shared.name;
  setUp(shared);
  hasBegun = true;
  openInSession();
}

/// Once there are both a program and a session.
function openInSession(): void {
  if (hasBegun && client.ready) {
    opened.open(view.state.doc.toString());
    view.dispatch({ effects: refreshed.of(null) });
  }
}

/// Another program in the place of this one, which undoing brings back.
function load(shared: Shared): void {
  const isLoss = gallery?.of(view.state.doc.toString()) === undefined && view.state.doc.length > 0;
  replaceProgram(view, current(), shared);
  if (isLoss) {
    say('Replaced your program. ', element('button', { type: 'button', class: 'link', click: () => (undo(view), say('')) }, 'Undo'));
  }
}

client.onReady = openInSession;
client.on('textDocument/publishDiagnostics', (told) => {
  const shown = showDiagnostics(view, opened, told, (target, range) => void showActions(opened, target, range, say));
  const n = shown.length;
  if (told.uri === opened.uri) {
    byId('problems').textContent = n === 0 ? 'no problems' : n === 1 ? '1 problem' : `${n} problems`;
    byId('problems').dataset.count = String(n);
    byId('problems').classList.toggle('errors', shown.some((one) => one.severity === 'error'));
  }
});
for (const what of ['codeLens', 'inlayHint']) {
  client.on(`workspace/${what}/refresh`, () => {
    view.dispatch({ effects: refreshed.of(null) });
    return null;
  });
}
client.on('window/showMessage', (told) => say(told.message));

async function share(): Promise<void> {
  replaceFragment(await fragmentOf(current()));
  try {
    await navigator.clipboard.writeText(location.href);
    say('Link copied. It contains the program and its inputs.');
  } catch {
    say('The link is in the address bar. It contains the program and its inputs.');
  }
}

function replaceFragment(fragment: string): void {
  window.history.replaceState(null, '', `${location.pathname}${fragment}`);
}

/// The program of the address; a link that is damaged is reported.
async function linked(): Promise<Shared | null> {
  const shared = await readFragment(location.hash);
  if (!shared && hasProgram(location.hash)) {
    showBanner('link', 'This link is incomplete or damaged: it has no program that can be read. Ask for it again.',
      { title: 'Dismiss', run: () => { hideBanner('link'); replaceFragment(''); } });
  }
  return shared;
}

function setTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  keep(THEME, theme);
}

function setWrapping(on: boolean): void {
  wraps = on;
  keep(WRAP, String(on));
  byId('wrap').setAttribute('aria-pressed', String(on));
  view.dispatch({ effects: wrapping.reconfigure(on ? EditorView.lineWrapping : []) });
}

function connectButtons(): void {
  byId('share').addEventListener('click', () => void share());
  byId('format').addEventListener('click', () => void format(opened, view, say).then(() => view.focus()));
  byId('problems').addEventListener('click', () => {
    panes.show('editor');
    openLintPanel(view);
  });
  byId('wrap').setAttribute('aria-pressed', String(wraps));
  byId('wrap').addEventListener('click', () => setWrapping(!wraps));
  byId('help').addEventListener('click', () => byId<HTMLDialogElement>('keys').showModal());
  byId('theme').addEventListener('click', () => {
    const isDark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    setTheme(isDark ? 'light' : 'dark');
  });
  byId<HTMLSelectElement>('language').addEventListener('change', (event) => {
    opened.rename(`program.${(event.target as HTMLSelectElement).value}`, view.state.doc.toString());
    runs.outdate();
    view.dispatch({ effects: refreshed.of(null) });
  });
  window.addEventListener('hashchange', () => void linked().then((shared) => shared && load(shared)));
  window.addEventListener('keydown', (event) => {
    if (event.key === 'F1') {
      event.preventDefault();
      byId<HTMLDialogElement>('keys').showModal();
    }
  });
}

/// Those that the page cannot run on their device come last.
async function readExamples(): Promise<Example[]> {
  const isElsewhere = (one: Example) => Number(!(backend.devices as readonly string[]).includes(one.device ?? ''));
  try {
    const list = await (await fetch('examples.json')).json() as Example[];
    return list.map((one) => ({ ...one, name: `program.${one.file.endsWith('.tlhe') ? 'tlhe' : 'tacet'}` }))
      .sort((a, b) => isElsewhere(a) - isElsewhere(b));
  } catch {
    say('The examples could not be loaded.');
    return [];
  }
}

async function start(): Promise<void> {
  const theme = readKept(THEME);
  if (theme) {
    document.documentElement.dataset.theme = theme;
  }
  client.connect();
  connectButtons();
  linkPictures(view, goToOffset);
  const examples = await readExamples();
  gallery = new Gallery(examples, (example) => {
    replaceFragment('');
    load(example);
    tabs.show('run');
  });
  begin((await linked()) ?? keptProgram() ?? examples[0] ?? { name: 'program.tacet', text: '#version 0.1.0\n' });
  if (!panes.isNarrow()) {
    view.focus();
  }
}

void start();
