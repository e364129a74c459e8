import { type Accounts, fillAccounts } from './fill-accounts.ts'
import { fillPeople, type People } from './fill-people.ts'
import {
  type Connections,
  type Deployments,
  fillAgents,
  fillConnections,
  fillDeployments,
  fillKeys,
  fillWebhooks,
} from './fill-reach.ts'
import { fillChats, fillConversations, fillPlayground, fillVisits } from './fill-talk.ts'
import { fillKnowledge, fillModels, fillTools, type Knowledge, type Models } from './fill-work.ts'
import type { Shop } from './shop.ts'

/** The ids in the addresses of screens. */
export interface Filled {
  people: People
  accounts: Accounts
  knowledge: Knowledge
  connections: Connections
  deployments: Deployments
  models: Models
  tool: string
  agent: string
  chat: string
  conversation: string
  webhook: string
  /** The API key of the till. */
  apiKey: string
}

/** Fills the shop with sample data, in the order in which users would create it. */
export async function fill(shop: Shop): Promise<Filled> {
  const people = await fillPeople(shop)
  const accounts = await fillAccounts(shop, people)
  const webhook = await fillWebhooks(shop)
  const models = await fillModels(shop)
  const knowledge = await fillKnowledge(shop)
  const tool = await fillTools(shop)
  const connections = await fillConnections(shop)
  const agent = await fillAgents(shop, models, { tool, handbook: knowledge.handbook, connections })
  const deployments = await fillDeployments(shop, agent)
  const apiKey = await fillKeys(shop)
  const chat = await fillChats(shop, models, knowledge)
  const conversation = await fillConversations(shop, models)
  await fillVisits(shop, deployments.websiteKey)
  await fillPlayground(shop, connections.parcels)
  return {
    people,
    accounts,
    knowledge,
    connections,
    deployments,
    models,
    tool,
    agent,
    chat,
    conversation,
    webhook,
    apiKey,
  }
}
