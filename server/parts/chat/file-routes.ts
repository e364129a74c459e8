import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { confirms, Enum, idOf, OrgId } from '#platform/http/schemas.ts'
import { LIMIT_ERRORS } from '#platform/ledger/refusals.ts'
import { RECORDING_TYPES } from '#platform/storage/detect-recording.ts'
import { TextEncoding, UploadView } from '#platform/storage/view-upload.ts'
import { MODEL_FAILURES } from '../llm/index.ts'
import type { ChatDependencies } from './dependencies.ts'
import * as schemas from './schemas.ts'
import { transcribeRecording } from './transcribe-recording.ts'
import { deleteUpload, uploadFile } from './upload-file.ts'

/** Content types that clients may declare for audio to transcribe. */
const DECLARABLE_TYPES = [...RECORDING_TYPES, 'application/octet-stream']

/** Routes whose request body is a file. */
export const fileRoutes = (deps: ChatDependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/chat/upload_file',
    summary: 'Upload a file for a chat',
    description:
      'Accepts documents (PDF, TXT, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML, CSV, MD), images (JPG, PNG, GIF, WebP, SVG), audio (MP3, WAV, ' +
      'M4A, OGG, FLAC) and video (MP4, WebM, MOV, AVI). The type is detected from the content. Pass the ID in ' +
      '`file_uploads` of send_message. `text_error` says why a document has no readable text: damaged, encrypted, ' +
      'scanned or empty.',
    access: { permission: 'chats:write', orgOf: 'query' },
    query: Type.Object({
      org_id: OrgId,
      chat_id: Type.Optional(idOf('the chat that the file belongs to')),
      encoding: TextEncoding,
    }),
    upload: { description: 'The file.', example: 'Price list.pdf' },
    effects: 'outside',
    reply: [201, UploadView],
    errors: [
      'org.not_found',
      'chat.not_found',
      'upload.not_found',
      'upload.empty',
      'upload.type',
      'upload.old_office',
      'upload.encoding',
      'upload.quota',
      'upload.chat_full',
      'server.unavailable',
    ],
    handler: ({ scope, query, file }) => uploadFile(deps, scope, query, file),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/chat/delete_upload',
    summary: 'Permanently delete a file',
    description: 'Messages with the file stay, without it.',
    access: { permission: 'chats:write', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, upload_id: idOf('the upload') }),
    effects: 'database',
    reply: confirms('Upload deleted'),
    errors: ['org.not_found', 'upload.not_found'],
    async handler({ scope, query }) {
      await deleteUpload(scope, query.upload_id)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/chat/transcribe',
    summary: 'Transcribe a recording',
    description:
      'Accepts MP3, WAV, M4A, OGG, FLAC or WebM, in the form field `file` or as the body. Charged per second. ' +
      'Without `org_id`, charges your personal organization.',
    access: { permission: 'chats:write', orgOf: 'query or personal' },
    query: Type.Object({
      org_id: Type.Optional(OrgId),
      language: Type.Optional(
        Enum(schemas.LANGUAGES, { description: 'Language of the recording. Default: en-US.' }),
      ),
      content_type: Type.Optional(
        Enum(DECLARABLE_TYPES, {
          description: 'Media type of a recording sent as the body, instead of Content-Type.',
        }),
      ),
    }),
    upload: { description: 'The recording.', example: 'Question.mp3', raw: DECLARABLE_TYPES },
    effects: 'outside',
    reply: [200, schemas.TranscriptView],
    errors: [
      'org.not_found',
      'upload.empty',
      'upload.not_audio',
      'llm.none',
      ...MODEL_FAILURES,
      'billing.insufficient_credits',
      ...LIMIT_ERRORS,
      'billing.key_budget_exceeded',
      'billing.member_budget_exceeded',
      'server.unavailable',
    ],
    handler: ({ scope, query, file }) => transcribeRecording(deps, scope, query, file),
  }),
]
