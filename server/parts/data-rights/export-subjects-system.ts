import { systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import type { Caller, Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import type { FileStream } from '#platform/http/define-route.ts'
import type { Services } from '#platform/services.ts'
import { writeExport } from './write-export.ts'

/*
 * An organization's export includes the private data of its members. A user's export covers all organizations that
 * the user belongs or belonged to.
 */

export async function exportOrganization(
  services: Services,
  scope: Scope<'organization:admin'>,
): Promise<FileStream> {
  const sql = systemSql(services.database)
  const { organizationId } = scope
  const [organization] = await scope.sql<{ slug: string; about: string }[]>`
    select slug, json_build_object('id', id, 'name', name, 'slug', slug, 'is_personal', personal_user_id is not null,
      'features', features)::text as about
    from organizations where id = ${organizationId} and closed_at is null`
  if (!organization) throw fail('org.not_found', { value: organizationId })
  const environmentModels = await sql<{ id: string; provider: string; version: string }[]>`
    select id, provider, version from llm_models where organization_id is null order by id`
  await recordEvent(scope.sql, organizationId, scope, {
    action: 'organization.exported',
    recordId: organizationId,
  })
  const content = writeExport(services, {
    owners: [{ organizationId }],
    isPersonal: false,
    about: { organization: JSON.parse(organization.about), environment_models: environmentModels },
  })
  return { name: `${organization.slug}.zip`, content }
}

export async function exportPerson(services: Services, { userId }: Caller): Promise<FileStream> {
  const sql = systemSql(services.database)
  const [user] = await sql<{ about: string }[]>`
    select json_build_object('id', id, 'email', email, 'first_name', first_name, 'last_name', last_name, 'language', language,
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
    content: writeExport(services, { owners, isPersonal: true, about }),
  }
}
