import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { confirms, idOf, OrgId, PageOf, PageQuery, searchedIn } from '#platform/http/schemas.ts'
import {
  createInstruction,
  deleteInstruction,
  getInstruction,
  InstructionChange,
  InstructionView,
  listInstructions,
  NewInstruction,
  updateInstruction,
} from './instructions.ts'

export { findInstruction, listInstructionSummaries } from './instructions.ts'
export { instructionTables } from './tables.ts'

export { NewInstruction }

const InOrganization = Type.Object({ org_id: OrgId })
const OneInstruction = Type.Object({ instruction_id: idOf('the instruction') })
const ofInstruction = { instruction: 'instruction_id' } as const

/** Routes of saved instructions. Users write instructions for themselves, to guide replies. */
export const instructionRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    url: '/api/instructions/create',
    summary: 'Save an instruction',
    access: { permission: 'chats:write', orgOf: 'query' },
    query: InOrganization,
    body: NewInstruction,
    example: { name: 'Short answers', content: 'Answer in at most three sentences.' },
    effects: 'database',
    reply: [201, InstructionView],
    errors: ['org.not_found', 'instruction.name_taken'],
    handler: ({ scope, body }) => createInstruction(scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/instructions/list',
    summary: 'List your instructions, newest first',
    access: { permission: 'chats:read', orgOf: 'query' },
    query: Type.Object({ ...InOrganization.properties, ...searchedIn('the name'), ...PageQuery }),
    reply: [200, PageOf(InstructionView, 'InstructionPage')],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listInstructions(scope, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/instructions/get',
    summary: 'Get an instruction',
    access: { permission: 'chats:read', orgOf: ofInstruction },
    query: OneInstruction,
    reply: [200, InstructionView],
    errors: ['instruction.not_found'],
    handler: ({ scope, query }) => getInstruction(scope, query.instruction_id),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/instructions/update',
    summary: 'Change an instruction',
    access: { permission: 'chats:write', orgOf: ofInstruction },
    query: OneInstruction,
    body: InstructionChange,
    example: { content: 'Answer in at most three sentences.' },
    effects: 'database',
    current: ({ scope, query }) => getInstruction(scope, query.instruction_id),
    reply: [200, InstructionView],
    errors: ['instruction.not_found', 'instruction.name_taken'],
    handler: ({ scope, query, body }) => updateInstruction(scope, query.instruction_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/instructions/delete',
    summary: 'Delete an instruction',
    access: { permission: 'chats:delete', orgOf: ofInstruction },
    query: OneInstruction,
    effects: 'database',
    reply: confirms('Instruction deleted'),
    errors: ['instruction.not_found'],
    async handler({ scope, query }) {
      await deleteInstruction(scope, query.instruction_id)
    },
  }),
]
