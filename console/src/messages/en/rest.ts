import account from './account.ts'
import admin from './admin.ts'
import agents from './agents.ts'
import apiKeys from './apiKeys.ts'
import audit from './audit.ts'
import billing from './billing.ts'
import connections from './connections.ts'
import conversations from './conversations.ts'
import deployments from './deployments.ts'
import evaluations from './evaluations.ts'
import knowledge from './knowledge.ts'
import models from './models.ts'
import organization from './organization.ts'
import people from './people.ts'
import playground from './playground.ts'
import samples from './samples.ts'
import tools from './tools.ts'
import webhooks from './webhooks.ts'

export default {
  account,
  admin,
  agents,
  apiKeys,
  audit,
  billing,
  connections,
  conversations,
  deployments,
  evaluations,
  knowledge,
  models,
  organization,
  people,
  playground,
  samples,
  tools,
  webhooks,
}
