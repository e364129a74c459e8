import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addKey } from '#tests/support/admission.ts'
import { kindsOf, ledgerOf, titledChat, titlesBilled } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const today = () => new Date().toISOString().slice(0, 10)

async function personWithModels() {
  const person = await server.signUp()
  const config = { base_url: `${provider.url}/v1` }
  const add = (name: string) =>
    server.addModel(person, { name, provider: 'openai-compatible', version: 'emu-n3', config })
  const [first, second] = [await add('=HYPERLINK("x"), it says'), await add('Second')]
  return { person, first, second }
}

const usage = ({ token, organizationId }: Person, query = '', accept = 'application/json') =>
  server.call('GET', `/api/billing/usage?org_id=${organizationId}${query}`, { token, headers: { accept } })

describe('usage', () => {
  test('equals the debits in the ledger, in the requested groups', async () => {
    const { person, first, second } = await personWithModels()
    const key = await addKey(server, person)
    const chat_id = await titledChat(server, person)
    await server.say(person, { chat_id, model_id: first }, { content: 'Hi' })
    await server.say(key.sender, { chat_id, model_id: first }, { content: 'Hi' })
    await server.say(key.sender, { chat_id, model_id: second }, { content: 'Hi' })
    const debits = (await ledgerOf(server, person)).filter(({ kind }) => kind === 'DEBIT')
    const totals = {
      messages: 3,
      input_tokens: debits.reduce((sum, { usage }) => sum + (usage?.input_tokens ?? 0), 0),
      output_tokens: debits.reduce((sum, { usage }) => sum + (usage?.output_tokens ?? 0), 0),
      credits: -debits.reduce((sum, { amount }) => sum + amount, 0),
    }
    const byDay = await usage(person)
    expect(byDay.status).toBe(200)
    expect(byDay.body).toMatchObject({ to: today(), group_by: ['day'], totals })
    expect(byDay.body.rows).toEqual([{ day: today(), ...totals }])
    const { body } = await usage(person, '&group_by=model,api_key')
    expect(body.totals).toEqual(totals)
    const rows = body.rows.map(
      ({ model_name, api_key_id, api_key_name, messages }: Record<string, unknown>) => [
        model_name,
        api_key_id,
        api_key_name,
        messages,
      ],
    )
    expect(rows).toHaveLength(3)
    expect(rows).toEqual(
      expect.arrayContaining([
        ['=HYPERLINK("x"), it says', null, null, 1],
        ['=HYPERLINK("x"), it says', key.id, 'key', 1],
        ['Second', key.id, 'key', 1],
      ]),
    )
    const byUser = await usage(person, `&group_by=user&from=${today()}&to=${today()}`)
    expect(byUser.body.rows).toEqual([{ user_id: person.userId, user_email: person.email, ...totals }])
    expect((await usage(person, '&from=2020-01-01&to=2020-01-31&group_by=agent')).body.rows).toEqual([])
  })

  test('is returned as CSV on request, without cells that spreadsheets treat as formulas', async () => {
    const { person, first } = await personWithModels()
    await server.say(person, { model_id: first }, { content: 'Hi' })
    await expect.poll(async () => kindsOf(await titlesBilled(server, person))).toEqual(['HOLD', 'DEBIT'])
    const { body } = await usage(person, '&group_by=day,model')
    const [row] = body.rows
    const table = await usage(person, '&group_by=day,model', 'text/csv')
    expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(table.headers.get('content-disposition')).toContain(`usage-${body.from}-${body.to}.csv`)
    expect(table.text).toBe(
      'day,model_id,model_name,messages,input_tokens,output_tokens,credits\r\n' +
        `${row.day},${first},"'=HYPERLINK(""x""), it says",1,${row.input_tokens},${row.output_tokens},${row.credits}\r\n`,
    )
  })

  test('is refused with a reason for invalid or excessive queries', async () => {
    const { person } = await personWithModels()
    for (const [query, sentence] of [
      [
        '&group_by=hour',
        'group_by must list at most 3 of these fields: day, model, user, agent, deployment, api_key.',
      ],
      [
        '&group_by=day,model,user,agent',
        'group_by must list at most 3 of these fields: day, model, user, agent, deployment, api_key.',
      ],
      [
        '&group_by=toString',
        'group_by must list at most 3 of these fields: day, model, user, agent, deployment, api_key.',
      ],
      ['&from=2024-01-01&to=2025-01-01', 'The dates in from and to must be at most 366 days apart.'],
      ['&from=tomorrow', 'from must be a date such as 2026-01-31.'],
    ]) {
      const answer = await usage(person, query)
      expect([answer.status, answer.body.detail]).toEqual([400, sentence])
    }
    const { sql } = server.server.services.database
    await sql`
      insert into usage_days (organization_id, day, user_id, messages, input_tokens, output_tokens, credits)
      select ${person.organizationId}, now(), gen_random_uuid(), 1, 1, 1, 1 from generate_series(1, 10001)`
    const many = await usage(person, '&group_by=user')
    expect([many.status, many.body.detail]).toEqual([
      400,
      'The result has more than 10000 rows. Request fewer days, or group by fewer fields.',
    ])
    expect((await usage(person)).body.totals.messages).toBe(10_001)
  })
})

test('the ledger shows who spent, and can be filtered', async () => {
  const { person, first } = await personWithModels()
  const key = await addKey(server, person)
  const chat_id = await titledChat(server, person)
  await server.say(key.sender, { chat_id, model_id: first }, { content: 'Hi' })
  const { body } = await server.call(
    'GET',
    `/api/billing/ledger?org_id=${person.organizationId}&kind=DEBIT`,
    { token: person.token },
  )
  expect(body.data).toHaveLength(1)
  expect(body.data[0]).toMatchObject({ kind: 'DEBIT', user_id: person.userId, api_key_id: key.id })
})

test("an organization's limits are shown with its usage", async () => {
  const { person, first } = await personWithModels()
  await server.say(person, { model_id: first }, { content: 'Hi' })
  await server.upload(person, { name: 'a.txt', bytes: 'x'.repeat(10), type: 'text/plain' })
  const { body } = await server.call('GET', `/api/org/features?org_id=${person.organizationId}`, {
    token: person.token,
  })
  expect(body).toEqual({
    daily_chat_limit: null,
    file_upload: 1024 ** 3,
    chat_uploads: 20,
    mcp_sessions: 20,
    team_members: true,
    usage: { messages_today: 1, stored_bytes: 10, mcp_sessions: 0, members: 1 },
  })
})
