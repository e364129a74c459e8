import Type from 'typebox'
import { fail } from '#errors'
import type { Caller, Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { defineRoute, type FileStream, type Route } from '#platform/http/define-route.ts'
import { Uuid } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import type { Exports } from './exports.ts'
import { writeExport } from './write-export.ts'

const ZIP = { stream: 'application/zip' } as const

/** Taking data away: what an organization has, and what a person has (docs/export.md). */
export const exportRoutes = (services: Services, exports: Exports): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/org/export',
    summary: 'Export an organization with everything in it',
    description:
      'A zip of JSON Lines and files, without keys and other secrets. It holds the chats of all members, and is noted in ' +
      'the audit. An export that was cut off has no manifest.json.',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: Type.Object({ org_id: Uuid }),
    reply: ZIP,
    errors: ['org.not_found', 'export.under_way', 'export.busy'],
    handler: ({ scope }) => exports.open(scope.userId, () => exportOrganization(services, scope)),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/users/me/export',
    summary: 'Export what is yours alone',
    description:
      'A zip of JSON Lines and files: your memberships, chats, files, instructions and the names of your connections, of ' +
      'all organizations that you are or were in.',
    access: 'session',
    reply: ZIP,
    errors: ['export.under_way', 'export.busy'],
    handler: ({ caller }) => exports.open(caller.userId, () => exportPerson(services, caller)),
  }),
]

async function exportOrganization(
  { database: { sql }, storage, log }: Services,
  scope: Scope<'organization:admin'>,
): Promise<FileStream> {
  const { organizationId } = scope
  const [organization] = await sql<{ slug: string; about: string }[]>`
    select slug, json_build_object('id', id, 'name', name, 'slug', slug, 'is_personal', personal_user_id is not null,
      'features', features)::text as about
    from organizations where id = ${organizationId} and closed_at is null`
  if (!organization) throw fail('org.not_found')
  const environmentModels = await sql`
    select id, provider, version from llm_models where organization_id is null order by id`
  await recordEvent(sql, organizationId, scope, { action: 'organization.exported', recordId: organizationId })
  const content = writeExport(
    { sql, storage, log },
    {
      owners: [{ organizationId }],
      isPersonal: false,
      about: { organization: JSON.parse(organization.about), environment_models: environmentModels },
    },
  )
  return { name: `${organization.slug}.zip`, content }
}

async function exportPerson(
  { database: { sql }, storage, log }: Services,
  { userId }: Caller,
): Promise<FileStream> {
  const [user] = await sql<{ about: string }[]>`
    select json_build_object('id', id, 'email', email, 'first_name', first_name, 'last_name', last_name,
      'second_factors', (
        select coalesce(json_agg(f order by f.created_at), '[]') from (
          select 'totp' as type, name, created_at, last_used_at from totp_factors
          where user_id = users.id and confirmed_at is not null
          union all
          select 'passkey', name, created_at, last_used_at from passkeys where user_id = users.id) as f))::text as about
    from users where id = ${userId}`
  if (!user) throw fail('auth.invalid_token')
  const organizations = await sql<{ organizationId: string }[]>`
    select o.id as "organizationId" from memberships m join organizations o on o.id = m.organization_id
    where m.user_id = ${userId} and o.closed_at is null order by o.id`
  const owners = organizations.map(({ organizationId }) => ({ organizationId, userId }))
  const about = { user: JSON.parse(user.about) }
  return {
    name: 'parley-export.zip',
    content: writeExport({ sql, storage, log }, { owners, isPersonal: true, about }),
  }
}
