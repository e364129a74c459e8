import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Leaves an answer to what writes Node's own response, with the headers that it has so far. */
export function hijackReply(reply: FastifyReply): ServerResponse {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
  reply.hijack()
  return reply.raw
}
