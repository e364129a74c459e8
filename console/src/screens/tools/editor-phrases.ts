import { translator } from '../../messages/index.ts'

const t = translator('tools')

/** Returns the translations of CodeMirror's own text, by the English text (`EditorState.phrases`). */
export const editorPhrases = (): Record<string, string> => ({
  Completions: t('editor.completions'),
  'Control character': t('editor.controlCharacter'),
  Find: t('editor.find'),
  'Fold line': t('editor.fold'),
  'Folded lines': t('editor.folded'),
  'Go to line': t('editor.goToLine'),
  Replace: t('editor.replaceWith'),
  'Selection deleted': t('editor.selectionDeleted'),
  'Unfold line': t('editor.unfold'),
  'Unfolded lines': t('editor.unfolded'),
  all: t('editor.all'),
  'by word': t('editor.wholeWord'),
  close: t('editor.close'),
  'current match': t('editor.currentMatch'),
  'folded code': t('editor.foldedCode'),
  go: t('editor.go'),
  'match case': t('editor.matchCase'),
  next: t('editor.next'),
  'on line': t('editor.onLine'),
  previous: t('editor.previous'),
  regexp: t('editor.regexp'),
  replace: t('editor.replace'),
  'replace all': t('editor.replaceAll'),
  'replaced $ matches': t('editor.replacedMatches'),
  'replaced match on line $': t('editor.replacedMatch'),
  to: t('editor.to'),
  unfold: t('editor.unfold'),
})
