import { read } from '../../api/queries.ts'

/** The user's active connections. */
export const readActive = (org_id: string) =>
  read('GET /api/mcp/list_instances', { org_id, status: 'active' })
