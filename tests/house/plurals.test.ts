import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { describe, expect, test } from 'vitest'
import { MESSAGE_FOLDERS, messagesIn } from '#tests/support/messages.ts'

/*
 * Checks that every count in the interface follows the plural rules of its language. The messages themselves tell
 * which nouns have a plural form: those after the number in a plural. No number may precede such a noun elsewhere.
 */

/** A number is followed by its noun, or by one other word and its noun, such as "input tokens". */
const NOUN = /^[\s\u00a0](?:\p{L}+[\s\u00a0])?(\p{L}[\p{L}-]*)/u
const WORDS = /\p{L}[\p{L}-]*/gu
/** Nouns have a capital letter in German. English plurals end in s. */
const PLURAL = /^\p{Lu}|s$/u
const FIRST_WORD = /^[\s\u00a0](\p{L}[\p{L}-]*)/u

const isNumber = ({ type }: MessageFormatElement): boolean =>
  type === TYPE.argument || type === TYPE.number || type === TYPE.pound

/** Returns the lists of elements of a message: the message itself, and the content of its tags and options. */
function listsIn(elements: MessageFormatElement[], isPlural = false): [MessageFormatElement[], boolean][] {
  return [
    [elements, isPlural],
    ...elements.flatMap((element): [MessageFormatElement[], boolean][] => {
      if (element.type === TYPE.tag) return listsIn(element.children, isPlural)
      if (element.type !== TYPE.plural && element.type !== TYPE.select) return []
      return Object.values(element.options).flatMap(({ value }) =>
        listsIn(value, isPlural || element.type === TYPE.plural),
      )
    }),
  ]
}

/** Returns the text that follows each number in a list of elements. */
const textsAfterNumbers = (elements: MessageFormatElement[]): string[] =>
  elements.flatMap((element, at) => {
    const next = elements[at + 1]
    return isNumber(element) && next?.type === TYPE.literal ? [next.value] : []
  })

/** Returns the nouns that have a singular and a plural form in some message. */
function nounsIn(messages: Iterable<string>): Set<string> {
  const nouns = new Set<string>()
  const visit = (elements: MessageFormatElement[]): void => {
    for (const element of elements) {
      if (element.type === TYPE.tag) visit(element.children)
      if (element.type === TYPE.select) for (const { value } of Object.values(element.options)) visit(value)
      if (element.type !== TYPE.plural) continue
      const wordsOf = (option: string) =>
        textsAfterNumbers(element.options[option]?.value ?? []).flatMap((text) => text.match(WORDS) ?? [])
      const one = new Set(wordsOf('one'))
      const noun = wordsOf('other').find((word) => !one.has(word))
      if (noun !== undefined && PLURAL.test(noun)) nouns.add(noun)
    }
  }
  for (const message of messages) visit(parse(message))
  return nouns
}

/** Returns the keys of the messages with a number before a noun that is always in its plural form. */
const findFixedPlurals = (messages: Iterable<[string, string]>, nouns: ReadonlySet<string>): string[] =>
  [...messages].flatMap(([key, message]) => {
    const texts = listsIn(parse(message))
      .filter(([, isPlural]) => !isPlural)
      .flatMap(([elements]) => textsAfterNumbers(elements))
    const isWrong = texts.some((text) =>
      [FIRST_WORD.exec(text)?.[1], NOUN.exec(text)?.[1]].some(
        (word) => word !== undefined && nouns.has(word),
      ),
    )
    return isWrong ? [`${key}: ${message}`] : []
  })

describe.each(MESSAGE_FOLDERS)('the messages in %s', (folder) => {
  test.each(['en', 'de'])('use plural rules for every count: %s', async (language) => {
    const all = await Promise.all(MESSAGE_FOLDERS.map((each) => messagesIn(each, language)))
    const nouns = nounsIn(all.flatMap((messages) => [...messages.values()]))
    expect(nouns.size).toBeGreaterThan(15)
    expect(findFixedPlurals(await messagesIn(folder, language), nouns)).toEqual([])
  })
})

test.each([
  ['{count, number} passages found', true],
  ['{count} input tokens', true],
  ['Up to {count, number} questions', true],
  ['<b>{count} questions</b>', true],
  ['{count, plural, one {# question} other {# questions}}', false],
  ['{count, plural, one {{shown} token} other {{shown} tokens}}', false],
  ['Question {count, number} of {total, number}', false],
])('%s has a fixed plural: %s', (message, isFixed) => {
  const nouns = new Set(['passages', 'tokens', 'questions'])
  expect(findFixedPlurals([['key', message]], nouns).length > 0).toBe(isFixed)
})
