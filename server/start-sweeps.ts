import type { Services } from '#platform/services.ts'
import type { Retention } from '#platform/sweeps/retention.ts'
import type { App } from './app.ts'

/**
 * Starts the periodic work of all parts, which continues what earlier or dead processes left. The senders and readers
 * among it have a stop of their own for work in progress. Returns a function that ends the other sweeps.
 */
export function startSweeps(services: Services, app: App, retention: Retention): () => void {
  app.knowledge.ingestion.start()
  app.knowledge.evaluationRuns.start()
  app.knowledge.contentsEraser.start()
  app.webhooks.sender.start()
  app.dataRights.eraser.start()
  retention.start()
  const ends = [
    app.chat.startSweep(),
    app.mcp.startSweep(),
    app.mcpServer.startSweep(),
    services.uploads.startSweep(services.sweeps),
  ]
  return () => {
    for (const end of ends) void end()
  }
}
