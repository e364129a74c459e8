import { defineErrors } from '#errors/define.ts'

export const AGENTS_ERRORS = defineErrors({
  'agent.not_found': [404, 'Agent not found'],
  'agent.inactive': [400, 'This agent is not active'],
  'agent.name_taken': [409, 'This organization has an agent with this name already'],
  'agent.in_use': [409, 'This agent is deployed as {deployments}. Delete those deployments first.'],
  'agent.changing': [409, 'Others are changing this agent at this moment: try again'],
  'agent.tools_too_large': [400, 'tools must take at most {limit} bytes', 'validation'],

  'agent.foreign_failed': 'This agent could not answer. Please try again, or tell those who made it.',
})
