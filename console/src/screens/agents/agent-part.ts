import type { Agent } from '@parley/client/schemas'

export interface AgentPart {
  agent: Agent
  edit: (part: Partial<Agent>) => void
}
