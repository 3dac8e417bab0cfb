// The language server's connection: the page's side of the protocol, and what the page shows of it.

import { hideBanner, showBanner } from './banner';
import { byId } from './dom';
import { LanguageClient } from './language_client';

function address(): string {
  // The page is in a folder whose name is the token: what it asks for is beside it.
  const language = new URL('language', location.href);
  language.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  language.hash = '';
  language.search = '';
  return language.href;
}

export function languageClient(): LanguageClient {
  const client = new LanguageClient(address(), {
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
  client.onState = (state, why) => {
    const status = byId('status');
    status.dataset.state = state;
    status.textContent = state === 'ready' ? 'connected' : state === 'connecting' ? 'connecting…' : 'not connected';
    if (state === 'ready') {
      hideBanner('connection');
    } else if (state === 'lost') {
      const message = why
        ? `The playground is full: ${why}. Close a page, or try again later.`
        : 'The connection to the playground is lost. Your text is kept. Is `tacet playground` still running?';
      showBanner('connection', message, { title: 'Retry', run: () => client.connect() });
    }
  };
  return client;
}
