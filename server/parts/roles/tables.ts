import { type OwnedTables, TIMES } from '#platform/tables/owned-tables.ts'

export const roleTables: OwnedTables = {
  roles: {
    audit: { entries: 'role.*' },
    export: {
      name: 'roles',
      columns: `id name description hierarchy_level is_system_role ${TIMES}`,
      computed: {
        permissions: `(select coalesce(json_agg(p.name order by p.name), '[]') from role_permissions rp
          join permissions p on p.id = rp.permission_id where rp.role_id = t.id)`,
      },
    },
    erasure: 'cascade',
  },
}
