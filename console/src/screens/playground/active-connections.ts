import { read } from '../../api/queries.ts'

/** One's own connections that can be used. */
export const readActive = (org_id: string) =>
  read('GET /api/mcp/list_instances', { org_id, status: 'active' })
