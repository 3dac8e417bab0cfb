// The playground: an editor that speaks to the language server, runs programs and shows what the
// compiler makes of them.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { openLintPanel } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { byId, element } from './dom';
import { OpenDocument, refreshed } from './document';
import { actions, format, goTo, showActions } from './features/actions';
import { completion } from './features/completion';
import { decorations, type LensCommand } from './features/decorations';
import { diagnostics, showDiagnostics } from './features/diagnostics';
import { hover } from './features/hover';
import { tacetLanguage } from './language';
import { LanguageClient } from './language_client';
import { RunPanel } from './run_panel';
import { fragmentOf, readFragment, type Shared } from './share';
import { StagePanel } from './stage_panel';
import { Tabs } from './tabs';

interface Example extends Shared { title: string; group: string; file: string }

const KEPT = 'tacet-playground';
const THEME = 'tacet-playground-theme';

// The page is in a folder whose name is the token: what it asks for is beside it.
const languageAddress = new URL('language', location.href);
languageAddress.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
languageAddress.hash = '';
languageAddress.search = '';

const client = new LanguageClient(languageAddress.href, {
  processId: null,
  clientInfo: { name: 'Tacet playground' },
  rootUri: null,
  initializationOptions: { hover: { pictures: true } },
  capabilities: {
    general: { positionEncodings: ['utf-16'] },
    textDocument: {
      hover: { contentFormat: ['markdown'] },
      completion: { completionItem: { documentationFormat: ['markdown'] } },
      signatureHelp: { signatureInformation: { documentationFormat: ['markdown'], parameterInformation: { labelOffsetSupport: true } } },
      codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor'] } } },
      publishDiagnostics: { relatedInformation: true },
    },
    workspace: {
      workspaceEdit: { documentChanges: true },
      codeLens: { refreshSupport: true },
      inlayHint: { refreshSupport: true },
    },
  },
});
const opened = new OpenDocument(client);
let sayTimer: ReturnType<typeof setTimeout> | undefined;

/// In the line at the bottom, for a while.
function say(message: string): void {
  byId('said').textContent = message;
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => { byId('said').textContent = ''; }, 5000);
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
  localStorage.setItem(KEPT, JSON.stringify(current()));
}

function current(): Shared {
  return { name: opened.name, text: view.state.doc.toString(), ...runs.shared() };
}

const tabs = new Tabs(() => stages.refresh());
const runs = new RunPanel(opened, () => view.state.doc.toString(), () => tabs.show('run'));
const stages = new StagePanel(opened, () => view, (panel) => tabs.isShown(panel));

/// What the page's policy knows styles by.
const nonce = EditorView.cspNonce.of(document.body.dataset.nonce ?? '');

const extensions = [
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
  diagnostics,
  completion(opened),
  hover(opened),
  decorations(opened, runLens, rested),
  actions(opened, say),
  EditorView.updateListener.of((update) => {
    if (update.selectionSet) {
      stages.refresh();
    }
  }),
  EditorView.contentAttributes.of({ 'aria-label': 'Program', spellcheck: 'false' }),
  keymap.of([
    { key: 'Mod-Enter', run: () => (void runs.run(), true) },
    ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
  ]),
];

const view = new EditorView({ parent: byId('editor'), extensions: nonce });

/// Another program, with a history of its own.
function load(shared: Shared): void {
  runs.load(shared);
  view.setState(EditorState.create({ doc: shared.text, extensions }));
  byId<HTMLSelectElement>('language').value = shared.name.endsWith('.tlhe') ? 'tlhe' : 'tacet';
  if (client.ready) {
    client.notify('textDocument/didClose', { textDocument: opened.identifier });
    opened.name = shared.name;
    opened.open(view.state.doc.toString());
    view.dispatch({ effects: refreshed.of(null) });
  } else {
    opened.name = shared.name;
  }
}

client.onReady = () => {
  opened.open(view.state.doc.toString());
  view.dispatch({ effects: refreshed.of(null) });
};
client.onState = (state, why) => {
  const status = byId('status');
  status.dataset.state = state;
  status.textContent = state === 'ready' ? 'connected' : state === 'connecting' ? 'connecting…' : why || 'not connected';
};
client.on('textDocument/publishDiagnostics', (told) => {
  const shown = showDiagnostics(view, opened, told, (target, range) => void showActions(opened, target, range, say));
  const n = shown.length;
  if (told.uri === opened.uri) {
    byId('problems').textContent = n === 0 ? 'no problems' : n === 1 ? '1 problem' : `${n} problems`;
    byId('problems').dataset.count = String(n);
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
  const fragment = await fragmentOf(current());
  replaceFragment(fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    say('The link is in the clipboard; the program is part of it');
  } catch {
    say('The link is in the address bar; the program is part of it');
  }
}

function replaceFragment(fragment: string): void {
  window.history.replaceState(null, '', `${location.pathname}${fragment}`);
}

function setTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem(THEME, theme);
}

function connectButtons(): void {
  byId('share').addEventListener('click', () => void share());
  byId('format').addEventListener('click', () => void format(opened, view, say).then(() => view.focus()));
  byId('problems').addEventListener('click', () => openLintPanel(view));
  byId('help').addEventListener('click', () => byId<HTMLDialogElement>('keys').showModal());
  byId('theme').addEventListener('click', () => {
    const isDark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    setTheme(isDark ? 'light' : 'dark');
  });
  byId<HTMLSelectElement>('language').addEventListener('change', (event) => {
    opened.rename(`program.${(event.target as HTMLSelectElement).value}`, view.state.doc.toString());
    view.dispatch({ effects: refreshed.of(null) });
  });
  window.addEventListener('hashchange', () => void readFragment(location.hash).then((shared) => shared && load(shared)));
  window.addEventListener('keydown', (event) => {
    if (event.key === 'F1') {
      event.preventDefault();
      byId<HTMLDialogElement>('keys').showModal();
    }
  });
}

function fillExamples(examples: Example[]): void {
  const menu = byId<HTMLSelectElement>('examples');
  const groups = new Map<string, HTMLOptGroupElement>();
  examples.forEach((example, i) => {
    if (!groups.has(example.group)) {
      groups.set(example.group, menu.appendChild(element('optgroup', { label: example.group })));
    }
    groups.get(example.group)!.append(element('option', { value: String(i) }, example.title));
  });
  menu.addEventListener('change', () => {
    const example = examples[Number(menu.value)];
    menu.selectedIndex = 0;
    if (example) {
      replaceFragment('');
      load(example);
      tabs.show('run');
      view.focus();
    }
  });
}

async function begin(): Promise<void> {
  const theme = localStorage.getItem(THEME);
  if (theme) {
    document.documentElement.dataset.theme = theme;
  }
  connectButtons();
  const examples: Example[] = (await (await fetch('examples.json')).json()).map((one: any) => ({
    ...one,
    name: `program.${one.file.endsWith('.tlhe') ? 'tlhe' : 'tacet'}`,
  }));
  fillExamples(examples);
  const kept = JSON.parse(localStorage.getItem(KEPT) ?? 'null') as Shared | null;
  load((await readFragment(location.hash)) ?? kept ?? examples[0]!);
  client.connect();
  view.focus();
}

void begin();
