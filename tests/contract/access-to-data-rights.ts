import type { Call, Fixture } from './access-matrix.ts'

const inOrganization = ({ organizationId }: Fixture): Call => ({ query: { org_id: organizationId } })

/** The access matrix (access-matrix.ts) for deleting, exporting and importing. */
export const DATA_RIGHTS: Record<string, [allowed: string, call: (fixture: Fixture) => Call]> = {
  delete_org_delete: ['O', inOrganization],
  get_org_export: ['OA', inOrganization],
  post_org_import: ['OAMGCNS', () => ({})],
  get_users_me_export: ['OAMGCNS', () => ({})],
  delete_users_me: ['OAMGCNS', () => ({ body: { current_password: 'not it' } })],
}
