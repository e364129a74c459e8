import Type, { type Static } from 'typebox'
import { described, Enum } from '#platform/http/schemas.ts'
import { open } from './schemas.ts'

const FILES_A_PAGE_MAX = 1_000
const FileId = Type.String({ minLength: 1, maxLength: 100, description: 'ID of the file.' })
const NullableId = Type.Unsafe<string | null>({ type: ['string', 'null'] })

export const FileParams = Type.Object({ file_id: FileId })

/** The fields of the form beside the file. */
export const FileFields = open({
  purpose: Type.Optional(
    Type.String({ maxLength: 50, description: 'Purpose of the file. Every file is `user_data`.' }),
  ),
})

export const FileQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: FILES_A_PAGE_MAX,
      default: 100,
      description: 'Maximum number of files.',
    }),
  ),
  after: Type.Optional(described(FileId, 'ID of the file after which the page begins.')),
}

export const FileView = Type.Object(
  {
    id: FileId,
    object: Enum(['file'], { description: 'Always `file`.' }),
    bytes: Type.Integer({ description: 'Size of the file, in bytes.' }),
    created_at: Type.Integer({ description: 'When the file was uploaded, in Unix seconds.' }),
    filename: Type.String({ description: 'Name of the file.' }),
    purpose: Enum(['user_data'], { description: 'Always `user_data`.' }),
    status: Enum(['processed'], { description: 'Always `processed`.' }),
  },
  { title: 'OpenAiFile' },
)
export type FileView = Static<typeof FileView>

export const FileList = Type.Object(
  {
    object: Enum(['list'], { description: 'Always `list`.' }),
    data: Type.Array(FileView, { description: 'Uploads of the caller, newest first.' }),
    first_id: described(NullableId, 'ID of the first file.'),
    last_id: described(NullableId, 'ID of the last file.'),
    has_more: Type.Boolean({ description: 'Whether more files follow.' }),
  },
  { title: 'OpenAiFileList' },
)
export type FileList = Static<typeof FileList>

export const DeletedFile = Type.Object(
  {
    id: FileId,
    object: Enum(['file'], { description: 'Always `file`.' }),
    deleted: Type.Boolean({ description: 'Always true.' }),
  },
  { title: 'OpenAiDeletedFile' },
)
