import { read } from '../../api/queries.ts'

/** Returns the query options that read the user's active connections. */
export const readActive = (org_id: string) =>
  read('GET /api/mcp/list_instances', { org_id, status: 'active' })
