import { defineErrors, notFound } from '#errors/define.ts'

export const AGENTS_ERRORS = defineErrors({
  'agent.not_found': notFound('Agent not found', 'agent_id'),
  'agent.inactive': [400, 'This agent is not active. Activate it, or choose another agent.'],
  'agent.name_taken': [409, 'An agent with this name already exists. Choose another name.'],
  'agent.in_use': [409, 'This agent is deployed as {deployments}. Delete those deployments first.'],
  'agent.changing': [409, 'Another request is changing this agent. Try again in a moment.'],
  'agent.tools_too_large': [
    400,
    'tools can have at most {limit} bytes of JSON. Remove a tool, or shorten its config.',
    'validation',
  ],

  'agent.foreign_failed': 'This agent could not reply. Try again, or contact its publisher.',
})
