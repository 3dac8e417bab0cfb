// The language server's connection: the page's side of the protocol, and what the page shows of it.

import type { Backend, Loss } from './backend';
import { hideBanner, showBanner } from './banner';
import { byId } from './dom';
import { LanguageClient } from './language_client';

export function languageClient(backend: Backend): LanguageClient {
  const client = new LanguageClient(backend, {
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
        publishDiagnostics: { relatedInformation: true, markupMessageSupport: true },
      },
      workspace: {
        workspaceEdit: { documentChanges: true },
        codeLens: { refreshSupport: true },
        inlayHint: { refreshSupport: true },
      },
    },
  });
  let loss: Loss | null = null;
  client.onState = (state, why, isRetried) => {
    const status = byId('status');
    status.dataset.state = state;
    status.textContent = backend.words[state];
    if (state === 'ready' && loss?.choice !== 'Dismiss') {
      hideBanner('connection');
    } else if (state === 'lost') {
      loss = backend.lossOf(why, isRetried);
      const run = loss.choice === 'Dismiss' ? () => hideBanner('connection') : () => client.connect();
      showBanner('connection', loss.text, { title: loss.choice, run });
    }
  };
  return client;
}
