import { expect, test } from 'vitest'
import { newId } from '#database/new-id.ts'
import { nameAgentsAsTools } from './name-agents-as-tools.ts'

const agent = (name: string) => ({ id: newId(), name })
const namesOf = (names: string[]) => [
  ...nameAgentsAsTools(names.map(agent), ['search_knowledge_bases']).keys(),
]

test('converts a name to a valid, readable tool name', () => {
  expect(namesOf(['Sales helper', 'Café & Bar', 'über-agent_2', '営業'])).toEqual([
    'Sales_helper',
    'Cafe_Bar',
    'uber-agent_2',
    'agent',
  ])
  expect(namesOf(['x'.repeat(200)])[0]).toHaveLength(64)
})

test('if names collide, the first agent keeps the name and the other agents get a suffix', () => {
  const agents = [agent('Sales helper'), agent('sales?helper'), agent('Sales_helper')]
  const names = [...nameAgentsAsTools(agents, []).keys()]
  expect(names[0]).toBe('Sales_helper')
  expect(names[1]).toBe(`sales_helper_${agents[1]?.id.slice(-8)}`)
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(3)
  expect([...nameAgentsAsTools([...agents, agent('Sales helper')], []).keys()].slice(0, 3)).toEqual(names)
})

test('no agent takes the name of a built-in tool', () => {
  expect(namesOf(['Search Knowledge Bases'])[0]).toMatch(/^Search_Knowledge_Bases_[\da-f]{8}$/)
})
