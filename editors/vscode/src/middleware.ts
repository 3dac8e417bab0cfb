// What happens to some answers of the server before VS Code shows them.

import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';

import type { KeptCosts } from './kept_costs_view.js';
import { picturesInTheme } from './picture_style.js';
import { RUN } from './run_report.js';
import type { SecretColours } from './secret_colours.js';

interface RunArguments { readonly uri: string; readonly fn?: string; readonly trace?: boolean }

export interface Parts {
  /** Opens the form of a run. */
  readonly run: (uri: string, fn: string | undefined, isTraced: boolean) => Promise<void>;
  readonly secrets: SecretColours;
  readonly costs: KeptCosts;
}

function isDark(): boolean {
  const { kind } = vscode.window.activeColorTheme;
  return kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
}

function inTheme(hover: vscode.Hover): vscode.Hover {
  for (const part of hover.contents) {
    if (part instanceof vscode.MarkdownString) {
      part.value = picturesInTheme(part.value, isDark());
    }
  }
  return hover;
}

export function makeMiddleware({ run, secrets, costs }: Parts): Middleware {
  return {
    executeCommand: async (command, args, next) => {
      const [target] = args as [RunArguments | undefined];
      return command === RUN && target !== undefined ? run(target.uri, target.fn, target.trace === true) : next(command, args);
    },
    provideHover: async (document, position, token, next) => {
      const hover = await next(document, position, token);
      return hover && inTheme(hover);
    },
    provideDocumentSemanticTokens: async (document, token, next) => secrets.full(document, await next(document, token)),
    provideDocumentSemanticTokensEdits: async (document, previous, token, next) =>
      secrets.changed(document, previous, await next(document, previous, token)),
    provideInlayHints: async (document, range, token, next) => costs.hints(document, range, await next(document, range, token)),
    provideCodeLenses: async (document, token, next) => costs.lenses(document, await next(document, token)),
    resolveCodeLens: async (lens, token, next) => costs.resolved(lens, await next(lens, token)),
  };
}
