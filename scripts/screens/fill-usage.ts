import type { Filled } from './fill.ts'
import type { Shop } from './shop.ts'

const DAYS = 29

/** Writes the usage of past days, and budgets, to the database: the API cannot create past usage. */
export async function fillUsage(
  { sql, team, owner }: Shop,
  { people, models, agent, deployments, apiKey }: Filled,
): Promise<void> {
  const users = [
    { user_id: owner.userId, model_id: models.large, share: 1 },
    { user_id: people.jonas.userId, model_id: models.small, share: 1.6 },
    { user_id: people.ines.userId, model_id: models.gull, share: 0.7 },
    { deployment_id: deployments.website, agent_id: agent, model_id: models.large, share: 0.8 },
  ]
  const rows = Array.from({ length: DAYS }, (_, index) => index + 1).flatMap((daysAgo) =>
    users.map(({ share, ...whose }) => dayOf(team.id, daysAgo, share, whose)),
  )
  await sql`insert into usage_days ${sql(rows)}`
  await team.api('PUT', '/api/billing/budgets/set', {
    user_id: people.ines.userId,
    credits_per_month: 40_000,
  })
  await team.api('PUT', '/api/billing/budgets/set', {
    user_id: people.jonas.userId,
    credits_per_month: 60_000,
  })
  await team.api('PUT', '/api/billing/budgets/set', { api_key_id: apiKey, credits_per_month: 10_000 })
  await sql`update budgets set spent = 31200 where user_id = ${people.ines.userId}`
  await sql`update budgets set spent = 58750 where user_id = ${people.jonas.userId}`
}

interface Whose {
  model_id: string
  user_id?: string
  agent_id?: string
  deployment_id?: string
}

/** Usage of a day: low on Mondays, when the shop is closed, and growing from week to week. */
function dayOf(organization_id: string, daysAgo: number, share: number, whose: Whose) {
  const date = new Date(Date.now() - daysAgo * 86_400_000)
  const weekday = date.getUTCDay() === 1 ? 0.2 : 1 + 0.35 * Math.sin(daysAgo * 2.4 + share)
  const messages = Math.max(1, Math.round(14 * share * weekday * (1.3 - daysAgo / 60)))
  const input_tokens = messages * 310
  const output_tokens = messages * 120
  return {
    organization_id,
    day: date.toISOString().slice(0, 10),
    model_id: whose.model_id,
    user_id: whose.user_id ?? null,
    agent_id: whose.agent_id ?? null,
    deployment_id: whose.deployment_id ?? null,
    messages,
    input_tokens,
    output_tokens,
    credits: input_tokens / 10 + output_tokens / 2,
  }
}
