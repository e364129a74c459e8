import type { ISql } from 'postgres'
import type { Features } from '#database/schema/org.ts'

/** Default features of an organization. The system administrator can override them. */
export const DEFAULTS: Required<Features> = {
  daily_chat_limit: null,
  file_upload: 1024 ** 3,
  chat_uploads: 20,
  mcp_sessions: 20,
  team_members: true,
}

export const withDefaults = (features: Features): Required<Features> => ({ ...DEFAULTS, ...features })

export async function readFeatures(sql: ISql, organizationId: string): Promise<Required<Features>> {
  const [row] = await sql<{ features: Features }[]>`
    select features from organizations where id = ${organizationId}`
  return withDefaults(row?.features ?? {})
}
