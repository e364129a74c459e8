import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { OpenQuery } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import * as schemas from './file-schemas.ts'
import { createFile, deleteFile, getFile, listFiles, readFileContent } from './files.ts'
import { access, query } from './route-options.ts'

const ERRORS = ['org.not_found', 'deployment.not_api', 'deployment.paused', 'openai.only_agent'] as const
const FILE_ERRORS = [...ERRORS, 'upload.not_found'] as const

/** Routes for files of OpenAI clients, which are the caller's uploads. */
export const openAiFileRoutes = (services: Pick<Services, 'documents' | 'uploads' | 'storage'>): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/openai/v1/files',
    summary: 'Upload a file for OpenAI clients',
    description:
      'Stores an upload, as `POST /api/chat/upload_file` does. Pass its ID as `file_id` in messages; models receive ' +
      'its text, or the image.',
    access,
    query,
    upload: {
      description: 'The file.',
      example: 'Price list.pdf',
      fields: schemas.FileFields,
      fieldsExample: { purpose: 'user_data' },
    },
    effects: 'outside',
    reply: [200, schemas.FileView],
    errors: [...ERRORS, 'upload.empty', 'upload.type', 'upload.quota', 'server.unavailable'],
    handler: ({ scope, deployment, file }) => createFile(services, { scope, deployment }, file),
  }),
  defineRoute({
    method: 'GET',
    url: '/openai/v1/files',
    summary: 'List the files of OpenAI clients',
    access,
    query: OpenQuery({ ...query.properties, ...schemas.FileQuery }),
    reply: [200, schemas.FileList],
    errors: FILE_ERRORS,
    handler: ({ scope, deployment, query }) => listFiles({ scope, deployment }, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/openai/v1/files/:file_id',
    summary: 'Get a file of OpenAI clients',
    access,
    params: schemas.FileParams,
    query,
    reply: [200, schemas.FileView],
    errors: FILE_ERRORS,
    handler: ({ scope, deployment, params }) => getFile({ scope, deployment }, params.file_id),
  }),
  defineRoute({
    method: 'GET',
    url: '/openai/v1/files/:file_id/content',
    summary: 'Download a file of OpenAI clients',
    access,
    params: schemas.FileParams,
    query,
    reply: { stream: 'application/octet-stream' },
    errors: [...FILE_ERRORS, 'server.unavailable'],
    handler: ({ scope, deployment, params }) =>
      readFileContent(services, { scope, deployment }, params.file_id),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/openai/v1/files/:file_id',
    summary: 'Delete a file of OpenAI clients',
    description: 'Messages with the file stay, without it.',
    access,
    params: schemas.FileParams,
    query,
    effects: 'database',
    reply: [200, schemas.DeletedFile],
    errors: FILE_ERRORS,
    handler: ({ scope, deployment, params }) => deleteFile({ scope, deployment }, params.file_id),
  }),
]
