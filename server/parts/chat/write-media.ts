import { rm } from 'node:fs/promises'
import type { StoredMedia } from '#database/schema/chat.ts'
import { AppError, type Reason, reasonFor } from '#errors'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import type { Expectation } from '#platform/ledger/grouped-opening.ts'
import { expectedUsage, firstToAnswer, payableMediaUsage } from '#platform/models/index.ts'
import type { ImagePart, ModelRequest, ModelUsage } from '#platform/models/types.ts'
import { writeLocalFile } from '#platform/storage/local-file.ts'
import type { LocalFile } from '#platform/storage/storage.ts'
import type { CallableModel, ResolvedModel } from '../llm/index.ts'
import type { Reply } from './reply.ts'
import type { WriterServices } from './write-reply.ts'

export type ReplyKind = 'text' | StoredMedia['type']

/** Returns the kind of a model's replies. Undefined if a chat cannot show them. */
export const kindOf = ({ capabilities }: ResolvedModel): ReplyKind | undefined =>
  (['text', 'image', 'video'] as const).find((kind) => capabilities.includes(kind))

/** Returns the usage that a model's reply is expected to have. */
export function expectedReply(model: ResolvedModel, request: ModelRequest): Promise<Expectation> {
  const kind = kindOf(model)
  return kind === 'image' || kind === 'video'
    ? payableMediaUsage(null, kind, promptOf(request).prompt)
    : expectedUsage(model.members, request)
}

/** Maximum progress before the file is stored. */
const PROGRESS_MAX = 0.99

export interface MediaResult {
  status: 'complete' | 'error'
  error: Reason | null
  usage: ModelUsage
  media: StoredMedia[] | null
  /** The model that generated the media. */
  answered: CallableModel
}

/**
 * Generates an image or video, streams the progress, and stores it as a file of the chat. Charges the generation even
 * if the file cannot be stored. Throws the errors of the model.
 */
export async function writeMedia(
  { config, models, storage, uploads, log }: WriterServices,
  reply: Reply,
  { model, kind, request }: { model: ResolvedModel; kind: StoredMedia['type']; request: ModelRequest },
): Promise<MediaResult> {
  const { prompt, images } = promptOf(request)
  const reportProgress = (progress: number): void =>
    reply.addMedia({ type: kind, status: 'generating', progress: Math.min(progress, PROGRESS_MAX) })
  reportProgress(0)
  const { answered, mimeType, data, ...reported } = await firstToAnswer(
    models.health,
    model.members,
    (target) =>
      kind === 'image'
        ? models.generateImage(target, { prompt, images }, reply.signal)
        : models.generateVideo(target, { prompt }, reportProgress, reply.signal),
  )
  const usage = await payableMediaUsage(answered.trustsUsage ? reported.usage : null, kind, prompt)

  const {
    organization_id: organizationId,
    user_id: userId,
    chat_id: chatId,
    message_id: messageId,
  } = reply.ids
  const name = `${kind}-${messageId.slice(-12)}.${ACCEPTED_TYPES.get(mimeType)?.extensions[0] ?? kind}`
  let file: LocalFile | undefined
  try {
    file = await writeLocalFile(config.dataDir, data)
    const upload = {
      organizationId,
      userId,
      chatId,
      source: 'model',
      name,
      contentType: mimeType,
      text: null,
      textError: null,
    } as const
    const stored = await uploads.keep(upload, file)
    const url = await storage.urlOf({ key: stored.key, contentType: mimeType })
    reply.addMedia({ type: kind, status: 'complete', progress: 1, url, mime_type: mimeType })
    return {
      status: 'complete',
      error: null,
      usage,
      answered,
      media: [{ type: kind, upload_id: stored.id, mime_type: mimeType }],
    }
  } catch (error) {
    log.warn({ err: error, message_id: messageId }, 'generated media could not be stored')
    const failure = error instanceof AppError ? error : reasonFor('reply.media_not_stored', { kind })
    return { status: 'error', error: failure, usage, media: null, answered }
  } finally {
    if (file) await rm(file.path, { force: true })
  }
}

/** Returns the prompt and the images. The prompt is the system prompt followed by the last user message. */
function promptOf({ system, messages }: ModelRequest): { prompt: string; images: ImagePart[] } {
  const content = messages.findLast((message) => message.role === 'user')?.content ?? ''
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const words = parts.flatMap((part) => (part.type === 'text' ? part.text : []))
  return {
    prompt: [...(system === undefined ? [] : [system]), ...words].join('\n\n'),
    images: parts.filter((part) => part.type === 'image'),
  }
}
