import { fail, sentence } from '#errors'
import type { ContentPart } from '#platform/models/types.ts'
import type { Net } from '#platform/net/index.ts'
import { type ImageBudget, readImage } from './read-image.ts'

/** A part of what somebody says. */
interface Part {
  type: string
  text?: string
}

/** How one of OpenAI's formats says it. */
interface PartFormat<P extends Part> {
  textType: string
  /** Where the image of a part is; nothing where it is no image. */
  imageUrlOf(part: P): string | null | undefined
  /** In words, which parts are taken. */
  taken: string
}

/**
 * What a user says, as models are told. One part after the other: images that are too much together are never held
 * together. Throws request.invalid.
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
    if (part.type === format.textType) read.push({ type: 'text', text: part.text ?? '' })
    else if (url !== null && url !== undefined) read.push(await readImage(net, url, budget))
    else
      throw fail('request.invalid', {
        reason: sentence('openai.part_types', { field: `${at}.content.${number}`, types: format.taken }),
      })
  }
  return read
}

/** What is said in words. */
export function plainText(content: string | Part[] | null | undefined): string {
  if (!Array.isArray(content)) return content ?? ''
  return content.map(({ text = '' }) => text).join('')
}
