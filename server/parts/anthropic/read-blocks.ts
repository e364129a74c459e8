import { fail, sentence } from '#errors'
import { writeAttachment } from '#platform/models/prompt-elements.ts'
import type { ContentPart } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import {
  FILES_MAX,
  type FileServices,
  loadAddress,
  newImageBudget,
  readFile,
  readImage,
} from '../openai/index.ts'
import type { Block, InnerBlock, Source } from './schemas.ts'

export type BlockServices = FileServices & Pick<Services, 'net'>

/** Anthropic's maximum number of images per request. @limit images of a request */
const IMAGES_MAX = 100
/** @limit document of a request */
const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024

/**
 * Reads the text, images and documents of a request. Reads them one after another, and limits their number and the
 * size of all images together.
 */
export class BlockReader {
  readonly #services: BlockServices
  readonly #budget = newImageBudget()
  #images = 0
  #documents = 0

  constructor(services: BlockServices) {
    this.#services = services
  }

  /** Returns the parts of a block. Throws request.invalid for a type other than text, image and document. */
  async read(at: string, block: InnerBlock): Promise<ContentPart[]> {
    const { type, source } = block
    if (type === 'text') {
      const text = textOf(at, block)
      return text === '' ? [] : [{ type, text }]
    }
    if (type !== 'image' && type !== 'document')
      throw refuse(sentence('anthropic.block_type', { field: at, type }))
    if (!source) throw refuse(sentence('anthropic.block_field', { field: `${at}.source` }))
    if (type === 'image') return [await this.#readImage(`${at}.source`, source)]
    return this.#readDocument(at, block, source)
  }

  /**
   * Returns the content of a tool result: its text, and its images. Most providers accept only text as the result of a
   * tool.
   */
  async readResult(
    at: string,
    content: Block['content'],
  ): Promise<{ output: string; images: ContentPart[] }> {
    if (!Array.isArray(content)) return { output: content ?? '', images: [] }
    const parts: ContentPart[] = []
    for (const [index, block] of content.entries())
      parts.push(...(await this.read(`${at}.content.${index}`, block)))
    const images = parts.filter(({ type }) => type === 'image')
    const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []))
    if (images.length > 0) texts.push(IMAGES_FOLLOW)
    return { output: texts.join('\n\n'), images }
  }

  async #readImage(at: string, source: Source): Promise<ContentPart> {
    this.#images += 1
    if (this.#images > IMAGES_MAX) throw refuse(sentence('anthropic.images_max', { limit: IMAGES_MAX }))
    const { type, media_type: mediaType = '', data = '', url = '' } = source
    if (type !== 'base64' && type !== 'url')
      throw refuse(sentence('anthropic.source_type', { field: at, type }))
    const needed = type === 'url' ? { url } : { media_type: mediaType, data }
    for (const [name, value] of Object.entries(needed))
      if (value === '') throw refuse(sentence('anthropic.block_field', { field: `${at}.${name}` }))
    return readImage(
      this.#services.net,
      type === 'url' ? url : `data:${mediaType};base64,${data}`,
      this.#budget,
      sentence('anthropic.image_data', { field: at }),
    )
  }

  async #readDocument(
    at: string,
    { title, context, citations }: InnerBlock,
    source: Source,
  ): Promise<ContentPart[]> {
    if (citations?.enabled) throw refuse(sentence('anthropic.unsupported', { field: `${at}.citations` }))
    this.#documents += 1
    if (this.#documents > FILES_MAX) throw refuse(sentence('openai.files_max', { limit: FILES_MAX }))
    const { type, data = '', url = '' } = source
    const name = title ?? 'document'
    const remarks: ContentPart[] = context ? [{ type: 'text', text: context }] : []
    switch (type) {
      case 'text':
        return [...remarks, { type, text: writeAttachment(name, data, false) }]
      case 'base64':
        return [...remarks, await readFile(this.#services, { name, data: Buffer.from(data, 'base64') })]
      case 'url': {
        const loaded = await loadAddress(this.#services.net, url, DOCUMENT_BYTES_MAX)
        return [...remarks, await readFile(this.#services, { name, data: loaded })]
      }
      default:
        throw refuse(sentence('anthropic.source_type', { field: `${at}.source`, type }))
    }
  }
}

/** Returns the text of a text block, which may be empty. Throws request.invalid if it has none. */
export function textOf(at: string, { text }: InnerBlock): string {
  if (text === undefined || text === null)
    throw refuse(sentence('anthropic.block_field', { field: `${at}.text` }))
  return text
}

const IMAGES_FOLLOW = '(The images of this result follow.)'

const refuse = (reason: string) => fail('request.invalid', { reason })
