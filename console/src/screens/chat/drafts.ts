import { randomKey } from '@parley/client'
import type { McpResource, Upload } from '@parley/client/schemas'
import { useSyncExternalStore } from 'react'
import { BoundedMap } from '../../api/bounded-map.ts'
import { api, upload } from '../../api/client.ts'
import { Listeners } from '../../api/listeners.ts'
import { readDraft, storeDraft } from './stored-drafts.ts'
import type { Unsent } from './unsent.ts'

export interface Attachment {
  key: string
  name: string
  /** The object URL for previewing an image. Null for other files. */
  preview: string | null
  /** The fraction of the file that has been uploaded, from 0 to 1. Null if the server reads the file elsewhere. */
  progress: number | null
  upload: Upload | null
  error: Error | null
}

export interface Draft {
  text: string
  attachments: Attachment[]
  /** Why the server refused the message. Null if it did not. */
  refusal: Error | null
  /** The message that the draft was, if the user took it back before the server accepted it. */
  unsent: Unsent | null
}

const EMPTY: Draft = { text: '', attachments: [], refusal: null, unsent: null }

/** Maximum number of drafts in memory. The text of an evicted draft remains in storage, but its files are lost. */
const DRAFTS_MAX = 100

const drafts = new BoundedMap<string, Draft>(DRAFTS_MAX)
const listeners = new Listeners()
const sendings = new Map<string, AbortController>()

/** Returns the draft with a key from `draftKeyOf`. */
export const useDraft = (place: string): Draft =>
  useSyncExternalStore(listeners.subscribe, () => draftOf(place))

/** Returns a draft. Reads its stored text once, because another tab may write another draft at the same place. */
export function draftOf(place: string): Draft {
  const known = drafts.get(place)
  if (known) return known
  const draft = { ...EMPTY, text: readDraft(place) }
  drafts.set(place, draft)
  return draft
}

export function changeDraft(place: string, change: Partial<Draft>): void {
  const before = draftOf(place)
  const draft = { ...before, ...change }
  drafts.set(place, draft)
  if (draft.text !== before.text) storeDraft(place, draft.text)
  listeners.notify()
}

export const emptyDraft = (place: string): void => changeDraft(place, EMPTY)

/**
 * Restores the draft of a message that was refused or taken back. If the user has started another draft, adds only
 * the reason for the refusal.
 */
export function giveBack(place: string, message: Unsent, refusal: Error | null): void {
  const now = draftOf(place)
  const isEmpty = now.text === '' && now.attachments.length === 0
  const { content, uploads } = message.question
  changeDraft(place, {
    ...(isEmpty && { text: content, attachments: uploads.map(attachmentOf), unsent: message }),
    refusal,
  })
}

const attachmentOf = (upload: Upload): Attachment => ({
  key: upload.id,
  name: upload.filename,
  preview: null,
  progress: 1,
  upload,
  error: null,
})

/** Uploads files and adds them to a draft. */
export function attach(
  place: string,
  query: { org_id: string; chat_id?: string },
  files: Iterable<File>,
): void {
  for (const file of files) {
    const isPicture = file.type.startsWith('image/') && file.type !== 'image/svg+xml'
    const preview = isPicture ? URL.createObjectURL(file) : null
    void attachOne(place, { name: file.name, preview, progress: 0 }, (key, signal) =>
      upload<Upload>('/api/chat/upload_file', {
        query,
        file,
        onProgress: (progress) => changeAttachment(place, key, { progress }),
        signal,
      }),
    )
  }
}

/** Adds a resource of a connection's server to a draft. The server reads it. */
export function attachResource(place: string, mcp_instance_id: string, { uri, name }: McpResource): void {
  void attachOne(place, { name, preview: null, progress: null }, (_key, signal) =>
    api.request('POST /api/mcp/attach_resource', { query: { mcp_instance_id }, body: { uri }, signal }),
  )
}

/** Adds an attachment to a draft while `store` stores its file on the server. */
async function attachOne(
  place: string,
  shown: Pick<Attachment, 'name' | 'preview' | 'progress'>,
  store: (key: string, signal: AbortSignal) => Promise<Upload>,
): Promise<void> {
  const key = randomKey()
  const sending = new AbortController()
  sendings.set(key, sending)
  const attachment = { ...shown, key, upload: null, error: null }
  changeDraft(place, { attachments: [...draftOf(place).attachments, attachment] })
  try {
    const done = await store(key, sending.signal)
    changeAttachment(place, key, { upload: done, progress: 1 })
  } catch (error) {
    if (!sending.signal.aborted) changeAttachment(place, key, { error: error as Error })
  } finally {
    sendings.delete(key)
  }
}

/** Removes a file from a draft and deletes the uploaded file. */
export function detach(
  place: string,
  organizationId: string,
  { key, preview, upload: done }: Attachment,
): void {
  sendings.get(key)?.abort()
  if (preview) URL.revokeObjectURL(preview)
  changeDraft(place, { attachments: draftOf(place).attachments.filter((one) => one.key !== key) })
  // Errors are ignored, because a file that remains on the server does no harm.
  if (done)
    void api
      .request('DELETE /api/chat/delete_upload', {
        query: { org_id: organizationId, upload_id: done.id },
      })
      .catch(() => {})
}

function changeAttachment(place: string, key: string, change: Partial<Attachment>): void {
  const { attachments } = draftOf(place)
  if (attachments.some((one) => one.key === key))
    changeDraft(place, {
      attachments: attachments.map((one) => (one.key === key ? { ...one, ...change } : one)),
    })
}
