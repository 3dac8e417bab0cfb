// Which program the editor has: its name and what is run of it. Replacing the text by another program
// can be undone, and brings back the name and the inputs, too.

import { invertedEffects } from '@codemirror/commands';
import { StateEffect, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Shared } from './share';

/// All of a program but its text.
export type Setting = Omit<Shared, 'text'>;

interface Replacement { before: Setting; after: Setting }

const replaced = StateEffect.define<Replacement>();

/// `changed` is called when a program, also an earlier one, takes the place of another.
export function programs(changed: (setting: Setting) => void): Extension {
  return [
    invertedEffects.of((transaction) => transaction.effects.flatMap((effect) => effect.is(replaced)
      ? [replaced.of({ before: effect.value.after, after: effect.value.before })]
      : [])),
    EditorView.updateListener.of((update) => {
      for (const transaction of update.transactions) {
        for (const effect of transaction.effects) {
          if (effect.is(replaced)) {
            changed(effect.value.after);
          }
        }
      }
    }),
  ];
}

export function replaceProgram(view: EditorView, before: Setting, after: Shared): void {
  const { text, ...setting } = after;
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    selection: { anchor: 0 },
    effects: replaced.of({ before, after: setting }),
    scrollIntoView: true,
    userEvent: 'input.replace',
  });
}
