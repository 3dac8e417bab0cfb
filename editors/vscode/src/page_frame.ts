// What the pages of panels share. Knows nothing of VS Code.

import { PICTURE_STYLE } from './picture_style.js';

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** A page in the colours of the editor. No script runs in it, and nothing is loaded. */
export function framed(body: string, style = ''): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${PICTURE_STYLE}
body { color: var(--vscode-foreground); font-family: var(--vscode-font-family); padding: 0 1em 1em; }
h2 { font-size: 1em; font-weight: 600; margin: 1.2em 0 0.5em; }
p { color: var(--vscode-descriptionForeground); }
${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
