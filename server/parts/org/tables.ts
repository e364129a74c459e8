import { type OwnedTables, TIMES } from '#platform/tables/owned-tables.ts'

/**
 * Returns SQL for a column of the member's user. The value is empty until an added member opens the organization
 * (platform/access/visible-members.ts).
 */
const shownOnceOpened = (column: string): string =>
  `(select case when t.opened_at is null then '' else ${column} end from users where id = t.user_id)`

export const orgTables: OwnedTables = {
  memberships: {
    audit: { entries: 'member.*' },
    export: {
      name: 'members',
      columns: `organization_id user_id role_id status ${TIMES}`,
      computed: {
        email: shownOnceOpened('email'),
        first_name: shownOnceOpened('first_name'),
        last_name: shownOnceOpened('last_name'),
        role: '(select name from roles where id = t.role_id)',
      },
      key: [['user_id', 'uuid']],
      where: `status <> 'deleted'`,
      isPersonal: true,
    },
    erasure: 'cascade',
  },
  one_time_tokens: {
    audit: { not: 'A mailed link belongs to its recipient.' },
    export: { not: 'Mailed links are single-use and expire.' },
    erasure: { not: 'Deleted with their user, and expire.' },
  },
}
