import Type, { type TObject } from 'typebox'
import type { Route } from './define-route.ts'
import { Body, OrgId } from './schemas.ts'

/**
 * Returns a route's query schema. The schema refuses unknown parameters, unless it is an OpenQuery. Routes with a
 * permission accept `org_id`, so that a client can send it with every request. Access checks verify `org_id`.
 */
export function queryOf({ query = Type.Object({}), access }: Pick<Route, 'query' | 'access'>): TObject {
  if ('additionalProperties' in query) return query
  if (typeof access === 'string') return Body(query.properties)
  return Body({ org_id: Type.Optional(OrgId), ...query.properties })
}
