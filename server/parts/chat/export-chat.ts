import Type from 'typebox'
import type { StoredToolCall } from '#database/schema/chat.ts'
import type { Scope } from '#platform/access/scope.ts'
import type { File } from '#platform/http/define-route.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { UploadRow } from '#platform/storage/view-upload.ts'
import { readUploads } from './attachments.ts'
import { findChat } from './manage-chats.ts'
import { readBranch } from './read-branch.ts'
import { type ChatRow, ChatView, type MessageRow, MessageView, viewChat } from './schemas.ts'
import { viewMessages } from './view-files.ts'

/**
 * Maximum number of exported messages. Longer branches are exported without their oldest messages.
 * @limit exported messages of a chat (newest first)
 */
const MESSAGES_MAX = 10_000
const FILENAME_CHARACTERS_MAX = 60
/** Maximum length of a tool call's input in Markdown, in characters. */
const INPUT_CHARACTERS_MAX = 200

export type ExportFormat = 'markdown' | 'json'

export const ExportedChat = Type.Object(
  {
    ...ChatView.properties,
    messages: Type.Array(MessageView, {
      description: 'Messages of the active branch, oldest first: the newest 10,000.',
    }),
  },
  { title: 'ExportedChat' },
)

/** Exports the active branch of a chat as a file, oldest message first. Throws chat.not_found. */
export async function exportChat(
  storage: Storage,
  scope: Scope<'chats:read'>,
  chatId: string,
  format: ExportFormat,
): Promise<File> {
  const chat = await findChat(scope, chatId)
  const messages = (await readBranch(scope, chat.id, chat.leafMessageId, MESSAGES_MAX)).reverse()
  const name = fileNameOf(chat.title)
  if (format === 'markdown')
    return {
      name: `${name}.md`,
      contentType: 'text/markdown; charset=utf-8',
      content: toMarkdown(chat, messages, await readUploads(scope, messages.flatMap(filesOf))),
    }
  const view = { ...viewChat(chat), messages: await viewMessages(storage, scope, messages) }
  return { name: `${name}.json`, contentType: 'application/json', content: JSON.stringify(view, null, 2) }
}

const filesOf = ({ uploadIds, media }: MessageRow): string[] => [
  ...(uploadIds ?? []),
  ...(media ?? []).map((one) => one.upload_id),
]

function toMarkdown(chat: ChatRow, messages: MessageRow[], uploads: ReadonlyMap<string, UploadRow>): string {
  const parts = messages.map((message) => {
    const { role, content, createdAt, error, toolCalls } = message
    const calls = (toolCalls ?? []).map((call) => `\n> Tool: ${describeCall(call)}`).join('')
    const names = filesOf(message).flatMap((id) => uploads.get(id)?.filename ?? [])
    const files = names.length === 0 ? '' : `\n\n${names.map((name) => `> File: ${name}`).join('\n')}`
    const failure = error === null ? '' : `\n\n> ${error}`
    return `## ${role === 'user' ? 'You' : 'Assistant'}, ${createdAt.toISOString()}\n\n${content}${calls && `\n${calls}`}${files}${failure}\n`
  })
  return [`# ${chat.title.replace(/\s+/g, ' ')}\n`, ...parts].join('\n')
}

function describeCall({ name, input, successful, error }: StoredToolCall): string {
  const line = `${name} ${JSON.stringify(input).slice(0, INPUT_CHARACTERS_MAX).toWellFormed()}`
  const end = successful === true ? 'done' : successful === null ? 'not ended' : `failed: ${error}`
  return `${line}, ${end}`.replace(/\s+/g, ' ')
}

/** Returns a file name without characters that some file systems reject. */
const fileNameOf = (title: string): string =>
  (title.match(/[\p{L}\p{N}]+/gu) ?? []).join('-').slice(0, FILENAME_CHARACTERS_MAX) || 'chat'
