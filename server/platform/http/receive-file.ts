import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { fail, sentence } from '#errors'
import { newIncomingPath, saveContent } from '#platform/storage/local-file.ts'
import type { LocalFile } from '#platform/storage/storage.ts'
import { unavailable } from '#platform/storage/unavailable.ts'
import { endStalledSender } from './end-stalled.ts'

/** A file sent by a client. Deleted when the request ends, unless the handler has moved it. */
export interface ReceivedFile extends LocalFile {
  /** The file's name as sent by the client. Untrusted. */
  name: string
  contentType: string
  /** The other fields of the form. */
  fields: Record<string, string>
}

export interface ReceiveOptions {
  dataDir: string
  maxBytes: number
  /** Whether the body may be the file itself, without a form. */
  takesRaw: boolean
  /** Whether the form may have other fields. */
  takesFields: boolean
  /** Milliseconds without progress after which the client's connection is closed. */
  stallMs: number
}

const FIELD = 'file'
/** Maximum number of parts of a form, without and with other fields. */
const PARTS_MAX = 4
const PARTS_WITH_FIELDS_MAX = 20
/** Maximum size of a form without its file, and of a field. @limit form without its file */
const FORM_BYTES_MAX = 64 * 1024

/**
 * Streams a request's file of any size to disk. The file is the field `file` of a form (multipart/form-data, RFC
 * 7578), or the body itself. After an error, reads and drops the rest of the body, so that the client can read the
 * error.
 *
 * Throws request.malformed, request.invalid, request.file_too_large, request.form_needed, server.unavailable.
 */
export async function receiveFile(request: IncomingMessage, options: ReceiveOptions): Promise<ReceivedFile> {
  const { dataDir, maxBytes, takesRaw, takesFields, stallMs } = options
  const contentType = request.headers['content-type'] ?? ''
  const isForm = /^multipart\/form-data\b/i.test(contentType)
  if (!isForm && !takesRaw) throw fail('request.form_needed')
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + (isForm ? FORM_BYTES_MAX : 0))
    throw tooLarge(maxBytes)
  const path = await newIncomingPath(dataDir).catch((cause: unknown) => {
    throw unavailable(cause)
  })
  const stopClock = endStalledSender(request, stallMs)
  try {
    if (isForm) return await receiveForm(request, path, { maxBytes, takesFields })
    return { ...(await saveAll(request, path, maxBytes)), name: '', contentType, fields: {} }
  } catch (error) {
    await rm(path, { force: true })
    if (request.readableAborted) throw malformed(sentence('request.file_cut_off'), error)
    // Errors of system calls are caused by this server's disk, not by the upload.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw unavailable(error)
    throw error
  } finally {
    stopClock()
    request.resume()
  }
}

async function receiveForm(
  request: IncomingMessage,
  path: string,
  { maxBytes, takesFields }: Pick<ReceiveOptions, 'maxBytes' | 'takesFields'>,
): Promise<ReceivedFile> {
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedFile>()
  const parser = createParser(request, takesFields ? PARTS_WITH_FIELDS_MAX : PARTS_MAX)
  const fields: Record<string, string> = {}
  let content: Readable | undefined
  let saving: Promise<ReceivedFile> | undefined
  parser.on('file', (field, part, name: string | undefined, _encoding, contentType) => {
    part.on('error', (cause) => reject(damaged(cause)))
    if (field !== FIELD)
      return reject(invalid(sentence('request.unknown_file_field', { field, file: FIELD })))
    content = part
    saving = saveAll(part, path, maxBytes).then((saved) => ({
      ...saved,
      name: name ?? '',
      contentType,
      fields,
    }))
    saving.catch(reject)
  })
  parser.on('field', (field, value: string) => {
    if (takesFields) fields[field] = value
    else reject(invalid(sentence('request.unknown_form_field', { field, file: FIELD })))
  })
  parser.on('filesLimit', () => reject(invalid(sentence('request.one_file'))))
  parser.on('partsLimit', () => reject(invalid(sentence('request.form_parts'))))
  parser.on('error', (cause) => reject(damaged(cause)))
  parser.on('finish', () =>
    saving ? saving.then(resolve, reject) : reject(invalid(sentence('request.no_file', { file: FIELD }))),
  )
  // A complete request also emits this event, often before its file is on disk.
  request.once('close', () => {
    if (!request.readableEnded) reject(malformed(sentence('request.file_cut_off')))
  })
  request.pipe(parser)
  try {
    return await promise
  } finally {
    request.unpipe(parser)
    content?.destroy()
    await saving?.catch(() => {}) // wait until writing has stopped
    parser.destroy()
  }
}

function createParser(request: IncomingMessage, parts: number): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: request.headers as never,
      preservePath: true,
      limits: { files: 1, parts, fieldSize: FORM_BYTES_MAX, headerSize: FORM_BYTES_MAX },
    })
  } catch (cause) {
    throw malformed(sentence('request.form_boundary'), cause)
  }
}

/** Saves content up to the limit. `receiveFile` drops the rest. */
const saveAll = (content: Readable, path: string, maxBytes: number): Promise<LocalFile> =>
  saveContent(content.iterator({ destroyOnReturn: false }), path, maxBytes, tooLarge)

const tooLarge = (limit: number) => fail('request.file_too_large', { limit })
const damaged = (cause: unknown) => malformed(sentence('request.form_damaged'), cause)
const malformed = (reason: string, cause?: unknown) => fail('request.malformed', { reason }, { cause })
const invalid = (reason: string) => fail('request.invalid', { reason })
