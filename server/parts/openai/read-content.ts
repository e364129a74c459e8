import { fail, sentence } from '#errors'
import type { ContentPart } from '#platform/models/types.ts'
import type { Net } from '#platform/net/index.ts'
import { type ImageBudget, readImage } from './read-image.ts'

interface Part {
  type: string
  text?: string
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

/** Returns the text parts of a message's content, concatenated. */
export function plainText(content: string | Part[] | null | undefined): string {
  if (!Array.isArray(content)) return content ?? ''
  return content.map(({ text = '' }) => text).join('')
}
