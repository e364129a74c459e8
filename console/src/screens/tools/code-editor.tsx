import { indentWithTab } from '@codemirror/commands'
import { type LanguageSupport, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { basicSetup, EditorView } from 'codemirror'
import { getNonce } from 'get-nonce'
import { useEffect, useEffectEvent, useId, useRef } from 'react'
import { translator } from '../../messages/index.ts'
import { loadChunk } from '../../ui/chunks.ts'
import './code-editor.css'
import { editorPhrases } from './editor-phrases.ts'
import type { Language } from './languages.ts'

const t = translator('tools')

interface CodeEditorProps {
  language: Language
  code: string
  onCode: (code: string) => void
  isReadOnly: boolean
  /** The number of the line with an error. Null if there is none. */
  wrongLine: number | null
}

/**
 * A code editor. The Tab key indents. After Escape, Tab leaves the editor, so that keyboard users can leave (WCAG
 * 2.1.2).
 */
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
        EditorView.contentAttributes.of({ 'aria-label': t('code.editor'), 'aria-describedby': hint }),
        EditorState.phrases.of(editorPhrases()),
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

  // Show code that did not come from typing, for example after the user discards changes or chooses another example.
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
        <p id={hint}>{t('code.keys')}</p>
        {wrongLine !== null && (
          <button type="button" className="text-accent underline" onClick={() => goTo(wrongLine)}>
            {t('code.goToLine', { line: wrongLine })}
          </button>
        )}
      </div>
    </div>
  )
}

/** The time after Escape during which Tab leaves the editor, in milliseconds. */
const LEAVING_MS = 5_000

/**
 * Lets Tab leave the editor after every Escape. By default, CodeMirror does so only if Escape closed nothing, such as
 * the list of completions.
 */
const LEAVING = EditorView.domEventObservers({
  keydown: ({ key }, editor) => {
    if (key === 'Escape') editor.setTabFocusMode(LEAVING_MS)
  },
})

/**
 * Applies typing over a selection to the editor's state instead of the DOM. If the browser edits the DOM and joins
 * lines, it adds inline styles, which the Content-Security-Policy forbids.
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

/** Loads the parser of each language on demand. */
const LANGUAGES: Record<Language, (signal: AbortSignal) => Promise<LanguageSupport>> = {
  javascript: async (signal) => (await loadJavaScript(signal)).javascript(),
  typescript: async (signal) => (await loadJavaScript(signal)).javascript({ typescript: true }),
  python: async (signal) => (await loadChunk(() => import('@codemirror/lang-python'), signal)).python(),
}

const loadJavaScript = (signal: AbortSignal) => loadChunk(() => import('@codemirror/lang-javascript'), signal)
