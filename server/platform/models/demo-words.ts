import type { Language } from '@parley/messages/languages'
import { FUNCTION_WORDS } from '../retrieval/function-words.ts'

/** The sentences of a demo reply, by language. */
export const DEMO_WORDS = {
  en: {
    introduction:
      'This is the **Parley demo**, not a language model: it can only repeat what you write. You said:',
    passages: (count: number) => `Your documents have ${count} ${plural(count, 'passage')} about this:`,
    earlier: (count: number) => `This chat has ${count} earlier ${plural(count, 'message')}.`,
    end: 'As soon as a language model is connected, it answers here.',
    toolAnswered: (name: string) => `The tool **${name}** answered:`,
    thought: (count: number) => `The message has ${count} ${plural(count, 'word')}. I can only quote it.`,
  },
  de: {
    introduction:
      'Das ist die **Parley-Demo**, kein Sprachmodell. Die Demo kann nur wiederholen, was Sie schreiben. Ihre Nachricht:',
    passages: (count: number) =>
      count === 1
        ? 'In Ihren Dokumenten steht dazu 1 Textstelle:'
        : `In Ihren Dokumenten stehen dazu ${count} Textstellen:`,
    earlier: (count: number) =>
      `Dieser Chat hat ${count} ${count === 1 ? 'frühere Nachricht' : 'frühere Nachrichten'}.`,
    end: 'Sobald ein Sprachmodell verbunden ist, antwortet es hier.',
    toolAnswered: (name: string) => `Das Tool **${name}** hat geantwortet:`,
    thought: (count: number) =>
      `Die Nachricht hat ${count} ${count === 1 ? 'Wort' : 'Wörter'}. Ich kann sie nur zitieren.`,
  },
} satisfies Record<Language, object>

const plural = (count: number, thing: string): string => (count === 1 ? thing : `${thing}s`)

/** Frequent words of short messages that are not function words. */
const GERMAN_GREETINGS = ['hallo', 'guten', 'danke', 'bitte', 'tschüss']
const ENGLISH_GREETINGS = ['hello', 'hi', 'thanks', 'please', 'bye']
const WORDS: Record<Language, ReadonlySet<string>> = {
  de: new Set([...FUNCTION_WORDS.german, ...GERMAN_GREETINGS]),
  en: new Set([...FUNCTION_WORDS.english, ...ENGLISH_GREETINGS]),
}

/** Returns the language of a message: the one with more of its frequent words, or else `preferred`. */
export function languageOfMessage(message: string, preferred: Language = 'en'): Language {
  const words = message.toLowerCase().split(/[^\p{L}]+/u)
  const countOf = (language: Language) => words.filter((word) => WORDS[language].has(word)).length
  const lead = countOf('de') - countOf('en')
  if (lead !== 0) return lead > 0 ? 'de' : 'en'
  return /[äöüß]/i.test(message) ? 'de' : preferred
}
