import type { ISql, Sql } from 'postgres'
import { olderThan } from '#database/keyset.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { hashToken } from '#platform/secrets/secrets.ts'
import type { InvitationStatus, InvitationView, ShownInvitation, ValidInvitation } from './schemas.ts'

/** The organization's invitations, newest first. */
export const listInvitations = (
  sql: Sql,
  scope: Scope<'users:write'>,
  query: { status?: InvitationStatus; limit?: number; cursor?: string },
): Promise<Page<InvitationView>> =>
  readPage(
    query,
    (below, count) => sql<InvitationView[]>`
      ${selectInvitations(sql)} where i.organization_id = ${scope.organizationId}
        and ${olderThan(sql, 'i.id', below)}
        and (${query.status ?? null}::text is null or ${statusNow(sql)} = ${query.status ?? null})
      order by i.id desc limit ${count}`,
    view,
  )

/** Throws invitation.not_found. */
export async function readInvitation(sql: ISql, organizationId: string, id: string): Promise<InvitationView> {
  const [row] = await sql<InvitationView[]>`
    ${selectInvitations(sql)} where i.id = ${id} and i.organization_id = ${organizationId}`
  if (!row) throw fail('invitation.not_found')
  return view(row)
}

/**
 * What a token invites to, with `byMagicLink` only one of that kind. Throws invitation.not_found, invitation.gone,
 * invitation.role_gone.
 */
export async function validateToken(
  sql: ISql,
  token: string,
  { byMagicLink }: { byMagicLink?: boolean } = {},
): Promise<ValidInvitation> {
  const [row] = await sql<InvitationView[]>`
    ${selectInvitations(sql)} where i.token_hash = ${hashToken(token)}
      and i.by_magic_link = coalesce(${byMagicLink ?? null}, i.by_magic_link)`
  if (!row) throw fail('invitation.not_found')
  if (row.status !== 'pending') throw fail('invitation.gone', { status: row.status })
  const { email, organization, role, expires_at } = view(row)
  if (role === null) throw fail('invitation.role_gone')
  return { valid: true, email, organization, role, expires_at }
}

/** What somebody is shown who holds the token. Throws what validateToken does. */
export async function showInvitation(sql: ISql, token: string): Promise<ShownInvitation> {
  const valid = await validateToken(sql, token)
  const [people] = await sql<Pick<ShownInvitation, 'inviter' | 'message' | 'account'>[]>`
    select coalesce(trim(inviter.first_name || ' ' || inviter.last_name), '') as inviter, i.message,
      case when invited.registered_at is null then 'none'
        when invited.email_verified_at is null then 'unconfirmed' else 'confirmed' end as account
    from invitations i left join users inviter on inviter.id = i.invited_by
    left join users invited on invited.email = i.email
    where i.token_hash = ${hashToken(token)}`
  if (!people) throw fail('invitation.not_found')
  return { ...valid, ...people }
}

/** Time passes without a statement: what is pending and over is expired, by the database's clock. */
export const statusNow = (sql: ISql) =>
  sql`case when i.status = 'pending' and i.expires_at <= now() then 'expired' else i.status end`

const selectInvitations = (sql: ISql) => sql`
  select i.id, i.email, ${statusNow(sql)} as status, i.message, i.invited_by as created_by, i.created_at,
    i.expires_at, json_build_object('id', o.id, 'name', o.name) as organization,
    case when r.id is not null then
      json_build_object('id', r.id, 'name', r.name, 'hierarchy_level', r.hierarchy_level) end as role
  from invitations i join organizations o on o.id = i.organization_id
  left join roles r on r.id = i.role_id and r.organization_id = i.organization_id`

const view = (row: InvitationView): InvitationView => ({
  ...row,
  created_at: new Date(row.created_at).toISOString(),
  expires_at: new Date(row.expires_at).toISOString(),
})
