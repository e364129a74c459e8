import { translator } from '../../messages/index.ts'

const t = translator('tools')

/** The programming language of a tool's code, from `settings.deployment.framework`. */
export type Language = 'javascript' | 'typescript' | 'python'

export const LANGUAGE_NAMES: Record<Language, string> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  python: 'Python',
}

/**
 * Returns the language of a tool's code. Any value other than `javascript` or `typescript` means Python, because the
 * value is often the name of a Python framework.
 */
export const languageOf = ({ settings }: { settings: { deployment: { framework: string } } }): Language => {
  const framework = settings.deployment.framework.trim().toLowerCase()
  return framework === 'javascript' || framework === 'typescript' ? framework : 'python'
}

/** The initial code of a new tool: the same working example in each language. */
export const EXAMPLES: Record<Language, string> = {
  javascript: `/** Counts the words of a text and returns the longest ones. */
export function count_words({ text, longest = 1 }) {
  const words = text.split(/\\s+/).filter(Boolean)
  const byLength = [...words].sort((a, b) => b.length - a.length)
  return { words: words.length, longest: byLength.slice(0, longest) }
}
`,
  typescript: `interface Input {
  text: string
  longest?: number
}

/** Counts the words of a text and returns the longest ones. */
export function count_words({ text, longest = 1 }: Input) {
  const words = text.split(/\\s+/).filter(Boolean)
  const byLength = [...words].sort((a, b) => b.length - a.length)
  return { words: words.length, longest: byLength.slice(0, longest) }
}
`,
  python: `def count_words(text, longest=1):
    """Counts the words of a text and returns the longest ones."""
    words = text.split()
    by_length = sorted(words, key=len, reverse=True)
    return {"words": len(words), "longest": by_length[:longest]}
`,
}

export const EXAMPLE_FUNCTION = 'count_words'

export const exampleInputs = () => [
  { name: 'text', type: 'str' as const, description: t('example.text'), required: true, default: null },
  {
    name: 'longest',
    type: 'int' as const,
    description: t('example.longest'),
    required: false,
    default: '1',
  },
]

export const exampleOutputs = () => ({ type: 'dict', description: t('example.output') })

/** Returns whether the code is an unchanged example, which may be replaced when the language changes. */
export const isExample = (code: string): boolean => Object.values(EXAMPLES).includes(code)
