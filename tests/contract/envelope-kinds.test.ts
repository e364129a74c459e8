import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareOperations, OPERATIONS } from './compare-envelope.ts'
import type { Operation } from './cover-operations.ts'

/*
 * Compares /api and /v1 for one operation of each kind of response. The gate compares all operations (envelope.test.ts,
 * envelope-of-changes.test.ts).
 */

const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))

/** Returns what the envelope depends on: the kinds of the request, and the statuses and content of the responses. */
function kindOf({ method, path, isPublic, takesBody, takesFile, needsQuery }: Operation): string {
  const { responses } = paths[path][method.toLowerCase()] as {
    responses: Record<string, { content?: Record<string, { schema?: { type?: string } }> }>
  }
  const successes = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, { content = {} }]) => [
      status,
      Object.entries(content).map(([media, { schema }]) => `${media} ${schema?.type ?? ''}`),
    ])
  return JSON.stringify([isPublic, takesBody, takesFile, needsQuery, successes])
}

compareOperations([...new Map(OPERATIONS.map((operation) => [kindOf(operation), operation])).values()])
