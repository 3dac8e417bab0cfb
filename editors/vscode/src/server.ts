// The language server's life: started, told of settings, shown in the status bar, started again.

import * as os from 'node:os';
import * as vscode from 'vscode';
import { LanguageClient, State, type LanguageClientOptions } from 'vscode-languageclient/node';

import type { Place } from './following.js';
import { RUN, showingTimelines, type RunAnswer } from './run_arguments.js';
import { findProgram, isProgram } from './server_program.js';
import { statusText, type ServerStatus } from './server_status.js';
import type { StageText } from './stages.js';

/** Rejects with what the server says if there is no such thing; undefined while it does not run. */
export type AskForStage = (place: Place, stage: string) => Promise<StageText | undefined>;

export class Server implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel('Tacet', { log: true });
  private readonly trace = vscode.window.createOutputChannel('Tacet Trace', { log: true });
  private readonly status: vscode.LanguageStatusItem;
  private current: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve();

  /** `onTimeline` gets the picture of a run that has one. */
  constructor(private readonly onTimeline: (picture: string | undefined) => void) {
    this.status = vscode.languages.createLanguageStatusItem('tacet.server', { language: 'tacet' });
    this.status.name = 'Tacet';
    this.status.command = { command: 'tacet.showServerStatus', title: 'Details' };
    this.say('not started', vscode.LanguageStatusSeverity.Information);
  }

  /** The client, while it runs. */
  client(): LanguageClient | undefined {
    return this.current?.state === State.Running ? this.current : undefined;
  }

  /** The program that is, or would be, started; the setting itself if there is none. */
  program(): string {
    const setting = vscode.workspace.getConfiguration('tacet.server').get('path', 'tacet');
    return this.find(setting) ?? setting;
  }

  /** What the compiler makes of the file, or of the item at a place. */
  readonly askForStage: AskForStage = async (place, stage) => {
    const { uri, line, character } = place;
    return this.client()?.sendRequest<StageText>('tacet/stage', { textDocument: { uri }, position: { line, character }, stage });
  };

  /** Shows what the server says of itself in a document, or the output if it does not run. */
  async showStatus(): Promise<void> {
    const client = this.client();
    if (client === undefined) {
      this.output.show();
      return;
    }
    const content = statusText(await client.sendRequest<ServerStatus>('tacet/serverStatus'));
    const document = await vscode.workspace.openTextDocument({ content, language: 'plaintext' });
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** Stops the server if it runs, and starts it. Several calls are done one after another. */
  restart(): Promise<void> {
    this.turn = this.turn.then(() => this.stop()).then(() => this.start());
    return this.turn;
  }

  /** Stops the server, when what was asked before is done. */
  end(): Promise<void> {
    this.turn = this.turn.then(() => this.stop());
    return this.turn;
  }

  dispose(): void {
    for (const one of [this.status, this.output, this.trace]) {
      one.dispose();
    }
  }

  private find(setting: string): string | undefined {
    return findProgram(setting, {
      searchPath: process.env['PATH'] ?? '',
      home: os.homedir(),
      workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
      isProgram,
      isWindows: process.platform === 'win32',
    });
  }

  private say(text: string, severity: vscode.LanguageStatusSeverity, isBusy = false): void {
    this.status.text = `Tacet: ${text}`;
    this.status.severity = severity;
    this.status.busy = isBusy;
  }

  private async stop(): Promise<void> {
    const client = this.current;
    this.current = undefined;
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
    const settings = vscode.workspace.getConfiguration('tacet.server');
    const setting = settings.get('path', 'tacet');
    const command = this.find(setting);
    if (command === undefined) {
      this.say('not found', vscode.LanguageStatusSeverity.Error);
      void this.offerSettings(`There is no program \`${setting}\`. Install Tacet, or say where it is.`);
      return;
    }
    const args = settings.get<string[]>('arguments', ['lsp']);
    this.output.info(`starting ${[command, ...args].join(' ')}`);
    this.say('starting', vscode.LanguageStatusSeverity.Information, true);
    const client = new LanguageClient('tacet', 'Tacet', { command, args }, this.options());
    client.onDidChangeState((event) => this.stateChanged(client, event.newState));
    this.current = client;
    try {
      await client.start();
    } catch (error) {
      this.say('failed', vscode.LanguageStatusSeverity.Error);
      this.output.error(`the server did not start: ${String(error)}`);
      void this.offerSettings('Tacet\'s server did not start; the output says more.');
    }
  }

  private stateChanged(client: LanguageClient, state: State): void {
    if (client !== this.current) {
      return;
    }
    if (state === State.Running) {
      const version = client.initializeResult?.serverInfo?.version ?? '';
      this.say(version, vscode.LanguageStatusSeverity.Information);
    } else if (state === State.Stopped) {
      this.say('stopped', vscode.LanguageStatusSeverity.Warning);
    }
  }

  private async offerSettings(message: string): Promise<void> {
    const choice = await vscode.window.showErrorMessage(message, 'Open Settings', 'Show Output');
    if (choice === 'Open Settings') {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'tacet.server.path');
    } else if (choice === 'Show Output') {
      this.output.show();
    }
  }

  private options(): LanguageClientOptions {
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
      middleware: {
        executeCommand: async (command, args, next) => {
          if (command !== RUN) {
            return next(command, args);
          }
          const answer = (await next(command, showingTimelines(args))) as RunAnswer | null | undefined;
          if (answer !== null && answer !== undefined) {
            this.output.info(answer.output + answer.errors);
            this.onTimeline(answer.timeline);
          }
          return answer;
        },
      },
    };
  }
}
