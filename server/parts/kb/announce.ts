import type { Services } from '#platform/services.ts'
import { sqlOf } from './find-work-system.ts'
import type { KbRef } from './ingestion.ts'
import { describeSources } from './ingestion-state.ts'

/** Publishes a knowledge base's ingestion progress to members with `kb:read`, at most once per `GATHER_MS`. */
export type Announce = (ref: KbRef) => void

/** Interval within which changes are combined into a single event, in milliseconds. */
const GATHER_MS = 500

export function createAnnouncer({ database, events, log }: Services): Announce {
  const waiting = new Set<string>()

  async function publish({ organizationId, kbId }: KbRef): Promise<void> {
    waiting.delete(kbId)
    const sql = sqlOf(database, { organizationId })
    const sources = await sql<Parameters<typeof describeSources>[0]>`
      select status, error, reading, documents_pending as "documentsPending", documents_ready as "documentsReady",
        documents_failed as "documentsFailed"
      from kb_sources where kb_id = ${kbId} and organization_id = ${organizationId}`
    if (sources.length === 0) {
      // Its last source, or the knowledge base itself, was deleted.
      const { count } = await sql`
        select from knowledge_bases where id = ${kbId} and organization_id = ${organizationId}`
      if (count === 0) return
    }
    const { ingestion: status, progress } = describeSources(sources)
    events.publish({
      type: 'kb.ingestion',
      organizationId,
      data: { kb_id: kbId, status, progress },
      to: { permission: 'kb:read' },
    })
  }

  return (ref) => {
    if (waiting.has(ref.kbId)) return
    waiting.add(ref.kbId)
    setTimeout(() => {
      publish(ref).catch((error: unknown) =>
        log.warn({ err: error }, 'ingestion progress could not be published'),
      )
    }, GATHER_MS).unref()
  }
}
