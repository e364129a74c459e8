import { OWNER, type OwnedTables, ROWS_WITH_TEXT, TIMES } from '#platform/tables/owned-tables.ts'

export const instructionTables: OwnedTables = {
  instructions: {
    resource: { kind: 'instruction', notFound: 'instruction.not_found' },
    audit: { not: 'Instructions are private to their user.' },
    export: {
      name: 'instructions',
      columns: `${OWNER} name content ${TIMES}`,
      rowsMax: ROWS_WITH_TEXT,
      isPersonal: true,
    },
    erasure: 'cascade',
  },
}
