import { fail, sentence } from '#errors'
import { isBlank } from '#platform/http/visible-text.ts'
import type { ContentPart } from '#platform/models/types.ts'
import type { Net } from '#platform/net/index.ts'
import { type ImageBudget, readImage } from './read-image.ts'

interface Part {
  type: string
  text?: string
  refusal?: string
  image_url?: unknown
  input_audio?: unknown
}

/** The part types of one of OpenAI's message formats. */
interface PartFormat<P extends Part> {
  textType: string
  /** Returns the image URL of a part, or null or undefined if the part isn't an image. */
  imageUrlOf(part: P): string | null | undefined
  /** Returns a part of another type. Undefined if the type is not accepted. `field` is its path in the request. */
  readOther?(field: string, part: P): Promise<ContentPart | undefined>
  /** The accepted part types, as shown in error messages. */
  taken: string
}

/**
 * Converts the content of a user message. Reads images one after another, so that images that exceed the budget are
 * never in memory together. Throws request.invalid.
 */
export async function readContent<P extends Part>(
  net: Net,
  budget: ImageBudget,
  at: string,
  content: string | P[] | null | undefined,
  format: PartFormat<P>,
): Promise<string | ContentPart[]> {
  if (!Array.isArray(content)) return content ?? ''
  const read: ContentPart[] = []
  for (const [number, part] of content.entries()) {
    const url = format.imageUrlOf(part)
    const field = `${at}.content.${number}`
    if (part.type === format.textType) read.push({ type: 'text', text: part.text ?? '' })
    else if (url !== null && url !== undefined) read.push(await readImage(net, url, budget))
    else {
      const other = await format.readOther?.(field, part)
      if (!other)
        throw fail('request.invalid', {
          reason: sentence('openai.part_types', { field, types: format.taken }),
        })
      read.push(other)
    }
  }
  return read
}

/** Throws request.invalid for a part without the field that its type demands. An empty text is accepted. */
export function checkParts(at: string, content: string | readonly Part[] | null | undefined): void {
  if (!Array.isArray(content)) return
  for (const [number, part] of (content as readonly Part[]).entries()) {
    const { type } = part
    const name = TEXT_TYPE.test(type) ? 'text' : DEMANDED[type]
    if (name === undefined || (part[name] ?? (type === 'refusal' ? part.text : null) ?? null) !== null)
      continue
    const field = `${at}.${number}.${name}`
    throw fail(
      'request.invalid',
      { reason: sentence('openai.part_field', { field, type }) },
      { issues: [{ path: field, message: 'is required' }] },
    )
  }
}

/** `text`, `input_text`, `output_text` and the like. */
const TEXT_TYPE = /(?:^|_)text$/
const DEMANDED: Record<string, keyof Part | undefined> = {
  refusal: 'refusal',
  image_url: 'image_url',
  input_image: 'image_url',
  input_audio: 'input_audio',
}

/** Returns the texts and refusals of a message's content, concatenated. */
export function plainText(content: string | Part[] | null | undefined): string {
  if (!Array.isArray(content)) return content ?? ''
  return content.map(({ text, refusal }) => text ?? refusal ?? '').join('')
}

/** Returns the texts that have a visible character, with a blank line between two. */
export const joinVisible = (texts: readonly string[]): string =>
  texts.filter((text) => !isBlank(text)).join('\n\n')
