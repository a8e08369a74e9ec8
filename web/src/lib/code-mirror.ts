// CodeMirror with JavaScript, in the console's colours. Loaded when the first code editor opens.

import type { CompletionContext } from "@codemirror/autocomplete";
import { javascript, javascriptLanguage } from "@codemirror/lang-javascript";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";
import type { CodeProblem } from "./functions.ts";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--fresh)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--stale)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "var(--edited)" },
  { tag: tags.invalid, color: "var(--refused)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--bg)", color: "var(--text)", fontSize: "13px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--panel) 60%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--accent-soft)", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "var(--radius)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--text)" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--text)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--panel)", border: "1px solid var(--line)", color: "var(--muted)" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-soft) !important" },
});

// What a function finds; the words are those of the API.
const NAMES = [
  ...["snapshot", "args", "context", "_", "addMinutes", "addHours", "addDays", "console.log"].map((label) => ({ label, type: "variable" })),
  ...["session", "branch", "floor", "page", "role", "text", "time", "elapsed_ms", "round", "now_ms", "recent_texts", "random()"].map((name) => ({ label: `context.${name}`, type: "property" })),
  ...["get", "set", "update", "has", "unset", "clamp", "merge", "pull", "isFinite"].map((name) => ({ label: `_.${name}`, type: "function" })),
];

function complete(context: CompletionContext) {
  const word = context.matchBefore(/[\w$]+(\.\w*)?|_\.\w*/);
  return word && (word.from < word.to || context.explicit) ? { from: word.from, options: NAMES, validFor: /^[\w$.]*$/ } : null;
}

export interface CodeView {
  get(): string;
  set(text: string): void;
  /** Marks a place in the code, or none. */
  mark(problem: CodeProblem | null, jump: boolean): void;
  destroy(): void;
}

export function createCodeView(options: { parent: HTMLElement; text: string; label: string; readonly: boolean; onchange: (text: string) => void }): CodeView {
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        basicSetup,
        javascript(),
        javascriptLanguage.data.of({ autocomplete: complete }),
        syntaxHighlighting(colours),
        look,
        lintGutter(),
        EditorView.lineWrapping,
        EditorState.readOnly.of(options.readonly),
        EditorView.contentAttributes.of({ "aria-label": options.label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onchange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    get: () => view.state.doc.toString(),
    set: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    mark(problem, jump) {
      const found = problem ? [diagnostic(view.state, problem)] : [];
      view.dispatch(setDiagnostics(view.state, found));
      const at = found[0]?.from;
      if (jump && at !== undefined) view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    },
    destroy: () => view.destroy(),
  };
}

/** The word at a place, or the character before it where the text ends. */
function diagnostic(state: EditorState, { message, line: number, column }: CodeProblem): Diagnostic {
  const line = state.doc.line(Math.min(Math.max(1, number), state.doc.lines));
  let [bytes, units] = [1, 0];
  for (const character of line.text) {
    if (bytes >= column) break;
    bytes += new TextEncoder().encode(character).length;
    units += character.length;
  }
  const beyond = number > state.doc.lines;
  const at = line.from + (beyond ? line.length : Math.min(units, line.length));
  const word = state.wordAt(at);
  const [from, to] = word ? [word.from, word.to] : [Math.min(at, Math.max(line.from, line.to - 1)), Math.min(at + 1, line.to)];
  return { from, to: Math.max(from, to), severity: "error", message };
}
