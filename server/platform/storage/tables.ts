import { OWNER, type OwnedTables } from '../tables/owned-tables.ts'

const PRIVATE = { not: 'Files are private to their user.' }

export const storageTables: OwnedTables = {
  uploads: {
    audit: PRIVATE,
    export: {
      name: 'files',
      columns: `${OWNER} chat_id source filename content_type size created_at`,
      where: `status = 'stored'`,
      isPersonal: true,
    },
    erasure: 'cascade',
  },
  upload_texts: {
    audit: PRIVATE,
    export: { not: 'The text is extracted from the file again.' },
    erasure: 'cascade',
  },
}
