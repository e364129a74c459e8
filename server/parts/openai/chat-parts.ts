import { fail, sentence } from '#errors'
import { imageTypeOf } from '#platform/models/media-formats.ts'
import type { ContentPart } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import type { Sender } from '../agents/index.ts'
import { findFile } from './files.ts'
import { FILES_MAX, type FileServices, readFile } from './read-file.ts'
import type { ChatPart } from './schemas.ts'

const DATA_URL = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w=-]+)*;base64,(?<data>[A-Za-z0-9+/=\s]*)$/
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}$/

/** Returns the parts of chat messages that a request accepts. Reads files and uploads of the sender. */
export function chatParts(services: FileServices & Pick<Services, 'storage'>, sender: Sender) {
  let files = 0
  return {
    textType: 'text',
    taken: 'text, image_url, file and input_audio',
    imageUrlOf: ({ type, image_url: image }: ChatPart) =>
      type === 'image_url' ? (typeof image === 'string' ? image : image?.url) : null,
    async readOther(field: string, part: ChatPart): Promise<ContentPart | undefined> {
      if (part.type === 'input_audio' && part.input_audio) return readAudio(field, part.input_audio)
      if (part.type !== 'file') return undefined
      files += 1
      if (files > FILES_MAX) throw refuse(sentence('openai.files_max', { limit: FILES_MAX }))
      const { file_data: text, file_id: id, filename } = part.file ?? {}
      if (id) return readUpload(services, sender, id)
      if (!text) throw refuse(sentence('openai.file_missing', { field }))
      const data = DATA_URL.exec(text)?.groups?.['data']
      if (data === undefined) throw refuse(sentence('openai.file_data', { field }))
      return readFile(services, { name: filename ?? 'file', data: Buffer.from(data, 'base64') })
    },
  }
}

function readAudio(field: string, { data, format }: NonNullable<ChatPart['input_audio']>): ContentPart {
  if (!BASE64.test(data)) throw refuse(sentence('openai.audio_data', { field }))
  return { type: 'audio', format, data: Buffer.from(data, 'base64') }
}

/** Reads an upload of the sender. Throws upload.not_found, openai.only_agent. */
async function readUpload(
  services: FileServices & Pick<Services, 'storage'>,
  sender: Sender,
  id: string,
): Promise<ContentPart> {
  const { filename, storageKey } = await findFile(sender, id)
  const data = await services.storage.read(storageKey)
  const mimeType = imageTypeOf(data)
  return mimeType ? { type: 'image', mimeType, data } : readFile(services, { name: filename, data })
}

const refuse = (reason: string) => fail('request.invalid', { reason })
