// A client made of the library that VS Code's clients are made of, and the real server.

import { spawn, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';
import * as lsp from 'vscode-languageserver-protocol/node';

export const TACET = process.env['TACET'] ?? 'tacet';
export const ROOT = path.resolve(process.env['TACET_ROOT'] ?? path.join(process.cwd(), '../..'));

const CAPABILITIES: lsp.ClientCapabilities = {
  workspace: { applyEdit: true, configuration: true, workspaceFolders: true, workspaceEdit: { documentChanges: true } },
  textDocument: {
    synchronization: { didSave: true, dynamicRegistration: true },
    completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    definition: { linkSupport: true },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor'] } } },
    rename: { prepareSupport: true },
    publishDiagnostics: { relatedInformation: true, versionSupport: true },
    semanticTokens: {
      requests: { full: { delta: true }, range: true }, tokenTypes: [], tokenModifiers: [], formats: ['relative'],
    },
  },
  window: { workDoneProgress: true, showMessage: {} },
  general: { positionEncodings: ['utf-16'] },
};

export class Client {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacet-client-'));
  readonly messages: string[] = [];
  settings: unknown = {};
  private readonly published = new Map<string, lsp.PublishDiagnosticsParams>();
  private readonly process: ChildProcess;
  private readonly exited: Promise<number | null>;
  private version = 0;
  readonly connection: ProtocolConnection;

  constructor(program = TACET) {
    this.process = spawn(program, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.exited = new Promise((resolve) => this.process.on('exit', resolve));
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.process.stdout!),
      new StreamMessageWriter(this.process.stdin!),
    );
    this.connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
      this.published.set(params.uri, params);
    });
    this.connection.onNotification(lsp.ShowMessageNotification.type, ({ message }) => void this.messages.push(message));
    this.connection.onRequest(lsp.WorkDoneProgressCreateRequest.type, () => undefined);
    this.connection.onRequest(lsp.RegistrationRequest.type, () => undefined);
    this.connection.onRequest(lsp.ConfigurationRequest.type, ({ items }) => items.map(() => this.settings));
    this.connection.listen();
  }

  async start(): Promise<lsp.InitializeResult> {
    const uri = pathToFileURL(this.folder).href;
    const result = await this.connection.sendRequest(lsp.InitializeRequest.type, {
      processId: process.pid,
      clientInfo: { name: 'Visual Studio Code' },
      rootUri: uri,
      workspaceFolders: [{ uri, name: 'test' }],
      capabilities: CAPABILITIES,
    });
    await this.connection.sendNotification(lsp.InitializedNotification.type, {});
    return result;
  }

  /** Writes a file and opens it. */
  async open(name: string, text: string): Promise<string> {
    const file = path.join(this.folder, name);
    fs.writeFileSync(file, text);
    const uri = pathToFileURL(file).href;
    await this.connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'tacet', version: ++this.version, text },
    });
    return uri;
  }

  /** Replaces the whole text of an open file. */
  async change(uri: string, text: string): Promise<number> {
    const version = ++this.version;
    await this.connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
    return version;
  }

  /** The diagnostics of the last version that was sent. */
  async diagnostics(uri: string): Promise<lsp.Diagnostic[]> {
    for (let i = 0; i < 2000; ++i) {
      const last = this.published.get(uri);
      if (last !== undefined && last.version === this.version) {
        return last.diagnostics;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`no diagnostics of version ${this.version} of ${uri}`);
  }

  /** Ends the server as a client should; its exit code. */
  async stop(): Promise<number | null> {
    await this.connection.sendRequest(lsp.ShutdownRequest.type);
    await this.connection.sendNotification(lsp.ExitNotification.type);
    const code = await this.exited;
    this.connection.dispose();
    fs.rmSync(this.folder, { recursive: true, force: true });
    return code;
  }
}
