import type { Tool } from '@parley/client/schemas'

/** What a tool's code is written in, as `settings.deployment.framework` says it. */
export type Language = 'javascript' | 'typescript' | 'python'

export const LANGUAGE_NAMES: Record<Language, string> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  python: 'Python',
}

/** Every word but two means Python: frameworks of Python are called by their names. */
export const languageOf = ({ settings }: Pick<Tool, 'settings'>): Language => {
  const framework = settings.deployment.framework.trim().toLowerCase()
  return framework === 'javascript' || framework === 'typescript' ? framework : 'python'
}

/** A tool that works, to begin with: the same in each language. */
export const EXAMPLES: Record<Language, string> = {
  javascript: `/** Says how many words a text has, and how long they are. */
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

/** Says how many words a text has, and how long they are. */
export function count_words({ text, longest = 1 }: Input) {
  const words = text.split(/\\s+/).filter(Boolean)
  const byLength = [...words].sort((a, b) => b.length - a.length)
  return { words: words.length, longest: byLength.slice(0, longest) }
}
`,
  python: `def count_words(text, longest=1):
    """Says how many words a text has, and how long they are."""
    words = text.split()
    by_length = sorted(words, key=len, reverse=True)
    return {"words": len(words), "longest": by_length[:longest]}
`,
}

export const EXAMPLE_FUNCTION = 'count_words'

export const EXAMPLE_INPUTS = [
  { name: 'text', type: 'str' as const, description: 'The text to count in', required: true, default: null },
  {
    name: 'longest',
    type: 'int' as const,
    description: 'How many of the longest words to tell',
    required: false,
    default: '1',
  },
]

export const EXAMPLE_OUTPUTS = { type: 'dict', description: 'The number of words, and the longest of them' }

/** Whether nobody has changed the example, so that another one can take its place. */
export const isExample = (code: string): boolean => Object.values(EXAMPLES).includes(code)
