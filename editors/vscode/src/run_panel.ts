// Runs part of a program on inputs of one's own, in a panel beside the source: a form of its
// parameters, and who sees what of a run.

import * as path from 'node:path';
import * as vscode from 'vscode';

import { deviceOf, keyOf, type Device, type Runnable } from '../../playground/src/runnable.js';
import type { Report } from '../../playground/src/result_view.js';
import { filesIn, valueOfFile } from './input_files.js';
import type { RememberedInputs } from './remembered_inputs.js';
import { devicesOf, mostLikely, problemsOf, runnableAt, type Values } from './run_form.js';
import type { Choice, FromPage, ToPage } from './run_messages.js';
import { runPage } from './run_page_html.js';
import { runInPlaintext } from './run_process.js';
import { isAboutRun, reportOf, RUN, type RunAnswer } from './run_report.js';
import type { Server } from './server.js';

const PAUSE = 250;

/** One run that is under way. */
interface Running {
  readonly name: string;
  readonly stop: vscode.CancellationTokenSource;
}

export class RunPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private document: vscode.TextDocument | undefined;
  private runnables: readonly Runnable[] = [];
  private selected: Runnable | undefined;
  private device: Device = 'ref';
  private values: Values = {};
  private showsDetails = false;
  private running: Running | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly inputs: RememberedInputs,
    private readonly extension: vscode.Uri,
  ) {
    this.disposables = [
      server.onStateChange(() => this.later()),
      vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.moved(editor)),
    ];
  }

  /** Shows what can be run at the cursor. */
  async showHere(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId === 'tacet' && this.server.isReady()) {
      const line = editor.selection.active.line;
      await this.show(editor.document, (all) => runnableAt(all, line));
    }
  }

  /** Shows a function of a file, or the program of a `.tlhe` file: what the lens above it asks for. */
  async showNamed(uri: string, fn: string | undefined, showsDetails: boolean): Promise<void> {
    this.showsDetails = showsDetails;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    await this.show(document, (all) => all.find((one) => (fn === undefined ? one.kind === 'program' : one.kind === 'fn' && one.name === fn)));
  }

  /** Whether the panel itself shows what the server says. */
  readonly showsItself = (message: string): boolean => this.running !== undefined && isAboutRun(message, this.running.name);

  dispose(): void {
    clearTimeout(this.timer);
    this.running?.stop.cancel();
    this.panel?.dispose();
    this.disposables.forEach((one) => one.dispose());
  }

  private async show(document: vscode.TextDocument, select: (all: readonly Runnable[]) => Runnable | undefined): Promise<void> {
    this.document = document;
    this.runnables = await this.ask(document);
    await this.select(select(this.runnables) ?? mostLikely(this.runnables));
    if (this.panel === undefined) {
      this.open();
    } else {
      this.panel.reveal(undefined, false);
      this.draw();
    }
  }

  private open(): void {
    const panel = vscode.window.createWebviewPanel('tacet.run', 'Tacet: Run', vscode.ViewColumn.Beside, {
      enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [vscode.Uri.joinPath(this.extension, 'build')],
    });
    panel.iconPath = vscode.Uri.joinPath(this.extension, 'media', 'icon.svg');
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.running?.stop.cancel();
    });
    panel.webview.onDidReceiveMessage((message: FromPage) => void this.receive(message));
    const script = panel.webview.asWebviewUri(vscode.Uri.joinPath(this.extension, 'build', 'run_page.js'));
    panel.webview.html = runPage(String(script), panel.webview.cspSource);
    this.panel = panel;
  }

  private send(message: ToPage): void {
    void this.panel?.webview.postMessage(message);
  }

  private async receive(message: FromPage): Promise<void> {
    switch (message.kind) {
      case 'ready': return this.draw();
      case 'select':
        await this.select(this.runnables.find((one) => keyOf(one) === message.key));
        return this.draw();
      case 'edit':
        this.values = message.choice.values;
        this.device = message.choice.device;
        return;
      case 'run': return this.run(message.choice);
      case 'stop': return this.running?.stop.cancel();
      case 'selectFile': return this.selectFile(message.input);
      case 'goTo': return this.goTo(message.line, message.column);
    }
  }

  private async ask(document: vscode.TextDocument): Promise<readonly Runnable[]> {
    try {
      const textDocument = { uri: document.uri.toString() };
      return (await this.server.client()?.sendRequest<Runnable[]>('tacet/runnables', { textDocument })) ?? [];
    } catch {
      // The text changed meanwhile; another question follows.
      return this.runnables;
    }
  }

  private async select(runnable: Runnable | undefined): Promise<void> {
    const isOther = runnable === undefined || this.selected === undefined || keyOf(runnable) !== keyOf(this.selected);
    this.selected = runnable;
    if (runnable !== undefined && (isOther || !devicesOf(runnable).includes(this.device))) {
      this.device = deviceOf(runnable);
    }
    this.values = runnable === undefined || this.document === undefined ? {}
      : await this.inputs.recall(this.document.uri.toString(), runnable);
  }

  private draw(): void {
    if (this.server.client() === undefined) {
      return this.send({ kind: 'nothing', reason: 'The server does not run. The status bar shows why.' });
    }
    if (this.document?.uri.scheme !== 'file') {
      return this.send({ kind: 'nothing', reason: 'Save the file to run it.' });
    }
    if (this.selected === undefined) {
      return this.send({ kind: 'nothing', reason: 'This file has nothing that can run: no pipeline, function or array program.' });
    }
    this.send({
      kind: 'form', file: path.basename(this.document.uri.fsPath), runnables: this.runnables, selected: keyOf(this.selected),
      devices: devicesOf(this.selected), device: this.device, values: this.values,
    });
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (this.panel !== undefined && document === this.document && contentChanges.length > 0) {
      this.send({ kind: 'outdated' });
      this.later();
    }
  }

  private moved(editor: vscode.TextEditor | undefined): void {
    const isOther = editor?.document.languageId === 'tacet' && editor.document.uri.scheme === 'file' && editor.document !== this.document;
    if (this.panel !== undefined && isOther && this.running === undefined) {
      const line = editor.selection.active.line;
      this.document = editor.document;
      void this.ask(editor.document).then(async (all) => {
        this.runnables = all;
        await this.select(runnableAt(all, line));
        this.draw();
      });
    }
  }

  /** Asks again what can be run, when the typing pauses. */
  private later(): void {
    clearTimeout(this.timer);
    if (this.panel !== undefined) {
      this.timer = setTimeout(() => void this.refresh(), PAUSE);
    }
  }

  private async refresh(): Promise<void> {
    const { document } = this;
    if (document === undefined) {
      return;
    }
    const found = await this.ask(document);
    if (document !== this.document || (found.length === 0 && this.runnables.length > 0 && this.server.client() !== undefined)) {
      return; // While a head is being typed, the form stays.
    }
    this.runnables = found;
    const same = found.find((one) => this.selected !== undefined && keyOf(one) === keyOf(this.selected));
    if (same === undefined) {
      await this.select(mostLikely(found));
    } else {
      this.selected = same;
    }
    this.draw();
  }

  private async selectFile(input: string): Promise<void> {
    const folder = path.dirname(this.document!.uri.fsPath);
    const chosen = await vscode.window.showOpenDialog({
      title: `Values of ${input}`, openLabel: 'Use', defaultUri: vscode.Uri.file(folder), filters: { Values: ['json', 'csv', 'tsv', 'npy', 'npz'] },
    });
    if (chosen?.[0] !== undefined) {
      this.send({ kind: 'file', input, value: valueOfFile(chosen[0].fsPath, folder) });
    }
  }

  private async goTo(line: number, column: number): Promise<void> {
    const at = new vscode.Position(line - 1, column - 1);
    const selection = new vscode.Range(at, at);
    await vscode.window.showTextDocument(this.document!, { viewColumn: vscode.ViewColumn.One, selection });
  }

  private async run(choice: Choice): Promise<void> {
    const { document, selected: runnable } = this;
    if (document === undefined || runnable === undefined || keyOf(runnable) !== choice.key || this.running !== undefined) {
      return;
    }
    this.values = choice.values;
    this.device = choice.device;
    const problems = problemsOf(runnable, choice.values, filesIn(path.dirname(document.uri.fsPath)));
    if (Object.keys(problems).length > 0) {
      return this.send({ kind: 'problems', problems });
    }
    if (document.isDirty && !(await document.save())) {
      return;
    }
    await this.remember(document, runnable, choice.values);
    this.running = {
      name: runnable.kind === 'program' ? path.basename(document.uri.fsPath) : runnable.name,
      stop: new vscode.CancellationTokenSource(),
    };
    this.send({ kind: 'running' });
    const report = await this.reportOf(document, runnable, choice, this.running.stop.token);
    this.running.stop.dispose();
    this.running = undefined;
    this.send({ kind: 'report', report, choice, runnable, showsDetails: this.showsDetails });
  }

  private async remember(document: vscode.TextDocument, runnable: Runnable, values: Values): Promise<void> {
    if (!vscode.workspace.getConfiguration('tacet.run', document).get('rememberInputs', true)) {
      return;
    }
    try {
      await this.inputs.remember(document.uri.toString(), runnable, values);
    } catch (error) {
      this.server.output.warn(`the inputs are not remembered: ${String(error)}`);
    }
  }

  private async reportOf(
    document: vscode.TextDocument, runnable: Runnable, { device, values }: Choice, stop: vscode.CancellationToken,
  ): Promise<Report> {
    const file = document.uri.fsPath;
    try {
      const answer = device === 'ref'
        ? await this.runHere(file, runnable, values, stop)
        : await this.runByServer(document, runnable, values, stop);
      return reportOf(answer, file);
    } catch (error) {
      return stop.isCancellationRequested
        ? { outcome: 'stopped' }
        : { outcome: 'failed', message: error instanceof Error ? error.message : String(error) };
    }
  }

  private runHere(file: string, runnable: Runnable, values: Values, stop: vscode.CancellationToken): Promise<RunAnswer> {
    const abort = new AbortController();
    stop.onCancellationRequested(() => abort.abort());
    return runInPlaintext(this.server.program(), file, runnable, values, abort.signal);
  }

  private async runByServer(
    document: vscode.TextDocument, runnable: Runnable, inputs: Values, stop: vscode.CancellationToken,
  ): Promise<RunAnswer> {
    const client = this.server.client();
    if (client === undefined) {
      throw new Error('The server does not run.');
    }
    const uri = document.uri.toString();
    const fn = runnable.kind === 'program' ? {} : { fn: runnable.name };
    // A traced run answers with results and costs that programs can read.
    const request = { command: RUN, arguments: [{ uri, ...fn, inputs, trace: true, shows: true }] };
    return client.sendRequest<RunAnswer>('workspace/executeCommand', request, stop);
  }
}
