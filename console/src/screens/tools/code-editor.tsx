import { indentWithTab } from '@codemirror/commands'
import { type LanguageSupport, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { basicSetup, EditorView } from 'codemirror'
import { getNonce } from 'get-nonce'
import { useEffect, useEffectEvent, useId, useRef } from 'react'
import { loadChunk } from '../../ui/chunks.ts'
import './code-editor.css'
import type { Language } from './languages.ts'

interface CodeEditorProps {
  language: Language
  code: string
  onCode: (code: string) => void
  isReadOnly: boolean
  /** A line that an error names. */
  wrongLine: number | null
}

/** A field for code. Tab indents; after Escape it leaves the field, so that nobody who has only a keyboard is kept in it. */
export default function CodeEditor({ language, code, onCode, isReadOnly, wrongLine }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const hint = useId()
  const change = useEffectEvent(onCode)
  const begin = useEffectEvent(() => code)

  useEffect(() => {
    const support = new Compartment()
    const editor = new EditorView({
      doc: begin(),
      parent: place.current as HTMLElement,
      extensions: [
        basicSetup,
        keymap.of([indentWithTab]),
        support.of([]),
        syntaxHighlighting(classHighlighter),
        EditorView.lineWrapping,
        LEAVING,
        TYPING_OVER,
        EditorView.cspNonce.of(getNonce() ?? ''),
        EditorView.contentAttributes.of({ 'aria-label': 'Code', 'aria-describedby': hint }),
        EditorState.readOnly.of(isReadOnly),
        EditorView.editable.of(!isReadOnly),
        EditorView.updateListener.of((update) => update.docChanged && change(update.state.doc.toString())),
      ],
    })
    view.current = editor
    const over = new AbortController()
    LANGUAGES[language](over.signal).then(
      (loaded) => editor.dispatch({ effects: support.reconfigure(loaded) }),
      () => {},
    )
    return () => {
      over.abort()
      editor.destroy()
    }
  }, [language, isReadOnly, hint])

  // What is not typed here: discarded, or another example.
  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === code) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: code } })
  }, [code])

  const goTo = (line: number) => {
    const editor = view.current
    if (!editor) return
    const { from } = editor.state.doc.line(Math.min(line, editor.state.doc.lines))
    editor.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    })
    editor.focus()
  }

  return (
    <div className="flex flex-col gap-1.5">
      <div ref={place} className="code-editor overflow-hidden rounded-lg border border-line-strong/60" />
      <div className="flex flex-wrap justify-between gap-2 text-sm text-muted">
        <p id={hint}>Tab indents. Escape, then Tab, leaves the code.</p>
        {wrongLine !== null && (
          <button type="button" className="text-accent underline" onClick={() => goTo(wrongLine)}>
            Go to line {wrongLine}
          </button>
        )}
      </div>
    </div>
  )
}

/** How long after Escape a Tab leaves. */
const LEAVING_MS = 5_000

/** Also an Escape that has closed something else, such as a list of completions: by itself the editor does not count it. */
const LEAVING = EditorView.domEventObservers({
  keydown: ({ key }, editor) => {
    if (key === 'Escape') editor.setTabFocusMode(LEAVING_MS)
  },
})

/**
 * What is typed over a selection goes into the code past the page's own editing: where lines become one, a browser would
 * write the looks of their words into them as styles, which the page's policy refuses.
 */
const TYPING_OVER = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, editor) {
    const { state } = editor
    const { from, to, empty } = state.selection.main
    if (inputType !== 'insertText' || data === null || empty || state.readOnly) return false
    const typed = () =>
      state.update(state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    const isHandled = state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(editor, from, to, data, typed))
    if (!isHandled) editor.dispatch(typed())
    return true
  },
})

/** Each comes with a parser of its own, which is loaded where it is needed. */
const LANGUAGES: Record<Language, (signal: AbortSignal) => Promise<LanguageSupport>> = {
  javascript: async (signal) => (await loadJavaScript(signal)).javascript(),
  typescript: async (signal) => (await loadJavaScript(signal)).javascript({ typescript: true }),
  python: async (signal) => (await loadChunk(() => import('@codemirror/lang-python'), signal)).python(),
}

const loadJavaScript = (signal: AbortSignal) => loadChunk(() => import('@codemirror/lang-javascript'), signal)
