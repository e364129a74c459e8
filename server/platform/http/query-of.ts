import Type, { type TObject } from 'typebox'
import type { Route } from './define-route.ts'
import { Body, OrgId } from './schemas.ts'

/**
 * The query that a route takes. Like a body it is closed, unless it is an OpenQuery. Wherever the request is about one
 * organization, `org_id` may name it, and is checked (AccessDependencies), so that a client can always send it.
 */
export function queryOf({ query = Type.Object({}), access }: Pick<Route, 'query' | 'access'>): TObject {
  if ('additionalProperties' in query) return query
  if (typeof access === 'string') return Body(query.properties)
  return Body({ org_id: Type.Optional(OrgId), ...query.properties })
}
