import { type OwnedTables, TIMES } from '#platform/tables/owned-tables.ts'

export const invitationTables: OwnedTables = {
  invitations: {
    resource: { kind: 'invitation', notFound: 'invitation.not_found' },
    audit: { type: 'invitation', secrets: ['token_hash'] },
    export: {
      name: 'invitations',
      columns: `id email role_id message status invited_by expires_at ${TIMES}`,
    },
    erasure: 'cascade',
  },
}
