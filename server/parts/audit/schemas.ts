import Type, { type Static } from 'typebox'
import {
  CreatedAt,
  described,
  idOf,
  Nullable,
  ObjectId,
  OrganizationId,
  OrgId,
  PageOf,
  PageQuery,
  Timestamp,
  Uuid,
} from '#platform/http/schemas.ts'

const Values = Nullable(Type.Record(Type.String(), Type.Unknown()))

export const AuditEntryView = Type.Object(
  {
    id: ObjectId,
    organization_id: OrganizationId,
    actor_id: idOf('the user who made the change'),
    actor_name: Nullable(
      Type.String({ description: 'Name of this user; null for people who are not members any more.' }),
    ),
    api_key_id: Nullable(idOf('the API key; null if a session was used')),
    action: Type.String({ description: 'Record type and verb, such as `role.updated`.' }),
    record_type: Type.String({ description: 'Type of the changed record.' }),
    record_id: Type.String({ description: 'ID of the changed record.' }),
    record_name: Nullable(
      Type.String({
        description:
          'Name of this record: as the entry records it, else its current or last known name; null if it has none.',
      }),
    ),
    before: described(Values, 'Record before the change, without secrets; null if it was created.'),
    after: described(Values, 'Record after the change, without secrets; null if it was deleted.'),
    ip_address: Type.String({ description: 'IP address of the client.' }),
    request_id: idOf('the request'),
    created_at: CreatedAt,
  },
  { title: 'AuditEntry' },
)
export type AuditEntryView = Static<typeof AuditEntryView>

export const AuditQuery = Type.Object({
  org_id: OrgId,
  actor_id: Type.Optional(described(Uuid, 'Filter by the user who made the change.')),
  action: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Filter by action, such as `role.updated`.' }),
  ),
  record_type: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Filter by type of the record.' }),
  ),
  record_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Filter by ID of the record.' }),
  ),
  from: Type.Optional(described(Timestamp, 'Earliest time, inclusive.')),
  to: Type.Optional(described(Timestamp, 'Latest time, exclusive.')),
  ...PageQuery,
})
export type AuditQuery = Static<typeof AuditQuery>
export const AuditPage = PageOf(AuditEntryView, 'AuditPage')
