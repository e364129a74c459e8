import { computeScopeUnion, isStrictScopeSuperset } from '@modelcontextprotocol/client'
import type { StoredGrant } from './authorization.ts'

const SCOPES_MAX = 100
const SCOPE_CHARACTERS_MAX = 4_000
/** A scope-token of RFC 6749, 3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** The scopes of a stranger's list or string, each once, as a string; undefined where there is none. */
export function readScope(said: string | readonly string[] | undefined): string | undefined {
  const tokens = typeof said === 'string' ? said.split(/\s+/) : (said ?? [])
  const scope = computeScopeUnion(...tokens.filter((token) => SCOPE_TOKEN.test(token)).slice(0, SCOPES_MAX))
  return scope !== undefined && scope.length <= SCOPE_CHARACTERS_MAX ? scope : undefined
}

/**
 * What to ask for when a server says that a grant is not enough (`insufficient_scope`): all that was asked for and
 * granted before, and what is needed now. Null where that was already asked for: to ask again would change nothing, and
 * go on without end.
 */
export function widenScope(grant: StoredGrant, needed: string | undefined): string | null {
  const had = computeScopeUnion(grant.requestedScope ?? undefined, grant.tokens.scope)
  const combined = computeScopeUnion(had, readScope(needed))
  return isStrictScopeSuperset(combined, had) ? (combined ?? null) : null
}
