import type { Stemmer } from '#platform/retrieval/stems.ts'
import type { Services } from '#platform/services.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import type { ContentsEraser } from './erase-contents-system.ts'
import type { Ingestion } from './ingestion.ts'
import type { SearchIndex } from './search-index.ts'

export interface KbDependencies {
  services: Services
  models: ModelFinder
  calls: PaidCalls
  stemmer: Stemmer
  index: SearchIndex
  ingestion: Ingestion
  contentsEraser: Pick<ContentsEraser, 'wake'>
}
