import { readConfig } from '#config'
import { startServer } from '../../server/main.ts'
import { endlessTool, PlayedAgents, succeeded, tool } from './played-agents.ts'

/*
 * Runs a server in a separate process. The server has one emulated agent with the id AGENT_ID and a model at
 * PROVIDER_URL. The agent's tool `book` returns a long result, and its tool `endless` never returns.
 */

const { AGENT_ID, PROVIDER_URL = '', ...environment } = process.env
const agents = new PlayedAgents(() => PROVIDER_URL)
const book = tool('book', async () => succeeded({ text: 'word '.repeat(5_000) }))
agents.add('emu', [book, endlessTool('endless').tool], { id: AGENT_ID as string })
await startServer(readConfig(environment), undefined, { agents })
