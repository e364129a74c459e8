import type { Stemmer } from '#platform/retrieval/stems.ts'
import type { Rooms } from '#platform/rooms.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import type { Ingestion } from './ingestion.ts'

/** What the knowledge bases work with; made once (index.ts). */
export interface KbDesk {
  rooms: Rooms
  models: ModelFinder
  calls: PaidCalls
  stemmer: Stemmer
  ingestion: Ingestion
}
