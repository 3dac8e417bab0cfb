// The page in which programs are run. Knows nothing of VS Code.

import { PICTURE_STYLE } from './picture_style.js';

const STYLE = `
body { color: var(--vscode-foreground); font: var(--vscode-font-size)/1.5 var(--vscode-font-family); padding: 4px 16px 24px;
  --secret: var(--vscode-tacet-secretForeground); --soft: var(--vscode-descriptionForeground);
  --line: var(--vscode-contrastBorder, var(--vscode-widget-border, var(--vscode-panel-border)));
  --card: var(--vscode-editorWidget-background); --mono: var(--vscode-editor-font-family, monospace); }
h1 { font-size: 1.15em; font-weight: 600; margin: 10px 0; }
h2, h3 { font-size: 1em; font-weight: 600; margin: 0 0 6px; }
button, select, input[type=text] { font: inherit; border: 1px solid var(--vscode-contrastBorder, var(--vscode-input-border, transparent)); border-radius: 3px; }
button { background: var(--vscode-button-secondaryBackground); color: var(--vscode-button-secondaryForeground); padding: 3px 10px; cursor: pointer; }
button:hover { background: var(--vscode-button-secondaryHoverBackground); }
button.main { background: var(--vscode-button-background); color: var(--vscode-button-foreground); padding: 4px 18px; }
button.main:hover { background: var(--vscode-button-hoverBackground); }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
select { background: var(--vscode-dropdown-background); color: var(--vscode-dropdown-foreground); padding: 3px; max-width: 100%; }
input[type=text] { background: var(--vscode-input-background); color: var(--vscode-input-foreground); padding: 3px 6px; flex: 1; min-width: 0; font-family: var(--mono); }
input[aria-invalid=true] { border-color: var(--vscode-inputValidation-errorBorder); outline-color: var(--vscode-inputValidation-errorBorder); }
.target { display: flex; gap: 16px; flex-wrap: wrap; align-items: center; margin-bottom: 10px; }
.target fieldset { border: 0; margin: 0; padding: 0; display: flex; gap: 12px; }
fieldset.owner { border: 1px solid var(--line); border-radius: 4px; margin: 0 0 10px; padding: 4px 12px 10px; }
.owner legend { padding: 0 4px; font-weight: 600; }
.field { margin: 6px 0; }
.field label { display: block; font-family: var(--mono); }
.entry { display: flex; gap: 4px; margin-top: 2px; }
.entry button { padding: 3px 6px; line-height: 0; }
.icon { width: 16px; height: 16px; fill: currentColor; }
.icon.lock { width: 12px; height: 12px; fill: var(--secret); margin-right: 5px; vertical-align: -1px; }
.wrong { color: var(--vscode-errorForeground); font-size: .92em; }
.soft { color: var(--soft); }
.buttons { display: flex; gap: 8px; margin: 12px 0 16px; }
#result > * { margin: 0 0 12px; }
#result.stale > :not(.stale-note) { opacity: .55; }
.stale-note { border-left: 3px solid var(--vscode-editorWarning-foreground); padding-left: 8px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 4px; padding: 10px 14px; }
.card p { margin: 8px 0 0; }
.scroll, .picture { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 5px 10px 5px 0; border-top: 1px solid var(--line); }
thead > tr > * { border-top: 0; }
thead th { font-weight: 600; color: var(--soft); }
tbody th { font: 600 1em var(--mono); }
.locked { display: inline-flex; align-items: center; color: var(--secret); white-space: nowrap; }
.seen { font-family: var(--mono); display: inline-block; max-width: 18ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
.seen.revealed { font-weight: 700; border: 1px solid var(--vscode-charts-green); border-radius: 4px; padding: 0 8px; }
.numbers { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 8px; }
.numbers li { background: var(--card); border: 1px solid var(--line); border-radius: 4px; padding: 6px 12px; }
.numbers b { display: block; font-size: 1.3em; font-weight: 600; white-space: nowrap; }
.numbers span { color: var(--soft); }
details > summary { cursor: pointer; color: var(--soft); padding: 4px 0; }
dl { display: grid; grid-template-columns: minmax(110px, auto) minmax(0, 1fr); gap: 2px 14px; margin: 0 0 10px; }
dd { margin: 0; overflow-wrap: anywhere; }
.statistics dt { color: var(--soft); }
.values, .values dd { font-family: var(--mono); }
.values dd { font-weight: 600; max-height: 14em; overflow: auto; }
pre { font: 1em/1.45 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; margin: 6px 0; }
.outcome { border-left: 3px solid var(--vscode-errorForeground); padding: 4px 12px; }
.outcome.stopped { border-left-color: var(--soft); }
.place { border: 0; background: none; padding: 0; color: var(--vscode-textLink-foreground); text-decoration: underline; }
.place:hover { background: none; }
#timeline svg { width: 100%; min-width: 480px; }
`;

/** Only `script` runs in it, and nothing else is loaded: `source` is where webviews load from. */
export function runPage(script: string, source: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src ${source}">
<style>${PICTURE_STYLE}${STYLE}</style>
</head>
<body>
<main id="page"></main>
<script src="${script}"></script>
</body>
</html>
`;
}
