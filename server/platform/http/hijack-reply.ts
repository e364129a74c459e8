import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Takes over a reply from Fastify. Returns Node's response, with the headers that were already set. */
export function hijackReply(reply: FastifyReply): ServerResponse {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
  reply.hijack()
  return reply.raw
}
