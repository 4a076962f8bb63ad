// CodeMirror as the workspace's script wants it: an editor in place of the page's text area, with the colours of the page.
import { autocompletion, closeBrackets, closeBracketsKeymap, completeAnyWord, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from '@codemirror/commands';
import { cppLanguage } from '@codemirror/lang-cpp';
import { HighlightStyle, LanguageSupport, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration, EditorView, GutterMarker, MatchDecorator, ViewPlugin, drawSelection, gutter, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { names, words } from './cuda-words.mjs';

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--comment)', fontStyle: 'italic' },
  { tag: [tags.string, tags.character], color: 'var(--text)' },
  { tag: tags.number, color: 'var(--number)' },
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.operatorKeyword, tags.typeName, tags.standard(tags.typeName)], color: 'var(--keyword)' },
  { tag: [tags.processingInstruction, tags.meta], color: 'var(--directive)' },
]);

const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--paper)' },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '2px' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--panel)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--mark) !important' },
  '.cm-matchingBracket, .cm-selectionMatch': { backgroundColor: 'var(--mark)', outline: '1px solid var(--line)' },
  '.cm-cuda': { color: 'var(--cuda)' },
  '.cm-figures': { padding: '0 .5em', fontSize: '.9em', whiteSpace: 'nowrap' },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--paper)' },
  // In place of CodeMirror's pictures, which the page's policy refuses.
  '.cm-lint-marker': { content: 'normal !important', textAlign: 'center', fontWeight: '700', lineHeight: '1' },
  '.cm-lint-marker-error::before': { content: '"✗"', color: 'var(--bad)' },
  '.cm-lint-marker-warning::before': { content: '"!"', color: 'var(--open)' },
  '.cm-lint-marker-info::before': { content: '"i"', color: 'var(--accent)' },
  '.cm-lintRange': { backgroundImage: 'none !important', textDecoration: 'underline wavy 1px' },
  '.cm-lintRange-error': { textDecorationColor: 'var(--bad)' }, '.cm-lintRange-warning': { textDecorationColor: 'var(--open)' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', maxWidth: '40rem' },
  '.cm-button, .cm-textfield': { backgroundImage: 'none', backgroundColor: 'var(--paper)', color: 'var(--ink)', border: '1px solid var(--line)' },
});

const cudaWord = new MatchDecorator({
  regexp: new RegExp(`\\b(?:${[...words, ...names].join('|')})\\b`, 'g'),
  decoration: Decoration.mark({ class: 'cm-cuda' }),
});
const cudaWords = ViewPlugin.define(
  (view) => ({ marks: cudaWord.createDeco(view), update(change) { this.marks = cudaWord.updateDeco(change, this.marks); } }),
  { decorations: (plugin) => plugin.marks },
);

/// CUDA's names and the contract's.
const completions = (contract) => {
  const own = [...new Set(contract.match(/\b[A-Za-z_]\w{2,}\b/g) || [])];
  const options = [...words.map((label) => ({ label, type: 'keyword' })), ...names.map((label) => ({ label, type: 'function' })),
    ...own.map((label) => ({ label, type: 'variable' }))];
  return (context) => {
    const word = context.matchBefore(/\w+/);
    return word && (context.explicit || word.to - word.from >= 2) ? { from: word.from, options, validFor: /^\w*$/ } : null;
  };
};

const setFigures = StateEffect.define();
class Figures extends GutterMarker {
  constructor(text) { super(); this.words = text; }
  eq(other) { return this.words === other.words; }
  toDOM() {
    const node = document.createElement('span');
    node.className = 'cm-figures';
    node.textContent = this.words;
    return node;
  }
}
/// Figures move with their lines while somebody types.
const figures = StateField.define({
  create: () => new Map(),
  update(value, change) {
    for (const effect of change.effects) if (effect.is(setFigures)) return effect.value;
    if (!change.docChanged || !value.size) return value;
    return new Map([...value].map(([at, words]) => [change.state.doc.lineAt(change.changes.mapPos(at)).from, words]));
  },
});

window.warpgradeEditor = (area, on, { nonce, contract }) => {
  let silent = false;
  const command = (what) => ({ run: () => (what(), true), preventDefault: true });
  const view = new EditorView({
    doc: area.value,
    extensions: [
      EditorView.cspNonce.of(nonce),
      keymap.of([
        { key: 'Mod-Enter', ...command(on.run) }, { key: 'Mod-Shift-Enter', ...command(on.handIn) }, { key: 'Mod-s', ...command(on.save) },
        { key: 'Shift-Alt-f', ...command(on.layOut) },
        ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
      ]),
      lineNumbers(), lintGutter(), figures,
      gutter({
        class: 'cm-figures-gutter',
        lineMarker: (view, line) => { const words = view.state.field(figures).get(line.from); return words ? new Figures(words) : null; },
        lineMarkerChange: (change) => change.startState.field(figures) !== change.state.field(figures),
      }),
      history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightActiveLineGutter(),
      highlightSelectionMatches(), indentUnit.of('  '), EditorState.tabSize.of(4),
      new LanguageSupport(cppLanguage, [
        cppLanguage.data.of({ autocomplete: completions(contract) }), cppLanguage.data.of({ autocomplete: completeAnyWord }),
      ]),
      autocompletion(), syntaxHighlighting(colours), cudaWords, look,
      EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': document.querySelector('label[for=text]').textContent, 'aria-describedby': 'keys' }),
      EditorView.updateListener.of((change) => { if (change.docChanged && !silent) on.change(); }),
    ],
  });
  area.hidden = true;
  area.before(view.dom);
  const lineAt = (number) => view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
  return {
    text: () => view.state.doc.toString(),
    set(text) {
      silent = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      silent = false;
    },
    /// Changes what differs, so that cursor and marks stay where they were. Undone by itself, however soon after typing.
    replace(text) {
      const old = view.state.doc.toString();
      let from = 0, end = 0;
      const least = Math.min(old.length, text.length);
      while (from < least && old[from] === text[from]) from += 1;
      while (end < least - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
      const changes = { from, to: old.length - end, insert: text.slice(from, text.length - end) };
      view.dispatch({ changes, annotations: isolateHistory.of('full') });
    },
    faults(list) {
      const diagnostics = list.map((fault) => {
        const line = lineAt(fault.line);
        return { from: line.from, to: line.to, severity: fault.level === 'note' ? 'info' : fault.level, source: fault.rule, message: fault.text };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    margin: (list) => view.dispatch({ effects: setFigures.of(new Map(list.map((one) => [lineAt(one.line).from, one.text]))) }),
    go(line) {
      view.dispatch({ selection: { anchor: lineAt(line).from }, effects: EditorView.scrollIntoView(lineAt(line).from, { y: 'center' }) });
      view.focus();
    },
  };
};
