import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Stalls } from '#platform/telemetry/stalls.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the turn of a request of a slowed organization. Null for other requests. */
    endTurn: (() => void) | null
  }
}

/**
 * Waits for the turn of a request if its organization is slowed (limits/stall-limit.ts). Call it once the organization is
 * known. The turn ends with the response, or earlier with `endTurn`. Throws rate.limited.
 */
export async function takeTurn(
  { limit }: Pick<Stalls, 'limit'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (request.endTurn) return
  request.endTurn = await limit.enter(request.work.organizationId)
  if (!request.endTurn) return
  if (reply.raw.closed) request.endTurn()
  else reply.raw.once('close', request.endTurn)
}
