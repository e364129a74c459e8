import { agentKeeper } from './agents.ts'
import type { Client, Person } from './client.ts'
import { create as deploy } from './deployments.ts'
import { evaluator, idsOf } from './evaluations.ts'
import { librarian, textSource } from './knowledge.ts'
import { toolsmith } from './toolsmith.ts'
import { ownWebhooks } from './webhooks.ts'

/** Creates a record for each parameter in the paths of the console. Returns the ids by parameter. */
export async function furnish(server: Client, person: Person): Promise<Record<string, string>> {
  const library = librarian(server, person)
  const kbId = await library.create({ sources: [textSource('Hours', 'We open at nine.')] })
  await library.settle(kbId)
  const questions = [{ question: 'When do you open?', document_names: ['Hours'] }]
  const evaluation = await evaluator(library, kbId).create(questions)
  const keeper = await agentKeeper(server, person)
  const agentId = await keeper.make({ name: 'Clerk' })
  const deployment = await deploy(server, person, agentId, { deployment_type: 'widget' })
  const { chatId } = await server.say(person, { model_id: keeper.modelId }, { content: 'Hello' })
  const webhooks = await ownWebhooks(server, person)
  const webhook = await webhooks.add('http://127.0.0.1:9/hooks')
  return {
    kbId,
    documentId: (await idsOf(library, kbId))['Hours'] ?? '',
    evaluationId: evaluation.body.id,
    agentId,
    toolId: await toolsmith(server, person).make(),
    deploymentId: deployment.body.id,
    chatId,
    webhookId: webhook.id,
    conversationId: await webhooks.converse(),
  }
}
