// Tacet's words and how they look: what is generated from the grammar colours a line while it is
// typed, and the server's tokens, which know what a name means, come on top.

import { HighlightStyle, indentService, StreamLanguage, syntaxHighlighting, indentUnit, type StringStream } from '@codemirror/language';
import { highlightCode, tags, type Tag } from '@lezer/highlight';
import { words } from './words';

interface Rule { pattern: RegExp; style: string | null }

const TAGS: Record<string, Tag> = {
  attribute: tags.attributeName,
  comment: tags.lineComment,
  'comment.documentation': tags.docComment,
  'constant.builtin.boolean': tags.bool,
  'constant.builtin.hole': tags.invalid,
  'constant.numeric': tags.number,
  function: tags.function(tags.variableName),
  'function.builtin': tags.standard(tags.function(tags.variableName)),
  'function.definition': tags.definition(tags.function(tags.variableName)),
  keyword: tags.keyword,
  'keyword.directive': tags.meta,
  'keyword.directive.public': tags.modifier,
  'keyword.directive.secret': tags.special(tags.modifier),
  operator: tags.operator,
  'punctuation.special': tags.meta,
  string: tags.string,
  'type.builtin': tags.standard(tags.typeName),
  'variable.builtin': tags.standard(tags.variableName),
};

/// The name of the longest beginning of a capture that has a tag.
function styleOf(capture: string): string | null {
  for (let name = capture; name !== ''; name = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : '') {
    if (name in TAGS) {
      return name.replaceAll('.', '_');
    }
  }
  return null;
}

const rules: Rule[] = words.map(([capture, pattern]) => ({
  pattern: new RegExp(pattern, 'y'),
  style: styleOf(capture),
}));

function token(stream: StringStream, state: { inComment: boolean }): string | null {
  if (state.inComment || stream.match('/*')) {
    state.inComment = !stream.match(/^.*?\*\//);
    if (state.inComment) {
      stream.skipToEnd();
    }
    return 'comment';
  }
  if (stream.eatSpace()) {
    return null;
  }
  for (const { pattern, style } of rules) {
    pattern.lastIndex = stream.pos;
    const match = pattern.exec(stream.string);
    if (match && match[0].length > 0) {
      stream.pos += match[0].length;
      return style;
    }
  }
  stream.next();
  return null;
}

export const tacet = StreamLanguage.define<{ inComment: boolean }>({
  name: 'tacet',
  startState: () => ({ inComment: false }),
  token,
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', '"'] },
    indentOnInput: /^\s*[}\])]$/,
  },
  tokenTable: Object.fromEntries(Object.entries(TAGS).map(([name, tag]) => [name.replaceAll('.', '_'), tag])),
});

/// Classes, so that the style sheet has the colours, light and dark.
export const colours = HighlightStyle.define([
  { tag: tags.keyword, class: 'tok-keyword' },
  { tag: tags.meta, class: 'tok-meta' },
  { tag: tags.modifier, class: 'tok-public' },
  { tag: tags.special(tags.modifier), class: 'tok-secret' },
  { tag: [tags.lineComment, tags.blockComment], class: 'tok-comment' },
  { tag: tags.docComment, class: 'tok-documentation' },
  { tag: tags.string, class: 'tok-string' },
  { tag: tags.number, class: 'tok-number' },
  { tag: tags.bool, class: 'tok-number' },
  { tag: tags.invalid, class: 'tok-hole' },
  { tag: tags.attributeName, class: 'tok-attribute' },
  { tag: tags.definition(tags.function(tags.variableName)), class: 'tok-function tok-definition' },
  { tag: tags.standard(tags.function(tags.variableName)), class: 'tok-builtin' },
  { tag: tags.function(tags.variableName), class: 'tok-function' },
  { tag: tags.standard(tags.typeName), class: 'tok-type' },
  { tag: tags.standard(tags.variableName), class: 'tok-builtin' },
  { tag: tags.operator, class: 'tok-operator' },
]);

/// A piece of code with its colours, for hovers.
export function highlighted(code: string): Node {
  const out = document.createDocumentFragment();
  highlightCode(
    code,
    tacet.parser.parse(code),
    colours,
    (text, classes) => {
      const span = document.createElement('span');
      span.className = classes;
      span.textContent = text;
      out.append(classes ? span : text);
    },
    () => out.append('\n'),
  );
  return out;
}

/// As deep as the line before, one more behind what opens, one less in front of what closes.
const indentation = indentService.of((context, pos) => {
  let number = context.state.doc.lineAt(pos).number - 1;
  while (number > 0 && context.state.doc.line(number).text.trim() === '') {
    --number;
  }
  if (number === 0) {
    return 0;
  }
  const before = context.state.doc.line(number).text;
  const depth = /^ */.exec(before)![0].length + (/[{([]\s*(\/\/.*)?$/.test(before) ? context.unit : 0);
  const after = context.textAfterPos(pos);
  return Math.max(0, depth - (/^\s*[}\])]/.test(after) ? context.unit : 0));
});

export const tacetLanguage = [tacet, syntaxHighlighting(colours), indentation, indentUnit.of('    ')];
