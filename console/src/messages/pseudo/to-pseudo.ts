import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { printAST } from '@formatjs/icu-messageformat-parser/printer.js'

const PLAIN = 'aceginosuyzACEGINOSUYZ'
const ACCENTED = 'åçéĝîñöšûýžÅÇÉĜÎÑÖŠÛÝŽ'
/** The relative increase in length. German text is about a third longer than English text. */
const LONGER = 1 / 3
/**
 * Maximum length of a padding word. Padding of one long word could not wrap, and would overflow where no translation
 * does.
 */
const PADDING_WORD_MAX = 5

/** Converts messages to the pseudo-language: `Save` becomes `[Šåvé ~]`. Tags and arguments stay unchanged. */
export const toPseudo = <Messages>(messages: Messages): Messages =>
  (typeof messages === 'string'
    ? toPseudoText(parse(messages))
    : Object.fromEntries(
        Object.entries(messages as object).map(([key, value]) => [key, toPseudo(value)]),
      )) as Messages

function toPseudoText(elements: MessageFormatElement[]): string {
  const padding = paddingOf(Math.ceil(lengthOf(elements) * LONGER))
  return printAST([...parse('['), ...elements.map(accent), ...parse(` ${padding}]`)])
}

/** Returns words of `~` with this length in total, spaces included. */
function paddingOf(length: number): string {
  const space = PADDING_WORD_MAX + 1
  return Array.from({ length }, (_, at) => ((at + 1) % space === 0 && at + 1 < length ? ' ' : '~')).join('')
}

/** Returns a message's length without its arguments. Counts only the first option of a plural or select. */
const lengthOf = (elements: MessageFormatElement[]): number =>
  elements.reduce((sum, element) => {
    if (element.type === TYPE.literal) return sum + element.value.length
    if (element.type === TYPE.tag) return sum + lengthOf(element.children)
    if (element.type !== TYPE.plural && element.type !== TYPE.select) return sum
    return sum + lengthOf(Object.values(element.options)[0]?.value ?? [])
  }, 0)

function accent(element: MessageFormatElement): MessageFormatElement {
  if (element.type === TYPE.literal) return { ...element, value: element.value.replace(/[a-z]/gi, accented) }
  if (element.type === TYPE.tag) return { ...element, children: element.children.map(accent) }
  if (element.type !== TYPE.plural && element.type !== TYPE.select) return element
  const options = Object.entries(element.options).map(([name, { value, ...option }]) => [
    name,
    { ...option, value: value.map(accent) },
  ])
  return { ...element, options: Object.fromEntries(options) }
}

const accented = (letter: string): string => ACCENTED[PLAIN.indexOf(letter)] ?? letter
