import { UUID } from '#database/new-id.ts'
import { AppError } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { InvalidParams } from '#platform/mcp/server-definition.ts'
import { findInstruction, listInstructionSummaries } from '../instructions/index.ts'

/** The caller's saved instructions as MCP prompts. A prompt has the name of its instruction and no arguments. */

const PAGE_MAX = 100

type Reader = Scope<'chats:read'>
type Result = Record<string, unknown>

/** Returns one page of prompts, newest first. The cursor is the id of the last instruction on the previous page. */
export async function listPrompts(scope: Reader, cursor: unknown): Promise<Result> {
  if (cursor !== undefined && !UUID.test(String(cursor))) throw new InvalidParams('Unknown cursor')
  const below = cursor === undefined ? undefined : String(cursor)
  const found = await listInstructionSummaries(scope, below, PAGE_MAX + 1)
  const page = found.slice(0, PAGE_MAX)
  const last = found.length > PAGE_MAX ? page.at(-1) : undefined
  return {
    prompts: page.map(({ name, beginning }) => ({ name, title: name, description: inOneLine(beginning) })),
    ...(last && { nextCursor: last.id }),
  }
}

const inOneLine = (text: string): string => text.trim().replace(/\s+/g, ' ')

/** Returns an instruction's text as a user message. Throws InvalidParams for an unknown name. */
export async function getPrompt(scope: Reader, name: string): Promise<Result> {
  const { content } = await findInstruction(scope, name).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'instruction.not_found')
      throw new InvalidParams(`Unknown prompt: ${name.slice(0, 100)}`)
    throw error
  })
  return { messages: [{ role: 'user', content: { type: 'text', text: content } }] }
}
