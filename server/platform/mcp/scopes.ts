import { computeScopeUnion, isStrictScopeSuperset } from '@modelcontextprotocol/client'
import type { StoredGrant } from './authorization.ts'

const SCOPES_MAX = 100
const SCOPE_CHARACTERS_MAX = 4_000
/** A scope-token (RFC 6749, 3.3). */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * Reads and deduplicates the scopes in an untrusted list or string. Returns undefined if there are none, or if the
 * result is too long.
 */
export function readScope(value: string | readonly string[] | undefined): string | undefined {
  const tokens = typeof value === 'string' ? value.split(/\s+/) : (value ?? [])
  const scope = computeScopeUnion(...tokens.filter((token) => SCOPE_TOKEN.test(token)).slice(0, SCOPES_MAX))
  return scope !== undefined && scope.length <= SCOPE_CHARACTERS_MAX ? scope : undefined
}

/**
 * Returns the scope to request after `insufficient_scope`: every scope requested or granted before, plus `needed`.
 * Returns null if `needed` adds nothing, because another request would fail in the same way.
 */
export function widenScope(grant: StoredGrant, needed: string | undefined): string | null {
  const had = computeScopeUnion(grant.requestedScope ?? undefined, grant.tokens.scope)
  const combined = computeScopeUnion(had, readScope(needed))
  return isStrictScopeSuperset(combined, had) ? (combined ?? null) : null
}
