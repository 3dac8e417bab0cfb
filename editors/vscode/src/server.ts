// The language server's life: started, told of settings, shown in the status bar, started again.

import * as os from 'node:os';
import * as vscode from 'vscode';
import {
  CloseAction, CodeLensRequest, ErrorAction, LanguageClient, MessageType, ShowMessageNotification, State,
  type LanguageClientOptions, type Middleware, type ShowMessageParams,
} from 'vscode-languageclient/node';

import type { AskForExplored } from './explored.js';
import type { Explored } from './explored_page.js';
import type { Place } from './following.js';
import { Restarts } from './restarts.js';
import { failed, missing, problemText, stopped, type ServerProblem } from './server_problem.js';
import { allowToRun, ANY, findProgram, isProgram, packedServer, type Search } from './server_program.js';
import { statusText, type ServerStatus } from './server_status.js';
import type { StageText } from './stages.js';

/** Rejects with what the server says if there is no such thing; undefined while it does not run. */
export type AskForStage = (place: Place, stage: string) => Promise<StageText | undefined>;

/** What others do with what the server says. */
export interface Listeners {
  /** Sees answers before VS Code does. */
  readonly middleware: Middleware;
  /** Whether a message to the user is shown in another way. */
  readonly showsItself: (message: string) => boolean;
}

const IS_WINDOWS = process.platform === 'win32';

export class Server implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel('Tacet', { log: true });
  private readonly trace = vscode.window.createOutputChannel('Tacet Trace', { log: true });
  private readonly status: vscode.LanguageStatusItem;
  private readonly stateChange = new vscode.EventEmitter<void>();
  /** The server started or ended, or there is another reason why it does not run. */
  readonly onStateChange = this.stateChange.event;
  private readonly restarts = new Restarts();
  private readonly focus: vscode.Disposable;
  private current: LanguageClient | undefined;
  private problem: ServerProblem | undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(private readonly extensionFolder: string, private readonly listeners: Listeners) {
    this.status = vscode.languages.createLanguageStatusItem('tacet.server', { language: 'tacet' });
    this.status.name = 'Tacet';
    this.status.command = { command: 'tacet.showServerStatus', title: 'Details' };
    this.say('not started', vscode.LanguageStatusSeverity.Information);
    this.focus = vscode.window.onDidChangeWindowState(({ focused }) => {
      // Somebody may have installed it in the meantime.
      if (focused && this.problem?.kind === 'missing' && this.search().program !== undefined) {
        void this.restart();
      }
    });
  }

  /** The client, while it runs. */
  client(): LanguageClient | undefined {
    return this.current?.state === State.Running ? this.current : undefined;
  }

  /** The program that is, or would be, started; the setting itself if there is none. */
  program(): string {
    return this.search().program ?? this.setting();
  }

  /** What the compiler makes of the file, or of the item at a place. */
  readonly askForStage: AskForStage = async (place, stage) => {
    const { uri, line, character } = place;
    return this.client()?.sendRequest<StageText>('tacet/stage', { textDocument: { uri }, position: { line, character }, stage });
  };

  /** What was explored at a place. */
  readonly askForExplored: AskForExplored = async (place) => {
    const { uri, line, character } = place;
    return this.client()?.sendRequest<Explored>('tacet/explored', { textDocument: { uri }, position: { line, character } });
  };

  /** The number of a modifier in the legend of the server's tokens; negative if it has none. */
  modifier(name: string): number {
    const provider = this.client()?.initializeResult?.capabilities.semanticTokensProvider;
    return provider?.legend.tokenModifiers.indexOf(name) ?? -1;
  }

  /** Has the lenses of a document asked for again. */
  refreshLenses(document: vscode.TextDocument): void {
    this.client()?.getFeature(CodeLensRequest.method).getProvider(document)?.onDidChangeCodeLensEmitter.fire();
  }

  /** What the server reports of itself, or why it does not run, as text. */
  async describe(): Promise<string> {
    const client = this.client();
    return client === undefined
      ? problemText(this.problem)
      : statusText(await client.sendRequest<ServerStatus>('tacet/serverStatus'), this.program());
  }

  /** True if the server runs; otherwise says why not, and offers what helps. */
  isReady(): boolean {
    if (this.client() !== undefined) {
      return true;
    }
    if (this.problem === undefined) {
      void vscode.window.showInformationMessage('Tacet: the server is starting; try again in a moment.');
    } else {
      void this.explain(this.problem);
    }
    return false;
  }

  /** Stops the server if it runs, and starts it. Several calls are done one after another. */
  restart(): Promise<void> {
    this.restarts.forget();
    this.turn = this.turn.then(() => this.stop()).then(() => this.start());
    return this.turn;
  }

  /** Stops the server, when what was asked before is done. */
  end(): Promise<void> {
    this.turn = this.turn.then(() => this.stop());
    return this.turn;
  }

  /** Asks for the program, and remembers it in the settings, which starts it. */
  async selectProgram(): Promise<void> {
    const chosen = await vscode.window.showOpenDialog({ title: 'The program tacet', openLabel: 'Use This Program', canSelectMany: false });
    const file = chosen?.[0]?.fsPath;
    if (file === undefined) {
      return;
    }
    const settings = vscode.workspace.getConfiguration('tacet.server');
    if (settings.get('path') === file) {
      await this.restart();
    } else {
      await settings.update('path', file, vscode.ConfigurationTarget.Global);
    }
  }

  dispose(): void {
    for (const one of [this.status, this.output, this.trace, this.stateChange, this.focus]) {
      one.dispose();
    }
  }

  private setting(): string {
    return vscode.workspace.getConfiguration('tacet.server').get('path', ANY);
  }

  private search(): Search {
    return findProgram(this.setting(), {
      searchPath: process.env['PATH'] ?? '',
      home: os.homedir(),
      workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
      isTrusted: vscode.workspace.isTrusted,
      extensionFolder: this.extensionFolder,
      isProgram,
      isWindows: IS_WINDOWS,
    });
  }

  private say(text: string, severity: vscode.LanguageStatusSeverity, isBusy = false): void {
    this.status.text = `Tacet: ${text}`;
    this.status.detail = this.problem?.summary ?? '';
    this.status.severity = severity;
    this.status.busy = isBusy;
    this.stateChange.fire();
  }

  private tell({ type, message }: ShowMessageParams): void {
    if (this.listeners.showsItself(message)) {
      return;
    }
    const show = type === MessageType.Error ? vscode.window.showErrorMessage
      : type === MessageType.Warning ? vscode.window.showWarningMessage
      : vscode.window.showInformationMessage;
    void show(message);
  }

  private async stop(): Promise<void> {
    const client = this.current;
    this.current = undefined;
    this.problem = undefined;
    if (client === undefined) {
      return;
    }
    try {
      await client.stop();
    } catch (error) {
      this.output.warn(`the server did not stop as it should: ${String(error)}`);
    }
    await client.dispose();
  }

  private async start(): Promise<void> {
    try {
      allowToRun(packedServer(this.extensionFolder, IS_WINDOWS));
    } catch (error) {
      this.output.warn(`the server of the extension cannot run: ${String(error)}`);
    }
    const search = this.search();
    const command = search.program;
    if (command === undefined) {
      this.fail('not found', missing(this.setting(), search));
      return;
    }
    const args = vscode.workspace.getConfiguration('tacet.server').get<string[]>('arguments', ['lsp']);
    this.output.info(`starting ${[command, ...args].join(' ')}`);
    this.say('starting', vscode.LanguageStatusSeverity.Information, true);
    const client = new LanguageClient('tacet', 'Tacet', { command, args }, this.options(command));
    client.onNotification(ShowMessageNotification.type, (message) => this.tell(message));
    client.onDidChangeState((event) => this.stateChanged(client, event.newState));
    this.current = client;
    try {
      await client.start();
    } catch (error) {
      this.output.error(`the server did not start: ${String(error)}`);
      this.fail('failed', failed(command, error));
    }
  }

  private stateChanged(client: LanguageClient, state: State): void {
    if (client !== this.current || this.problem !== undefined) {
      return;
    }
    if (state === State.Running) {
      const version = client.initializeResult?.serverInfo?.version ?? '';
      this.say(version, vscode.LanguageStatusSeverity.Information);
    } else if (state === State.Stopped) {
      this.say('stopped', vscode.LanguageStatusSeverity.Warning);
    }
  }

  private fail(state: string, problem: ServerProblem): void {
    this.problem = problem;
    this.say(state, vscode.LanguageStatusSeverity.Error);
    void this.explain(problem);
  }

  private async explain(problem: ServerProblem): Promise<void> {
    const buttons: Record<string, string> = {
      'Try Again': 'tacet.restartServer',
      'Select the Program…': 'tacet.selectServer',
      ...(problem.kind === 'missing' ? { 'How to Install': 'tacet.getStarted' } : { 'Show Output': 'tacet.showOutput' }),
    };
    const choice = await vscode.window.showErrorMessage(`Tacet: ${problem.summary}`, ...Object.keys(buttons));
    if (choice !== undefined) {
      await vscode.commands.executeCommand(buttons[choice]!);
    }
  }

  /** The library restarts a server that ended, as often as `closed` lets it. */
  private closed(command: string): { action: CloseAction; handled: boolean } {
    if (this.restarts.allow(Date.now())) {
      this.output.warn('the server ended unexpectedly, and is started again');
      return { action: CloseAction.Restart, handled: true };
    }
    this.fail('stopped', stopped(command));
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private options(command: string): LanguageClientOptions {
    const settings = vscode.workspace.getConfiguration('tacet');
    return {
      // Virtual documents are shown, and nothing more.
      documentSelector: [
        { scheme: 'file', language: 'tacet' },
        { scheme: 'untitled', language: 'tacet' },
      ],
      synchronize: { configurationSection: 'tacet' },
      initializationOptions: { inlayHints: settings.get('inlayHints'), codeLens: settings.get('codeLens') },
      outputChannel: this.output,
      traceOutputChannel: this.trace,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(command),
      },
      initializationFailedHandler: () => false,
      middleware: this.listeners.middleware,
    };
  }
}
