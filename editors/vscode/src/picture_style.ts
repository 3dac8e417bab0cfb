// The colours of pictures and tables in panels, in every kind of theme. Knows nothing of VS Code.

/** Fills of elements, which are distinct in light and dark themes and under their text. */
const LIGHT = ['#cfe8ff', '#ffe2b8', '#d2f4d3', '#f9d6e4', '#e6dcff', '#c9f0ee', '#fdf0a8', '#e3e0d5'];
const DARK = ['#12395c', '#5c3d0a', '#174d22', '#5c1f3a', '#3c2a70', '#0d4a4a', '#54490b', '#45423a'];

const variables = (colours: readonly string[]) => colours.map((colour, i) => `--c${i}: ${colour};`).join(' ');
const fills = LIGHT.map((_, i) => `.tp .c${i} { fill: var(--c${i}); }`).join(' ');

export const PICTURE_STYLE = `
body { ${variables(LIGHT)} --edge: var(--vscode-contrastBorder, var(--vscode-descriptionForeground)); }
body.vscode-dark, body.vscode-high-contrast:not(.vscode-high-contrast-light) { ${variables(DARK)} }
svg { max-width: 100%; height: auto; }
.tp text { font: 12px var(--vscode-editor-font-family, monospace); fill: var(--vscode-editor-foreground); dominant-baseline: central; }
.tp .soft { fill: var(--vscode-descriptionForeground); }
.tp .edge { stroke: var(--edge); fill: none; }
.tp .dashed { stroke-dasharray: 3 3; }
.tp rect { stroke: var(--edge); stroke-width: .6; fill: var(--vscode-editor-background); }
.tp .none { fill: none; }
.tp .gap { fill: var(--vscode-editorWidget-background); }
${fills}
`;

const STYLE = /<style>([^<]*)<\/style>/g;
const DARK_RULES = /@media\(prefers-color-scheme:dark\)\{((?:[^{}]*\{[^{}]*\})*)\}/g;

/** A picture without colours of its own, which the page around it has. */
export function withoutStyle(svg: string): string {
  return svg.replace(STYLE, '');
}

/** A picture in the colours for a dark or a light background, whatever the system prefers. */
export function inTheme(svg: string, isDark: boolean): string {
  return svg.replace(STYLE, (_, rules: string) => `<style>${rules.replace(DARK_RULES, isDark ? '$1' : '')}</style>`);
}

const IMAGE = /data:image\/svg\+xml;base64,([A-Za-z0-9+/=]+)/g;

/** The pictures in a text of Markdown, in such colours. */
export function picturesInTheme(markdown: string, isDark: boolean): string {
  return markdown.replace(IMAGE, (_, data: string) => {
    const svg = inTheme(Buffer.from(data, 'base64').toString('utf8'), isDark);
    return `data:image/svg+xml;base64,${Buffer.from(svg, 'utf8').toString('base64')}`;
  });
}
